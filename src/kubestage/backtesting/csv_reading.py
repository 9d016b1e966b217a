"""Metrics as CSV: the header says how they are laid out.

======================== ==================================================================
``time,total``           one metric, summed over all pods
``time,cpu,memory``      several metrics by their names, each summed over all pods
``time,pod,value``       one metric, a row for each pod
``time,pod,cpu,memory``  several metrics, a row for each pod; with a column ``container``,
                         for each container
``time,web-1,web-2``     one metric, a column for each pod
======================== ==================================================================

Times are seconds, or moments such as ``2026-01-31T08:00:00Z``; values are numbers or quantities
(``0.25``, ``250m``, ``1Gi``). What was not measured is an empty cell.
"""

from __future__ import annotations

import csv
import io
import math
from typing import TYPE_CHECKING, Final, NoReturn

import msgspec

from kubestage.backtesting.series import UNNAMED, MetricFrame, MetricSample, MetricSeries
from kubestage.errors import InputError
from kubestage.objects import quantity, timestamps
from kubestage.sim.clock import EPOCH_2026_NS
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

TIME: Final = "time"
POD: Final = "pod"
CONTAINER: Final = "container"
TOTAL: Final = "total"
VALUE: Final = "value"
_HEADERS: Final = "time,total or time,pod,value or time,POD1,POD2 ..."
# Seconds above this are counted from 1970; below, from the beginning of whatever was measured.
_CALENDAR: Final = 1_000_000_000
_RESOURCES: Final = ("cpu", "memory")
_LONGEST_NS: Final = 366 * 24 * 3600 * SECOND_NS
# The year 9999: whatever is later is no date.
_LAST: Final = 253_000_000_000


class _Layout(msgspec.Struct, frozen=True):
    """Where things are: whether rows are of pods, and the metric or the pod of each column."""

    names: tuple[str, ...]
    has_pods: bool
    has_containers: bool
    pods_are_columns: bool


class _Row(msgspec.Struct, frozen=True):
    line: int
    at_ns: int
    pod: str
    container: str
    values: dict[str, float]


def read(text: str, file: str, metrics: Collection[str] = ()) -> MetricSeries:
    """The series of a CSV; `metrics` are names that columns may have besides cpu and memory."""
    reader = csv.reader(io.StringIO(text), skipinitialspace=True)
    try:
        lines = [(reader.line_num, [cell.strip() for cell in row]) for row in reader if any(row)]
    except csv.Error as error:
        _refuse(file, reader.line_num, f"not valid CSV: {error}", "see the line and its quotes")
    if not lines:
        _refuse(file, 1, "is empty", f"begin with a header: {_HEADERS}")
    (number, header), *rest = lines
    layout = _layout(header, {*_RESOURCES, *metrics}, file, number)
    if not rest:
        _refuse(file, number, "has a header and no rows", "add a row for each moment")
    rows = [_row(cells, layout, file, line) for line, cells in rest]
    frames = list(_frames(rows, layout, file))
    if frames[-1].at_ns - frames[0].at_ns > _LONGEST_NS:
        problem = "is more than a year after the first row"
        _refuse(file, rows[-1].line, problem, "write seconds, not milliseconds, or fewer rows")
    return MetricSeries(frames)


def _layout(header: Sequence[str], metrics: Collection[str], file: str, line: int) -> _Layout:
    first, *names = header
    if first.lower() != TIME:
        _refuse(file, line, f'the first column is "{first}", not time', f"write {_HEADERS}")
    if not names:
        _refuse(file, line, "there is no column of values", f"write {_HEADERS}")
    for name in names:
        if not name or names.count(name) > 1:
            problem = f'there are two columns "{name}"' if name else "a column has no name"
            _refuse(file, line, problem, "give each column a name of its own")
    if POD in names:
        return _of_rows(names, metrics, file, line)
    if CONTAINER in names or VALUE in names:
        problem = "values of single rows need to say of which pod they are"
        _refuse(file, line, problem, "write time,pod,value")
    known = [name for name in names if name == TOTAL or name in metrics]
    if known and len(known) < len(names):
        odd = next(name for name in names if name not in known)
        fix = f"metrics are {', '.join(sorted(metrics))}; pods cannot stand beside them"
        _refuse(file, line, f'"{odd}" is no metric of these autoscalers', fix)
    if TOTAL in names and len(names) > 1:
        _refuse(file, line, "there are other columns beside total", "name each by its metric")
    if known:
        return _Layout(
            tuple(UNNAMED if name == TOTAL else name for name in names), False, False, False
        )
    return _Layout(tuple(names), False, False, True)


