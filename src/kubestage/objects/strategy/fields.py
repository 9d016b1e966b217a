"""Single fields that a request may not set."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kubestage.aliases import Json


def drop(obj: Json, part: str, key: str) -> None:
    """Replace the part by one without the key; parts may be shared with the caller's object."""
    held = obj.get(part)
    if held and key in held:
        obj[part] = {name: value for name, value in held.items() if name != key}


def keep(new: Json, old: Json, part: str, key: str) -> None:
    """The field stays as it was."""
    drop(new, part, key)
    held = old.get(part) or {}
    if key in held:
        new[part] = {**(new.get(part) or {}), key: held[key]}
