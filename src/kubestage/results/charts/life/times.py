"""Time as an axis, in the unit that suits the length of a run; and fewer moments than there are."""

from __future__ import annotations

import bisect
from typing import TYPE_CHECKING, Final

import altair as alt
import msgspec

from kubestage.aliases import Json

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


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
        """The time, for a tooltip."""
        return alt.Tooltip("time:Q", title=self.unit[0], format=",.2f")


def with_gaps(rows: Sequence[Json], moments: Sequence[float], *unknown: str) -> list[Json]:
    """Rows, with one whose fields are None where the first of some moments has no row.

    `moments` are all observations, in order: between two rows the value is unknown if an
    observation there found nothing. `unknown` are the fields that a line is drawn of.
    """
    if not rows:
        return []
    kept_rows = [rows[0]]
    for row in rows[1:]:
        first = bisect.bisect_right(moments, kept_rows[-1]["atSeconds"])
        if first < bisect.bisect_left(moments, row["atSeconds"]):
            kept_rows.append({**row, "atSeconds": moments[first], **dict.fromkeys(unknown)})
        kept_rows.append(row)
    after = bisect.bisect_right(moments, kept_rows[-1]["atSeconds"])
    if after < len(moments):
        kept_rows.append({**kept_rows[-1], "atSeconds": moments[after], **dict.fromkeys(unknown)})
    return kept_rows


def stretches(rows: Sequence[Json], field: str) -> list[list[Json]]:
    """Neighbouring rows whose field is known, from one gap to the next."""
    found: list[list[Json]] = [[]]
    for row in rows:
        if row[field] is not None:
            found[-1].append(row)
        elif found[-1]:
            found.append([])
    return [each for each in found if each]


def thinned(rows: Sequence[Json], most: int = MOST) -> list[Json]:
    """Some of the rows, the first and the last among them, at even distances."""
    if len(rows) <= most:
        return list(rows)
    places = sorted({round(at * (len(rows) - 1) / (most - 1)) for at in range(most)})
    return [rows[place] for place in places]


def group_size(rows: Sequence[Json], most: int = MOST) -> int:
    """How many neighbours to take together so that few enough are left to be drawn."""
    return -(-len(rows) // most) or 1


def grouped(rows: Sequence[Json], most: int = MOST, *, size: int | None = None) -> list[list[Json]]:
    """Neighbouring rows in groups of one size, few enough to be drawn unless `size` is given."""
    size = size or group_size(rows, most)
    return [list(rows[start : start + size]) for start in range(0, len(rows), size)]


def changes(rows: Sequence[Json], fields: Sequence[str]) -> list[Json]:
    """The rows at which a value is another, and the last: a step line needs no others."""
    kept: list[Json] = []
    for at, row in enumerate(rows):
        is_last = at == len(rows) - 1
        if not kept or is_last or any(row[each] != kept[-1][each] for each in fields):
            kept.append(row)
    return kept