def _of_rows(names: Sequence[str], metrics: Collection[str], file: str, line: int) -> _Layout:
    if names[0] != POD:
        _refuse(file, line, "the column pod is not the second", "write time,pod,value")
    has_containers = len(names) > 1 and names[1] == CONTAINER
    values = names[2:] if has_containers else names[1:]
    if not values:
        _refuse(file, line, "there is no column of values", "write time,pod,value")
    for name in values:
        if name not in (VALUE, *metrics):
            fix = f"write value, or one of {', '.join(sorted(metrics))}"
            _refuse(file, line, f'"{name}" is no metric of these autoscalers', fix)
    if VALUE in values and len(values) > 1:
        _refuse(file, line, "there are other columns beside value", "name each by its metric")
    titles = tuple(UNNAMED if name == VALUE else name for name in values)
    return _Layout(titles, True, has_containers, False)


def _row(cells: Sequence[str], layout: _Layout, file: str, line: int) -> _Row:
    width = 1 + layout.has_pods + layout.has_containers + len(layout.names)
    if len(cells) != width:
        problem = f"has {len(cells)} cell{'' if len(cells) == 1 else 's'}, and the header {width}"
        _refuse(file, line, problem, "leave a cell empty if nothing was measured")
    at_ns = _time_ns(cells[0], file, line)
    pod = cells[1] if layout.has_pods else ""
    if layout.has_pods and not pod:
        _refuse(file, line, "the pod has no name", "write time,pod,value")
    container = cells[2] if layout.has_containers else ""
    found = cells[width - len(layout.names) :]
    values = {
        name: _value(cell, name, file, line)
        for name, cell in zip(layout.names, found, strict=True)
        if cell
    }
    return _Row(line, at_ns, pod, container, values)


def _frames(rows: Sequence[_Row], layout: _Layout, file: str) -> Iterator[MetricFrame]:
    together: list[_Row] = []
    for row in rows:
        if together and row.at_ns < together[-1].at_ns:
            _refuse(file, row.line, "goes back in time", "sort the rows by their times")
        if together and row.at_ns > together[-1].at_ns:
            yield _frame(together, layout)
            together = []
        for other in together:
            if (other.pod, other.container) == (row.pod, row.container):
                problem = f"has the time of line {other.line}"
                _refuse(file, row.line, problem, "keep one row for each moment")
        together.append(row)
    yield _frame(together, layout)


def _frame(rows: Sequence[_Row], layout: _Layout) -> MetricFrame:
    at_ns = rows[0].at_ns
    if layout.pods_are_columns:
        pods = rows[0].values
        samples = tuple(MetricSample(pod, "", {UNNAMED: value}) for pod, value in pods.items())
        return MetricFrame(at_ns, {UNNAMED: sum(pods.values())} if pods else {}, samples)
    if not layout.has_pods:
        return MetricFrame(at_ns, dict(rows[0].values))
    found = {
        name: [row.values[name] for row in rows if name in row.values] for name in layout.names
    }
    totals = {name: sum(values) for name, values in found.items() if values}
    return MetricFrame(
        at_ns, totals, tuple(MetricSample(row.pod, row.container, row.values) for row in rows)
    )


def _time_ns(text: str, file: str, line: int) -> int:
    try:
        seconds = float(text)
    except ValueError:
        try:
            return timestamps.parse_time(text)
        except ValueError:
            fix = "write seconds, or a moment such as 2026-01-31T08:00:00Z"
            _refuse(file, line, f'"{text}" is no time', fix)
    if not math.isfinite(seconds) or seconds < 0:
        _refuse(file, line, f'"{text}" is no time', "write seconds from 0 on")
    if seconds > _LAST:
        _refuse(file, line, f'"{text}" is too far away', "write seconds, not milliseconds")
    begin_ns = 0 if seconds >= _CALENDAR else EPOCH_2026_NS
    return begin_ns + round(seconds * SECOND_NS)


def _value(text: str, name: str, file: str, line: int) -> float:
    try:
        value = float(text)
    except ValueError:
        try:
            parsed = quantity.parse(text)
        except ValueError:
            what = f' of "{name}"' if name else ""
            fix = "write a number or a quantity: 0.25, 250m, 1Gi"
            _refuse(file, line, f'"{text}"{what} is no amount', fix)
        value = parsed.unscaled * 10.0**parsed.scale
    if not math.isfinite(value) or value < 0:
        what = f'"{text}"{f" of {name!r}" if name else ""} is below zero'
        if not math.isfinite(value):
            what = f'"{text}" is no amount'
        _refuse(file, line, what, "leave the cell empty if nothing was measured")
    return value


def _refuse(file: str, line: int, problem: str, fix: str) -> NoReturn:
    raise InputError(problem, file=file, line=line, fix=fix)
