"""The form of a response: JSON, YAML or protobuf, whole objects, metadata or a table."""

from __future__ import annotations

import functools
from typing import Final, NamedTuple

from kubestage.errors import NotAcceptable

JSON: Final = "application/json"
YAML: Final = "application/yaml"
PROTOBUF: Final = "application/vnd.kubernetes.protobuf"
_OBJECT_FORMS: Final = (JSON, YAML, PROTOBUF)
_LIST_FORMS: Final = (*_OBJECT_FORMS, f"{JSON};stream=watch", f"{PROTOBUF};stream=watch")
_CONVERSIONS: Final = frozenset(
    {
        ("Table", "v1"), ("Table", "v1beta1"),
        ("PartialObjectMetadata", "v1"), ("PartialObjectMetadata", "v1beta1"),
        ("PartialObjectMetadataList", "v1"), ("PartialObjectMetadataList", "v1beta1"),
    }
)  # fmt: skip
_META_GROUP: Final = "meta.k8s.io"
_NOT_ACCEPTED: Final = "only the following media types are accepted: "


class ResponseForm(NamedTuple):
    """The form of an answer; `kind` is Table or PartialObjectMetadata[List] if converted."""

    media_type: str = JSON
    kind: str = ""
    version: str = ""


PLAIN: Final = ResponseForm()


def check_json(accept: str) -> None:
    """Refuse a header that does not take JSON, where there is nothing else."""
    _check_offered(accept, (JSON,))


def check_route(accept: str, *, is_list: bool = False) -> list[str]:
    """The media types that a header names; refused as a router does if it has none of them."""
    return _check_offered(accept, _LIST_FORMS if is_list else _OBJECT_FORMS)


def _names(accept: str) -> list[str]:
    return [clause.partition(";")[0].strip() for clause in accept.split(",")]


def _check_offered(accept: str, offered: tuple[str, ...]) -> list[str]:
    names = _names(accept)
    if accept and not any(name == "*/*" or name in offered for name in names):
        raise NotAcceptable(
            f"406: Not Acceptable\n\nAvailable representations: {', '.join(offered)}", {}
        )
    return names


@functools.lru_cache(maxsize=512)
def negotiate(
    accept: str,
    *,
    is_list: bool = False,
    converts: bool = True,
    is_routed: bool = True,
    encodes: bool = False,
) -> ResponseForm:
    """The form that an Accept header requests.

    First the route, if there is any, must serve one of the types at all, then a clause of the
    header must fit with its parameters. Where answers can be encoded so (`encodes`), protobuf is
    the form of metadata for those who prefer it; whole objects, which are quicker in JSON, have it
    for those who take nothing else.
    """
    if not accept or accept in (JSON, "*/*"):
        return PLAIN
    names = check_route(accept, is_list=is_list) if is_routed else _names(accept)
    forms = [_fitting(*clause, converts=converts, encodes=encodes) for clause in clauses(accept)]
    fitting = [form for form in forms if form is not None]
    for form in fitting:
        if form.media_type != PROTOBUF or form.kind:
            return form
    if fitting:
        return fitting[0]
    if not encodes and any(name == PROTOBUF for name in names):
        return PLAIN
    raise NotAcceptable(_NOT_ACCEPTED + ", ".join(_OBJECT_FORMS))


def only_protobuf(accept: str) -> bool:
    """Whether a client takes protobuf and nothing else that there is."""
    return PROTOBUF in accept and all(name == PROTOBUF for name in _names(accept))


def _fitting(
    name: str, parameters: dict[str, str], *, converts: bool, encodes: bool
) -> ResponseForm | None:
    media_type = JSON if name in ("*/*", "application/*") else name
    if media_type not in (JSON, YAML) and not (encodes and media_type == PROTOBUF):
        return None
    kind = parameters.get("as", "")
    if not kind:
        return PLAIN if media_type == JSON else ResponseForm(media_type)
    version = parameters.get("v", "")
    fits = converts and (kind, version) in _CONVERSIONS and parameters.get("g") == _META_GROUP
    if kind == "Table" and media_type == PROTOBUF:
        # It has no message.
        return None
    return ResponseForm(media_type, kind, version) if fits else None


def clauses(accept: str) -> list[tuple[str, dict[str, str]]]:
    """The clauses of the header, preferred ones first."""
    found = []
    for clause in accept.split(","):
        name, *rest = clause.split(";")
        parameters = {}
        for part in rest:
            key, _, value = part.partition("=")
            parameters[key.strip()] = value.strip().strip('"')
        found.append((_weight(parameters.get("q")), name.strip(), parameters))
    found.sort(key=lambda each: -each[0])
    return [(name, parameters) for _, name, parameters in found]


def _weight(text: str | None) -> float:
    try:
        return 1.0 if text is None else float(text)
    except ValueError:
        return 1.0
