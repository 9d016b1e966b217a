"""The measures of a living run: rows over time, and what they come to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from kubestage.results.analysis.measured import MeasureFigures, figures
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.results.life.tables import LifeRows
    from kubestage.scheduler.measuring import Measuring


def write(measuring: Measuring, rows: LifeRows, begin_ns: int) -> Json:
    """Add a row for each value; what they come to, by the name of the measure."""
    found = {}
    for definition, values in measuring.series():
        for value in values:
            at = (value.at_ns - begin_ns) / SECOND_NS
            attempt = value.attempt or None
            rows.add("measures", at, definition.name, attempt, value.value, definition.unit)
        known = figures([each.value for each in values], definition.better, definition.unit)
        if known is not None:
            found[definition.name] = msgspec.to_builtins(known)
    return found


def of_summary(summary: Json) -> dict[str, MeasureFigures]:
    """What the measures of a run come to; runs without any, or older ones, have none."""
    return msgspec.convert(summary.get("measures") or {}, dict[str, MeasureFigures])
