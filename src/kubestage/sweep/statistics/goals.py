"""The language of ``--until``: how sure a sweep must be before it ends.

::

    ci(cost)<2%          the interval of every mean reaches less than 2% of it on either side
    ci(pending)<0.5      less than half a pod on either side
    decided(pending)     every setting is decided beside the reference
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.errors import InputError
from kubestage.sweep.statistics import measure_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.sweep.rows import MeasureInfo
    from kubestage.sweep.statistics.measure_names import Amount

_PATH: Final = "--until"
_FIX: Final = "write it as in 'ci(cost)<2%', 'ci(pending)<0.5' or 'decided(pending)'"
_WIDTH: Final = re.compile(r"ci\(\s*(?P<measure>[^()\s]+)\s*\)\s*<=?\s*(?P<limit>\S+)")
_DECIDED: Final = re.compile(r"decided\(\s*(?P<measure>[^()\s]+)\s*\)")


class Goal(msgspec.Struct, frozen=True):
    """One goal: how far intervals may reach, or None if differences are to be decided."""

    text: str
    measure: str
    limit: Amount | None = None

    def reach(self, mean: float, unit: str | None) -> float:
        """How far the interval around a mean may reach; only of a goal with a limit."""
        assert self.limit is not None
        return self.limit.value * abs(mean) if self.limit.is_share else self.limit.in_unit(unit)


def parse(text: str, path: str = _PATH) -> Goal:
    """A goal as it is written; InputError if it is none."""
    text = text.strip()
    decided = _DECIDED.fullmatch(text)
    if decided is not None:
        return Goal(text, decided["measure"])
    width = _WIDTH.fullmatch(text)
    if width is None:
        raise InputError(f'"{text}" is no goal', path=path, fix=_FIX)
    limit = measure_names.amount(width["limit"], path)
    if not limit.value > 0:
        fix = "write a number above 0, or a share as in 2%"
        raise InputError(f"no interval is narrower than {width['limit']}", path=path, fix=fix)
    return Goal(text, width["measure"], limit)


def checked(
    goals: Sequence[Goal], known: dict[str, MeasureInfo], path: str = _PATH
) -> tuple[Goal, ...]:
    """Goals whose measures are known; InputError with the likely one else."""
    return tuple(
        msgspec.structs.replace(each, measure=measure_names.find(each.measure, known, path))
        for each in goals
    )
