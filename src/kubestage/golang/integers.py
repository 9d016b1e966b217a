"""Integers in texts that others wrote, however long they are."""

from __future__ import annotations

from typing import Final

# Python refuses to read longer ones, as that takes very long.
_MOST_DIGITS: Final = 4000
_BEYOND: Final = 10**_MOST_DIGITS


def parse(text: str) -> int:
    """The value of decimal digits with an optional sign.

    Beyond 4,000 digits all are taken for the same: they are out of every range.
    """
    digits = text.lstrip("+-")
    if len(digits) > _MOST_DIGITS:
        digits = digits.lstrip("0") or "0"
    value = int(digits) if len(digits) <= _MOST_DIGITS else _BEYOND
    return -value if text.startswith("-") else value
