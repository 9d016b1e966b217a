"""Rules of roles: what they allow, and whether some of them cover others. Pure."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Final

from kubestage.golang import quote

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from kubestage.aliases import Json
    from kubestage.store.authorization.access import Access

_ALL: Final = "*"
_SHOWN: Final = (
    ("apiGroups", "APIGroups"),
    ("resources", "Resources"),
    ("nonResourceURLs", "NonResourceURLs"),
    ("resourceNames", "ResourceNames"),
    ("verbs", "Verbs"),
)
_SIMPLE: Final = frozenset({"apiGroups", "resources", "resourceNames", "verbs"})


def allows(rule: Json, access: Access) -> bool:
    """Whether a rule allows something."""
    verbs = rule.get("verbs") or ()
    if _ALL not in verbs and access.verb not in verbs:
        return False
    if not access.is_resource:
        return any(_is_path(each, access.path) for each in rule.get("nonResourceURLs") or ())
    groups, names = rule.get("apiGroups") or (), rule.get("resourceNames")
    if _ALL not in groups and access.group not in groups:
        return False
    if names and access.name not in names:
        return False
    resources = rule.get("resources") or ()
    if _ALL in resources or access.combined in resources:
        return True
    return bool(access.subresource) and f"*/{access.subresource}" in resources


def _is_path(pattern: str, path: str) -> bool:
    if pattern.endswith(_ALL):
        return path.startswith(pattern.rstrip(_ALL))
    return pattern == path


def missing(held: Sequence[Json], granted: Iterable[Json]) -> list[str]:
    """What of `granted` the rules of `held` do not cover, as texts; nothing if they cover all."""
    lacking = [
        part
        for rule in granted
        for part in _parts(rule)
        if not any(_covers(each, part) for each in held)
    ]
    return sorted({_text(each) for each in _compact(lacking)})


def _parts(rule: Json) -> Iterator[Json]:
    """The rule as rules of one verb and one resource, name or path each."""
    verbs = rule.get("verbs") or ()
    names: list[list[str]] = [[each] for each in rule.get("resourceNames") or ()] or [[]]
    groups, resources = rule.get("apiGroups") or (), rule.get("resources") or ()
    for group, resource, verb in itertools.product(groups, resources, verbs):
        for name in names:
            part = {"apiGroups": [group], "resources": [resource], "verbs": [verb]}
            yield {**part, "resourceNames": name} if name else part
    for path, verb in itertools.product(rule.get("nonResourceURLs") or (), verbs):
        yield {"nonResourceURLs": [path], "verbs": [verb]}


def _covers(held: Json, part: Json) -> bool:
    if not _has(held, "verbs", part["verbs"][0]):
        return False
    if "nonResourceURLs" in part:
        path = part["nonResourceURLs"][0]
        return any(_covers_path(each, path) for each in held.get("nonResourceURLs") or ())
    names, name = held.get("resourceNames"), part.get("resourceNames")
    if names and (not name or name[0] not in names):
        return False
    return _has(held, "apiGroups", part["apiGroups"][0]) and _covers_resource(
        held.get("resources") or (), part["resources"][0]
    )


def _has(rule: Json, key: str, value: str) -> bool:
    values = rule.get(key) or ()
    return _ALL in values or value in values


def _covers_resource(held: Iterable[str], resource: str) -> bool:
    if _ALL in held or resource in held:
        return True
    _, has_part, part = resource.partition("/")
    return bool(has_part) and f"*/{part}" in held


def _covers_path(held: str, path: str) -> bool:
    return held == path or (held.endswith(_ALL) and path.startswith(held.rstrip(_ALL)))


def _compact(parts: Iterable[Json]) -> list[Json]:
    """Parts that differ by their verb alone, put together again."""
    found: list[Json] = []
    simple: dict[tuple[str, str, str | None], Json] = {}
    for part in parts:
        if not part.keys() <= _SIMPLE:
            found.append(part)
            continue
        name = (part.get("resourceNames") or (None,))[0]
        key = (part["apiGroups"][0], part["resources"][0], name)
        if key in simple:
            simple[key]["verbs"].extend(part["verbs"])
        else:
            simple[key] = {**part, "verbs": list(part["verbs"])}
    return found + list(simple.values())


def _text(rule: Json) -> str:
    shown = (
        f"{name}:[{' '.join(quote.quote(value) for value in rule[key])}]"
        for key, name in _SHOWN
        if rule.get(key)
    )
    return "{" + ", ".join(shown) + "}"
