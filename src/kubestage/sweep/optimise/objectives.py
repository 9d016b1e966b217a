"""What is to be minimised or maximised, and what must hold."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Final, Literal

import msgspec

from kubestage.errors import InputError
from kubestage.sweep.statistics import measure_names
from kubestage.sweep.statistics.measure_names import Amount  # noqa: TC001 - msgspec reads it

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kubestage.results.statistics.intervals import Estimate
    from kubestage.sweep.rows import MeasureInfo

SUBJECT: Final = "--subject-to"
_CONSTRAINT: Final = re.compile(r"(?P<name>[^<>=!\s()]+)\s*(?P<sign><=|>=|<|>)\s*(?P<value>\S+)")
# A value at a limit that it must stay below exceeds it, by as little as can be.
_TOUCHING: Final = 1e-12
_FIX: Final = "write it as in 'responseP99<300ms' or 'failedPercent<=1%'"


class Objective(msgspec.Struct, frozen=True):
    """A measure, and whether less or more of it is better."""

    measure: str
    better: Literal["less", "more"]

    @property
    def flag(self) -> str:
        """The option that it was named by."""
        return "--minimise" if self.better == "less" else "--maximise"

    def __str__(self) -> str:
        return f"{'least' if self.better == 'less' else 'most'} {self.measure}"


class Constraint(msgspec.Struct, frozen=True):
    """A limit for the mean of a measure."""

    text: str
    measure: str
    is_upper: bool
    is_strict: bool
    amount: Amount
    unit: str | None = None

    @property
    def limit(self) -> float:
        """The limit in the unit of the measure."""
        return self.amount.in_unit(self.unit)

    def excess(self, value: float) -> float:
        """By how much a value is beyond the limit; at most 0 if it is not."""
        found = value - self.limit if self.is_upper else self.limit - value
        if found == 0 and self.is_strict:
            return _TOUCHING * max(1.0, abs(self.limit))
        return found

    def holds(self, estimate: Estimate) -> bool | None:
        """Whether the whole interval of a mean is on one side; None if the limit is within it."""
        if estimate.mean is None:
            return False
        reach = estimate.half_width
        if reach is None:
            return None
        excess = self.excess(estimate.mean)
        if abs(excess) < reach:
            return None
        return excess <= 0


class Aims(msgspec.Struct, frozen=True):
    """All objectives and constraints."""

    objectives: tuple[Objective, ...]
    constraints: tuple[Constraint, ...] = ()

    @property
    def measures(self) -> list[str]:
        """The measures that they are about, each once."""
        names = [each.measure for each in self.objectives]
        return list(dict.fromkeys([*names, *(each.measure for each in self.constraints)]))

    @property
    def better(self) -> dict[str, str]:
        """Which side is better of each objective."""
        return {each.measure: each.better for each in self.objectives}

    def resolved(self, known: Mapping[str, MeasureInfo]) -> Aims:
        """The same with the names and units that runs have; InputError if one is not known."""
        objectives = tuple(
            msgspec.structs.replace(
                each, measure=measure_names.find(each.measure, list(known), each.flag)
            )
            for each in self.objectives
        )
        constraints = []
        for each in self.constraints:
            name = measure_names.find(each.measure, list(known), SUBJECT)
            constraints.append(msgspec.structs.replace(each, measure=name, unit=known[name].unit))
        _refuse_twice(objectives)
        return Aims(objectives, tuple(constraints))

    def __str__(self) -> str:
        aims = ", ".join(map(str, self.objectives))
        limits = " and ".join(each.text for each in self.constraints)
        return f"{aims} with {limits}" if limits else aims


def read(minimise: Sequence[str], maximise: Sequence[str], subject_to: Sequence[str]) -> Aims:
    """Objectives and constraints as they are written."""
    objectives = [
        *(Objective(each, "less") for each in minimise),
        *(Objective(each, "more") for each in maximise),
    ]
    if not objectives:
        fix = "add --minimise MEASURE or --maximise MEASURE"
        raise InputError("nothing says what is best", fix=fix)
    _refuse_twice(objectives)
    return Aims(tuple(objectives), tuple(constraint(each) for each in subject_to))


def constraint(text: str) -> Constraint:
    """A limit as it is written: ``pending<=2``."""
    found = _CONSTRAINT.fullmatch(text.strip())
    if found is None:
        raise InputError(f'"{text}" is no limit', path=SUBJECT, fix=_FIX)
    amount = measure_names.amount(found["value"], SUBJECT)
    assert math.isfinite(amount.value)
    return Constraint(
        text.strip(), found["name"], found["sign"][0] == "<", "=" not in found["sign"], amount
    )


def _refuse_twice(objectives: Sequence[Objective]) -> None:
    names = [each.measure for each in objectives]
    for each in objectives:
        if names.count(each.measure) > 1:
            problem = f"{each.measure} is an objective twice"
            raise InputError(problem, path=each.flag, fix="leave one out")
