"""Options that accept one of a few words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence


def check_choice(value: str, words: Sequence[str], noun: str = "output format") -> None:
    """Refuse a word that is none of those offered."""
    if value in words:
        return
    import difflib

    near = difflib.get_close_matches(value, words, n=1)
    known = f"use one of {', '.join(words)}"
    raise InputError(
        f'unknown {noun} "{value}"', fix=f"did you mean {near[0]}? {known}" if near else known
    )
