"""Evaluates a query's tree over series, at several times at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

import msgspec
import numpy as np

from kubestage.promql import (
    aggregation,
    binary,
    frames,
    functions,
    nodes,
    over_time,
    rates,
    special,
    types,
)
from kubestage.promql.frames import Frame
from kubestage.promql.limits import Budget
from kubestage.promql.series import is_stale
from kubestage.promql.windows import Window

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kubestage.promql.frames import Flags, Floats, Times
    from kubestage.promql.matchers import Matcher
    from kubestage.promql.nodes import Node, When
    from kubestage.promql.series import Labels, Series

    Value = Frame | Floats | str


class Settings(msgspec.Struct, frozen=True):
    """How a Prometheus is set up.

    `lookback_ms` is how old the newest sample of a series may be, `step_ms` the step of subqueries
    that do not name one. With `is_closed`, a sample just at the beginning of a range is in it, as
    it was before version 3.
    """

    lookback_ms: int = 300_000
    step_ms: int = 60_000
    is_closed: bool = False


VERSION_3: Final = Settings()
VERSION_2: Final = Settings(is_closed=True)


class Selectable(Protocol):
    """Where series are found by their labels."""

    def select(self, matchers: Iterable[Matcher]) -> list[Series]:
        """The series that all matchers accept, by their labels."""


class Evaluation:
    """One query at its times; `start_ms` and `end_ms` are what ``@ start()`` means."""

    def __init__(
        self,
        store: Selectable,
        times: Times,
        start_ms: int,
        end_ms: int,
        settings: Settings,
        budget: Budget | None = None,
    ) -> None:
        self._store = store
        self.times = times
        self._start_ms = start_ms
        self._end_ms = end_ms
        self._settings = settings
        self._budget = budget or Budget()
        # Times are whole milliseconds, so a closed range is an open one that begins earlier.
        self._edge_ms = 1 if settings.is_closed else 0

    @property
    def width(self) -> int:
        """How many times there are."""
        return len(self.times)

    def value(self, node: Node) -> Value:
        """The value of an expression: series, a number for each time, or a string."""
        self._budget.hold(self.width)
        value = self._value(node)
        if isinstance(value, Frame):
            self._budget.hold(value.values.size)
        return value

    def _value(self, node: Node) -> Value:
        if isinstance(node, nodes.Number):
            return np.full(self.width, node.value)
        if isinstance(node, nodes.Text):
            return node.value
        if isinstance(node, nodes.Group):
            return self.value(node.inner)
        if isinstance(node, nodes.Selector):
            return self.selected(node)
        if isinstance(node, nodes.Negation):
            inner = self.value(node.inner)
            return inner.with_values(-inner.values) if isinstance(inner, Frame) else -_floats(inner)
        if isinstance(node, nodes.Binary):
            left, right = self.value(node.left), self.value(node.right)
            assert not isinstance(left, str)
            assert not isinstance(right, str)
            return binary.combine(node, left, right)
        if isinstance(node, nodes.Aggregation):
            return self._aggregated(node)
        assert isinstance(node, nodes.Call), "ranges only stand in calls"
        return self._called(node)

    def vector(self, node: Node) -> Frame:
        """The value of an expression that is a vector."""
        value = self.value(node)
        assert isinstance(value, Frame)
        return value

    def scalar(self, node: Node) -> Floats:
        """The value of an expression that is a scalar."""
        return _floats(self.value(node))

    def text(self, node: Node) -> str:
        """The value of an expression that is a string."""
        value = self.value(node)
        assert isinstance(value, str)
        return value

    # Series.

    def _moved(self, when: When) -> Times:
        """The times at which an expression is evaluated, after ``offset`` and ``@``."""
        times = self.times
        if when.fixed_ms is not None:
            fixed = {"start": self._start_ms, "end": self._end_ms}.get(
                str(when.fixed_ms), when.fixed_ms
            )
            times = np.full(self.width, fixed, np.int64)
        return times - when.offset_ms

    def selected(self, node: nodes.Selector, *, is_time: bool = False) -> Frame:
        """The newest sample of each series, or when that was taken."""
        moments = self._moved(node.when)
        oldest_ms = self._settings.lookback_ms + self._edge_ms
        rows: list[tuple[Labels, Floats, Flags]] = []
        for series in self._store.select(node.matchers):
            times, values = series.samples()
            if not len(times):
                continue
            self._budget.hold(self.width)
            found = np.searchsorted(times, moments, "right") - 1
            newest = np.maximum(found, 0)
            present = (found >= 0) & (times[newest] > moments - oldest_ms)
            picked = values[newest]
            present &= ~is_stale(picked)
            rows.append((series.labels, times[newest] / 1000 if is_time else picked, present))
        return Frame.of_rows(rows, self.width)

    def _windows(self, node: Node) -> Iterator[Window]:
        """The samples over a time of each series."""
        while isinstance(node, nodes.Group):
            node = node.inner
        if isinstance(node, nodes.Range):
            ends = self._moved(node.selector.when)
            for series in self._store.select(node.selector.matchers):
                times, values = series.samples()
                stale = is_stale(values)
                if stale.any():
                    times, values = times[~stale], values[~stale]
                yield Window(series.labels, times, values, ends, node.range_ms, self._edge_ms)
            return
        assert isinstance(node, nodes.Subquery), "nothing else is a range"
        ends = self._moved(node.when)
        grid, frame = self._subquery(node, ends)
        for labels, values, present in zip(frame.labels, frame.values, frame.present, strict=True):
            yield Window(labels, grid[present], values[present], ends, node.range_ms, self._edge_ms)

    def _subquery(self, node: nodes.Subquery, ends: Times) -> tuple[Times, Frame]:
        """An expression at all multiples of the step that any window needs."""
        step_ms = node.step_ms or self._settings.step_ms
        first = int(ends.min()) - node.range_ms - self._edge_ms
        begin = (first // step_ms + 1) * step_ms
        self._budget.hold(max(0, int(ends.max()) - begin) // step_ms)
        grid = np.arange(begin, int(ends.max()) + 1, step_ms, dtype=np.int64)
        if not len(grid):
            return grid, Frame.empty(0)
        inner = Evaluation(
            self._store, grid, self._start_ms, self._end_ms, self._settings, self._budget
        )
        value = inner.value(node.inner)
        assert isinstance(value, Frame)
        return grid, value

    # Calls.

    def _aggregated(self, node: nodes.Aggregation) -> Frame:
        parameter = None if node.parameter is None else self.value(node.parameter)
        assert not isinstance(parameter, Frame)
        return aggregation.aggregate(node, self.vector(node.inner), parameter)

    def _called(self, call: nodes.Call) -> Value:
        name, arguments = call.function, call.arguments
        if any(types.value_type(each) == "matrix" for each in arguments):
            return self._over_time(call)
        if name in functions.MATH:
            frame = self.vector(arguments[0])
            with np.errstate(all="ignore"):
                return frame.with_values(functions.MATH[name](frame.values))
        return special.call(self, name, arguments)

    def _over_time(self, call: nodes.Call) -> Frame:
        matrix = next(each for each in call.arguments if types.value_type(each) == "matrix")
        parameters = [self.scalar(each) for each in call.arguments if each is not matrix]
        if call.function == "absent_over_time":
            return self._absent_over_time(matrix)
        if call.function in over_time.RATES and isinstance(matrix, nodes.Range):
            found = self._rates(call.function, matrix)
            return frames.merged(found.labels, found.values, found.present)
        is_named = call.function in over_time.KEEP_NAME
        rows = []
        for window in self._windows(matrix):
            self._budget.hold(self.width)
            self._budget.read(window.samples_read())
            values, present = over_time.apply(call.function, window, parameters, self.times)
            labels = window.labels if is_named else frames.without_name(window.labels)
            rows.append((labels, values, present))
        found = Frame.of_rows(rows, self.width)
        return frames.merged(found.labels, found.values, found.present)

    def _rates(self, function: str, node: nodes.Range) -> Frame:
        found = self._store.select(node.selector.matchers)
        ends_ms = self._moved(node.selector.when)
        return rates.of_series(function, found, ends_ms, node.range_ms, self._edge_ms, self._budget)

    def _absent_over_time(self, matrix: Node) -> Frame:
        rows = [
            (window.labels, np.ones(self.width), window.counts > 0)
            for window in self._windows(matrix)
        ]
        return functions.absent(Frame.of_rows(rows, self.width), special.matchers(matrix))


def _floats(value: Value) -> Floats:
    assert isinstance(value, np.ndarray)
    return value
