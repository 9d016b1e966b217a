"""Rules for bounded lists, sets and maps.

A rule for an entry is ``rule(entry, path)``. If a list is too long, its entries are not validated.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects.validation import field

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from kubestage.aliases import Json
    from kubestage.objects.validation.field import FieldError

    Rule = Callable[[Any, str], list[FieldError]]

_SHORTEST_CUT: Final = 16
_ELLIPSIS: Final = "..."


def validate_list(
    items: Sequence[Any] | None, limit: int, rule: Rule, path: str
) -> list[FieldError]:
    """A list of at most `limit` entries."""
    if items is None:
        return []
    if len(items) > limit:
        return [field.too_many(path, len(items), limit)]
    return [error for index, item in enumerate(items) for error in rule(item, f"{path}[{index}]")]


def validate_set(
    items: Sequence[Any] | None,
    limit: int | None,
    rule: Rule,
    key_of: Callable[[Any], Any],
    path: str,
    shown: Callable[[Any], Any] | None = None,
) -> list[FieldError]:
    """A list whose entries differ in their key; `shown` returns the key as messages show it."""
    if items is None:
        return []
    errors = validate_list(items, len(items) if limit is None else limit, rule, path)
    if limit is not None and len(items) > limit:
        return errors
    seen: set[Any] = set()
    for index, item in enumerate(items):
        key = key_of(item)
        if key in seen:
            text = key if shown is None else shown(key)
            errors.append(field.duplicate(f"{path}[{index}]", text))
        seen.add(key)
    return errors


def validate_map(
    entries: Mapping[str, Any] | None,
    limit: int | None,
    cut: int,
    key_rule: Rule,
    rule: Rule,
    path: str,
) -> list[FieldError]:
    """A map; keys longer than `cut` are cut in paths."""
    if entries is None:
        return []
    if limit is not None and len(entries) > limit:
        return [field.too_many(path, len(entries), limit)]
    errors: list[FieldError] = []
    for key, item in entries.items():
        errors += key_rule(key, path)
        errors += rule(item, f"{path}[{_cut(key, cut)}]")
    return errors


def _cut(key: str, limit: int) -> str:
    limit = max(limit, _SHORTEST_CUT)
    if len(key) <= limit:
        return key
    remaining = limit - len(_ELLIPSIS)
    return key[: (remaining + 1) // 2] + _ELLIPSIS + key[len(key) - remaining // 2 :]


def itself(item: str) -> str:
    """The key of an entry that is its own."""
    return item


def name_of(item: Json) -> str:
    """The key of an entry that has a name."""
    return item.get("name") or ""
