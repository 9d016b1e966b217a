"""Where the labels of marks are: above the plot, side by side where they have room, else higher."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.aliases import Json

LEVEL_PIXELS: Final = 12
"""The height of a row of labels."""

_LEVELS: Final = 6
# A chart on a page is no narrower than this; where it is wider, there is more room between labels.
_PLOT_PIXELS: Final = 450
_CHARACTER_PIXELS: Final = 5.4
_GAP_PIXELS: Final = 8


class _Span(NamedTuple):
    """From where to where a label is, or the place of a line, in pixels."""

    begin: float
    end: float

    def overlaps(self, other: _Span) -> bool:
        """Whether they have more in common than an end."""
        return self.begin < other.end and other.begin < self.end


class MarkLabel(NamedTuple):
    """The label of one mark: its level above the plot, and whether it ends at its line."""

    row: Json
    text: str
    level: int
    is_left: bool


def placed(rows: Sequence[Json], seconds: float) -> list[MarkLabel]:
    """Labels that neither overlap nor are crossed by the line of another; some have no room.

    `seconds` is the length of the axis. Labels go to the right of their lines. The last moments
    have the lowest ones, so that lines end below the labels of earlier moments.
    """
    taken: list[list[_Span]] = [[] for _ in range(_LEVELS)]
    found = []
    for row in sorted(rows, key=lambda each: -float(each["atSeconds"])):
        text = f"{row['number']:,}× {row['label']}" if row["number"] > 1 else str(row["label"])
        at = _PLOT_PIXELS * row["atSeconds"] / (seconds or 1)
        width = _CHARACTER_PIXELS * len(text) + _GAP_PIXELS
        is_left = at + width > _PLOT_PIXELS
        span = _Span(at - width, at) if is_left else _Span(at, at + width)
        level = _level(taken, span, at)
        if level is not None:
            taken[level].append(span)
            for below in taken[:level]:
                below.append(_Span(at, at))
            found.append(MarkLabel(row, text, level, is_left))
    return found


def _level(taken: Sequence[Sequence[_Span]], span: _Span, at: float) -> int | None:
    """The lowest level that has room; None if none has, or if the line would cross a label."""
    for level, spans in enumerate(taken):
        if not any(each.overlaps(span) for each in spans):
            return level
        if any(each.overlaps(_Span(at, at)) for each in spans):
            return None
    return None
