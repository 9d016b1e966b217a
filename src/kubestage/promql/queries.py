"""Asks a question of series: at one moment, or at several."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from kubestage.promql import mistakes, parser, types
from kubestage.promql.evaluation import VERSION_3, Evaluation
from kubestage.promql.frames import Frame
from kubestage.units import MILLISECOND_NS

if TYPE_CHECKING:
    from kubestage.promql.evaluation import Selectable, Settings, Value
    from kubestage.promql.frames import Times
    from kubestage.promql.series import Labels


class Point(msgspec.Struct, frozen=True):
    """A series' value at the moment of a query."""

    labels: Labels
    value: float


Vector = tuple[Point, ...]
Scalar = float
Answer = Vector | Scalar | str


def evaluate(store: Selectable, text: str, at_ns: int, *, settings: Settings = VERSION_3) -> Answer:
    """What a query answers at a moment, in nanoseconds since 1970.

    A mistake in it is a `QueryError`.
    """
    node = parser.parse(text)
    if types.of(node) == "matrix":
        raise mistakes.at(
            text, node.at, "a range vector is no answer", "put a function over time around it"
        )
    at_ms = at_ns // MILLISECOND_NS
    value = _value(store, text, np.array([at_ms], np.int64), settings)
    if isinstance(value, str):
        return value
    if not isinstance(value, Frame):
        return float(value[0])
    return tuple(
        Point(labels, float(row[0]))
        for labels, row, present in zip(value.labels, value.values, value.present, strict=True)
        if present[0]
    )


def evaluate_range(
    store: Selectable, text: str, times: Times, *, settings: Settings = VERSION_3
) -> Frame:
    """What a query answers at several times (milliseconds since 1970), a scalar as one series."""
    value = _value(store, text, times, settings)
    if isinstance(value, Frame):
        return value
    if isinstance(value, str):
        raise mistakes.at(text, 0, "a string is no series")
    return Frame([()], value.reshape(1, -1), np.ones((1, len(times)), np.bool_))


def _value(store: Selectable, text: str, times: Times, settings: Settings) -> Value:
    evaluation = Evaluation(store, times, int(times[0]), int(times[-1]), settings)
    try:
        return evaluation.value(parser.parse(text))
    except mistakes.QueryError as error:
        if error.path is not None:
            raise
        raise mistakes.at(text, 0, error.problem) from error
