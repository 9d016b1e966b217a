"""The measures of a run: their values over attempts and steps, and what they come to."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.errors import InputError

if TYPE_CHECKING:
    from kubestage.aliases import Json

FIELD: Final = "measures"
"""Where the result of a Scenario has them."""
SHARE: Final = "share"
"""The unit of values from 0 to 1, which are shown in percent."""


class MeasureFigures(msgspec.Struct, frozen=True):
    """What the values of a measure come to."""

    final: float | int
    mean: float
    max: float | int
    better: str | None = None
    unit: str | None = None


class MeasuredSeries(msgspec.Struct, frozen=True):
    """The values of one measure, with the step and the attempt of each.

    At the end of a step, the attempt is 0.
    """

    name: str
    at: str
    steps: list[int]
    attempts: list[int]
    values: list[float | int]
    better: str | None = None
    unit: str | None = None

    def until(self, step: int) -> MeasuredSeries:
        """The values up to the end of a step."""
        kept = sum(each <= step for each in self.steps)
        return msgspec.structs.replace(
            self,
            steps=self.steps[:kept],
            attempts=self.attempts[:kept],
            values=self.values[:kept],
        )

    @property
    def figures(self) -> MeasureFigures | None:
        """The last value, the mean and the greatest; None without values."""
        return figures(self.values, self.better, self.unit)


def figures(
    values: list[float | int], better: str | None, unit: str | None
) -> MeasureFigures | None:
    """What the values of a measure come to; None without values."""
    if not values:
        return None
    mean = math.fsum(values) / len(values)
    return MeasureFigures(values[-1], mean, max(values), better, unit)


def text_of(value: float, unit: str | None) -> str:
    """A value as people read it: ``3.14``, ``12.5%``, ``7 GPUs``."""
    if unit == SHARE:
        return f"{100 * value:.2f}%"
    return f"{value:,.6g}" + (f" {unit}" if unit else "")


def of_result(result: Json) -> list[MeasuredSeries]:
    """The measures of a Scenario's result; older ones have none."""
    try:
        return msgspec.convert(result.get(FIELD) or [], list[MeasuredSeries])
    except msgspec.ValidationError as error:
        problem, _, place = str(error).replace("`", "").partition(" - at $")
        path = f"status.scenarioResult.{FIELD}{place}"
        raise InputError(problem[:1].lower() + problem[1:], path=path) from None


def result_until(result: Json, step: int) -> Json:
    """The measures of a result up to the end of a step, as it has them; nothing without any."""
    if FIELD not in result:
        return {}
    return {FIELD: [msgspec.to_builtins(each.until(step)) for each in of_result(result)]}
