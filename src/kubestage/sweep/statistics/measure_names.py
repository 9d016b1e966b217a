"""Measures by name, and the numbers that conditions compare them with."""

from __future__ import annotations

import difflib
import math
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.errors import InputError
from kubestage.runs import living
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Collection

_LISTED: Final = 30
_SECONDS: Final = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1, "min": 60, "h": 3600}
PERCENT: Final = ("%", "percent")
"""Units of measures that are hundredths."""


def find(name: str, known: Collection[str], path: str) -> str:
    """The key of a measure, ``response_p99`` for responseP99; InputError with the likely one."""
    if name in known:
        return name
    alike = [key for key in known if _plain(key) == _plain(name)]
    if len(alike) == 1:
        return alike[0]
    if not known:
        raise InputError(f'there is no measure "{name}"', path=path, fix="no run has any measure")
    likely = difflib.get_close_matches(name, known, 1, 0.5)
    hint = f"did you mean {likely[0]}? " if likely else ""
    listed = sorted(known)[:_LISTED]
    more = f" and {len(known) - len(listed)} more" if len(known) > len(listed) else ""
    fix = f"{hint}measures are {', '.join(listed)}{more}"
    raise InputError(f'there is no measure "{name}"', path=path, fix=fix)


def _plain(name: str) -> str:
    return name.lower().replace("_", "").replace("-", "")


class Amount(msgspec.Struct, frozen=True):
    """A number as it is written: plain, a share as in 2%, or seconds of a duration as in 5m."""

    value: float
    is_share: bool = False
    is_time: bool = False

    def in_unit(self, unit: str | None) -> float:
        """The number as a measure of this unit has it."""
        if self.is_share:
            return 100 * self.value if unit in PERCENT else self.value
        return self.value / _SECONDS.get(unit or "", 1) if self.is_time else self.value


def amount(text: str, path: str) -> Amount:
    """Read a number; InputError if it is none."""
    is_share = text.endswith("%")
    try:
        value = float(text[:-1]) / 100 if is_share else float(text)
    except ValueError:
        value = math.nan
    if math.isfinite(value):
        return Amount(value, is_share)
    try:
        return Amount(living.parse_duration(text, path) / SECOND_NS, is_time=True)
    except InputError:
        fix = "write a number, a duration as in 30s, or a share as in 2%"
        raise InputError(f'"{text}" is no number', path=path, fix=fix) from None
