"""How messages word numbers."""

from __future__ import annotations


def plural(number: int, noun: str, nouns: str = "") -> str:
    """A number with its noun: ``1 node``, ``2 nodes``, ``1,000 nodes``.

    `nouns` is the plural of a noun that does not end in a plain ``s``.
    """
    return f"{number:,} {noun if number == 1 else nouns or f'{noun}s'}"
