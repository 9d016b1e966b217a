"""Evaluates a query of series: at one moment, or at several."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from kubestage.promql import parser, query_errors, types
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
    """The result of a query at a moment, in nanoseconds since 1970.

    An error in it is a `QueryError`.
    """
    node = parser.parse(text)
    if types.value_type(node) == "matrix":
        raise query_errors.error_at(
            text,
            node.at,
            "the result must not be a range vector",
            "put a function over time around it",
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
    """The result at several times (milliseconds since 1970), a scalar as one series."""
    value = _value(store, text, times, settings)
    if isinstance(value, Frame):
        return value
    if isinstance(value, str):
        raise query_errors.error_at(text, 0, "the result must not be a string")
    return Frame([()], value.reshape(1, -1), np.ones((1, len(times)), np.bool_))


def _value(store: Selectable, text: str, times: Times, settings: Settings) -> Value:
    evaluation = Evaluation(store, times, int(times[0]), int(times[-1]), settings)
    try:
        return evaluation.value(parser.parse(text))
    except query_errors.QueryError as error:
        error.path = error.path or "1:1"
        raise
