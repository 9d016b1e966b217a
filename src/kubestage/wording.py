"""How messages word numbers and lists of names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

_NAMED: Final = 3


def plural(number: int, noun: str, nouns: str = "") -> str:
    """A number with its noun: ``1 node``, ``2 nodes``, ``1,000 nodes``.

    `nouns` is the plural of a noun that does not end in a plain ``s``.
    """
    return f"{number:,} {noun if number == 1 else nouns or f'{noun}s'}"


def shortened(text: str, limit: int) -> str:
    """A text, or its beginning and its end: the reason of an error is often its last part."""
    if len(text) <= limit:
        return text
    half = limit // 2
    return f"{text[:half]} ... ({len(text) - 2 * half:,} characters) ... {text[-half:]}"


def few(names: Iterable[str], limit: int = _NAMED) -> str:
    """The names, or the first of them and how many more there are."""
    listed = list(names)
    shown = ", ".join(listed[:limit])
    more = len(listed) - limit
    return f"{shown} and {more} more" if more > 0 else shown
