"""Limits of a number: at most so much, or not more than before by so much."""

from __future__ import annotations

import re
from typing import Final

_SHARE: Final = re.compile(r"^\s*(?P<number>\d+(\.\d+)?)\s*%\s*$")

Amount = float | int | str
"""A number, or a share as in ``5%``."""


def is_share(amount: Amount) -> bool:
    """Whether an amount is a share."""
    return isinstance(amount, str) and _SHARE.match(amount) is not None


def problem(amount: Amount | None) -> str | None:
    """What is wrong with an amount, if anything is."""
    if isinstance(amount, str) and not is_share(amount):
        return f'"{amount}" is neither a number nor a share as in 5%'
    if isinstance(amount, int | float) and amount < 0:
        return f"{amount} is below zero"
    return None


def of(amount: Amount, whole: float) -> float:
    """An amount as a number; a share is one of the whole."""
    if isinstance(amount, str):
        found = _SHARE.match(amount)
        assert found is not None, "amounts are checked when they are read"
        return float(found["number"]) / 100 * whole
    return float(amount)


def text(amount: Amount) -> str:
    """As people write it."""
    return amount.strip() if isinstance(amount, str) else f"{amount:,}"
