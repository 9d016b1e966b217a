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
    """The label of a mark, and of those of its kind that follow closely.

    It has a level above the plot, and may end at its line instead of beginning there.
    """

    row: Json
    text: str
    level: int
    is_left: bool


def placed(rows: Sequence[Json], seconds: float) -> list[MarkLabel]:
    """Labels that neither overlap nor are crossed by the line of another; some have no room.

    `seconds` is the length of the axis. Marks of a kind that are close together share the label of
    the first. Labels go to the right of their lines. The last moments have the lowest ones, so that
    lines end below the labels of earlier moments.
    """
    taken: list[list[_Span]] = [[] for _ in range(_LEVELS)]
    found = []
    scale = _PLOT_PIXELS / (seconds or 1)
    for crowd in sorted(_crowds(rows, scale), key=lambda each: -float(each[0]["atSeconds"])):
        text = _text(crowd)
        at = scale * crowd[0]["atSeconds"]
        width = _width(text)
        is_left = at + width > _PLOT_PIXELS
        span = _Span(at - width, at) if is_left else _Span(at, at + width)
        level = _level(taken, span, at)
        if level is not None:
            taken[level].append(span)
            for below in taken[:level]:
                below.append(_Span(at, at))
            found.append(MarkLabel(crowd[0], text, level, is_left))
    return found


def _crowds(rows: Sequence[Json], scale: float) -> list[list[Json]]:
    """Marks of a kind from one to the next that is further away than its label is wide."""
    last: dict[str, list[Json]] = {}
    found = []
    for row in sorted(rows, key=lambda each: float(each["atSeconds"])):
        crowd = last.get(row["mark"])
        if crowd and scale * (row["atSeconds"] - crowd[-1]["atSeconds"]) < _width(row["label"]):
            crowd.append(row)
        else:
            last[row["mark"]] = crowd = [row]
            found.append(crowd)
    return found


def _text(crowd: Sequence[Json]) -> str:
    number = sum(row["number"] for row in crowd)
    labels = {str(row["label"]) for row in crowd}
    label = labels.pop() if len(labels) == 1 else str(crowd[0]["mark"])
    return f"{number:,}× {label}" if number > 1 else label


def _width(text: str) -> float:
    return _CHARACTER_PIXELS * len(text) + _GAP_PIXELS


def _level(taken: Sequence[Sequence[_Span]], span: _Span, at: float) -> int | None:
    """The lowest level that has room; None if none has, or if the line would cross a label."""
    for level, spans in enumerate(taken):
        if not any(each.overlaps(span) for each in spans):
            return level
        if any(each.overlaps(_Span(at, at)) for each in spans):
            return None
    return None
