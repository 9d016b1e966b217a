"""The call that a GET or DELETE of an address is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qsl, urlsplit

from kubestage.cluster.access import Call
from kubestage.errors import Unmodelled

if TYPE_CHECKING:
    from kubestage.cluster.load_programs.client import ProgramClient

# What does not change which objects an answer has.
_WITHOUT_EFFECT: Final = frozenset({"pretty", "resourceVersion", "resourceVersionMatch"})
_SELECTORS: Final = {"labelSelector": "label_selector", "fieldSelector": "field_selector"}
_VERBS: Final = {"GET": ("get", "list"), "DELETE": ("delete", "deletecollection")}


def call_of(client: ProgramClient, verb: str, uri: str) -> Call | None:
    """The call; None for a GET of a path that is not a resource. Unmodelled for all others."""
    if verb not in _VERBS:
        raise Unmodelled(f"requests by {verb} are not modelled; GET and DELETE are")
    parts = urlsplit(uri)
    words = [each for each in parts.path.split("/") if each]
    if words[:1] not in (["api"], ["apis"]) or len(words) < (3 if words[0] == "api" else 4):
        if verb != "GET":
            raise Unmodelled(f"{verb} of {parts.path} is not modelled")
        return None
    beginning = 2 if words[0] == "api" else 3
    api_version, rest = "/".join(words[1:beginning]), words[beginning:]
    namespace = ""
    if rest[0] == "namespaces" and len(rest) > 2:
        namespace, rest = rest[1], rest[2:]
    if len(rest) > 2:
        raise Unmodelled(f"the subresource in {parts.path} is not modelled")
    plural, name = rest[0], rest[1] if len(rest) == 2 else ""
    return Call(
        verb=_VERBS[verb][0 if name else 1],
        resource=client.resource(api_version, plural),
        namespace=namespace,
        name=name,
        **_selectors(parts.query),
    )


def _selectors(query: str) -> dict[str, str]:
    found = {}
    for key, value in parse_qsl(query, keep_blank_values=True):
        if key in _SELECTORS:
            found[_SELECTORS[key]] = value
        elif key not in _WITHOUT_EFFECT:
            raise Unmodelled(f'"{key}" in the query of an address is not modelled')
    return found
