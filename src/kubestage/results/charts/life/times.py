"""Time as an axis, in the unit that suits the length of a run; and fewer moments than there are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import altair as alt
import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Json = dict[str, Any]

MOST: Final = 300
_MINUTE: Final = 60.0
_HOUR: Final = 3600.0
_DAY: Final = 86400.0
# A unit is used from so many of it on.
_FROM: Final = 5
_UNITS: Final = (("days", _DAY), ("hours", _HOUR), ("minutes", _MINUTE))


class Times(msgspec.Struct, frozen=True):
    """The axis of all charts of one run."""

    seconds: float

    @property
    def unit(self) -> tuple[str, float]:
        """What time is counted in, and how many seconds that is."""
        for name, length in _UNITS:
            if self.seconds >= _FROM * length:
                return name, length
        return "seconds", 1.0

    def axis(self, field: str = "time") -> alt.X:
        """From the beginning of the run to its end."""
        name, length = self.unit
        scale = alt.Scale(domain=[0, self.seconds / length], nice=False)
        axis = alt.Axis(grid=False, tickCount=10, labelOverlap=True)
        return alt.X(f"{field}:Q", title=name, scale=scale, axis=axis)

    def of(self, rows: Iterable[Json], field: str = "atSeconds") -> list[Json]:
        """Rows with their place on the axis."""
        length = self.unit[1]
        return [{**row, "time": round(row[field] / length, 6)} for row in rows]

    def tip(self) -> alt.Tooltip:
        """When it was, for whoever points at it."""
        return alt.Tooltip("time:Q", title=self.unit[0], format=",.2f")


def thinned(rows: Sequence[Json], most: int = MOST) -> list[Json]:
    """Some of the rows, the first and the last among them, at even distances."""
    if len(rows) <= most:
        return list(rows)
    places = sorted({round(at * (len(rows) - 1) / (most - 1)) for at in range(most)})
    return [rows[place] for place in places]


def grouped(rows: Sequence[Json], most: int = MOST) -> list[list[Json]]:
    """Neighbouring rows in groups of one size, few enough to be drawn."""
    size = -(-len(rows) // most) or 1
    return [list(rows[start : start + size]) for start in range(0, len(rows), size)]


def changes(rows: Sequence[Json], fields: Sequence[str]) -> list[Json]:
    """The rows at which a value is another, and the last: a step line needs no others."""
    kept: list[Json] = []
    for at, row in enumerate(rows):
        is_last = at == len(rows) - 1
        if not kept or is_last or any(row[each] != kept[-1][each] for each in fields):
            kept.append(row)
    return kept
