"""How long scheduling took in a run: the file that keeps it, and its tables.

>>> from kubestage.results import timings
>>> recorded = timings.read("runs/1")           # doctest: +SKIP
>>> timings.table(recorded).records()           # doctest: +SKIP

Times that were measured differ from run to run, so they are kept in files of their own
(``timings.json``, ``timings.html``) beside those that the same seed repeats byte for byte.
"""

from __future__ import annotations

import pathlib
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.errors import InputError
from kubestage.files import reading
from kubestage.results.analysis.table import Kind, Table, columns
from kubestage.scheduler.timings import ALGORITHM, ATTEMPT, MEASURED, MODELLED, PLUGIN, POINT
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.scheduler.timings import Timings

__all__ = [
    "ABOUT", "ALGORITHM", "ATTEMPT", "FILE", "MEASURED", "MODELLED", "PAGE", "PLUGIN", "POINT",
    "RecordedTimings", "TimingRow", "beside", "encode", "of", "read", "shown", "side_by_side",
    "table",
]  # fmt: skip

ABOUT: Final = "how long scheduling took, by extension point and plugin"
"""One line about the table for help and completion."""

FILE: Final = "timings.json"
PAGE: Final = "timings.html"
_FIX: Final = "run it again with --timings, or with --profile NAME for modelled durations"
_KEYS: Final = ("profile", "part", "extension_point", "plugin", "result")
_TABLE: Final = columns(
    profile=Kind.TEXT,
    part=Kind.TEXT,
    extensionPoint=Kind.TEXT,
    plugin=Kind.TEXT,
    result=Kind.TEXT,
    count=Kind.INT,
    total=Kind.FLOAT,
    mean=Kind.FLOAT,
    p50=Kind.FLOAT,
    p90=Kind.FLOAT,
    p99=Kind.FLOAT,
    max=Kind.FLOAT,
)
_COMPARED: Final = columns(
    profile=Kind.TEXT,
    part=Kind.TEXT,
    extensionPoint=Kind.TEXT,
    plugin=Kind.TEXT,
    result=Kind.TEXT,
    run=Kind.TEXT,
    count=Kind.INT,
    mean=Kind.FLOAT,
    p50=Kind.FLOAT,
    p99=Kind.FLOAT,
    ratio=Kind.FLOAT,
)


class TimingRow(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The durations of one part, in nanoseconds.

    `part` is ``attempt``, ``algorithm``, ``extensionPoint`` or ``plugin``. What does not apply to
    a part is None: only an attempt has a `result`.
    """

    profile: str
    part: str
    extension_point: str | None = None
    plugin: str | None = None
    result: str | None = None
    count: int
    total: int
    mean: float
    p50: int
    p90: int
    p99: int
    max: int

    @property
    def key(self) -> tuple[str | None, ...]:
        """The fields that identify the row."""
        return tuple(getattr(self, each) for each in _KEYS)


class RecordedTimings(msgspec.Struct, frozen=True, kw_only=True):
    """All durations of a run, and whether they were ``measured`` or ``modelled``."""

    source: str
    unit: str = "ns"
    rows: list[TimingRow] = []


def of(timings: Timings) -> RecordedTimings:
    """What a scheduler has kept, summed up."""
    rows = [
        TimingRow(
            profile=part.profile,
            part=part.part,
            extension_point=part.extension_point or None,
            plugin=part.plugin or None,
            result=part.result or None,
            count=found.count,
            total=found.total_ns,
            mean=found.mean_ns,
            p50=found.percentile_ns(50),
            p90=found.percentile_ns(90),
            p99=found.percentile_ns(99),
            max=found.max_ns,
        )
        for part, found in timings
    ]
    return RecordedTimings(source=timings.source, rows=rows)


def encode(recorded: RecordedTimings) -> bytes:
    """The text of the file."""
    return msgspec.json.format(msgspec.json.encode(recorded), indent=2) + b"\n"


def beside(path: str | pathlib.Path) -> RecordedTimings | None:
    """The durations of the run that a path names; None if none were kept."""
    place = pathlib.Path(path)
    found = (place if place.is_dir() else place.parent) / FILE
    if not found.is_file():
        return None
    try:
        return msgspec.json.decode(reading.read(found), type=RecordedTimings)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        problem = f"is no file of timings: {error}"
        raise InputError(problem, file=str(found), fix=_FIX) from error


def read(path: str | pathlib.Path) -> RecordedTimings:
    """The durations of a run; InputError if none were kept."""
    found = beside(path)
    if found is None:
        raise InputError("no durations were kept of this run", file=str(path), fix=_FIX)
    return found


def table(recorded: RecordedTimings) -> Table:
    """A row for each part: profile, extension point and plugin; durations are in seconds."""
    rows: list[tuple[Any, ...]] = [
        (
            *each.key,
            each.count,
            *(
                value / SECOND_NS
                for value in (each.total, each.mean, each.p50, each.p90, each.p99, each.max)
            ),
        )
        for each in recorded.rows
    ]
    return Table(_TABLE, rows)


def side_by_side(names: Sequence[str], runs: Sequence[RecordedTimings]) -> Table:
    """Every part of every run, in seconds; `ratio` is of the mean to that of the first run."""
    by_key = [{row.key: row for row in each.rows} for each in runs]
    keys = dict.fromkeys(key for each in by_key for key in each)
    rows: list[tuple[Any, ...]] = []
    for key in keys:
        first = by_key[0].get(key)
        for at, (name, found) in enumerate(zip(names, by_key, strict=True)):
            row = found.get(key)
            if row is not None:
                ratio = row.mean / first.mean if at and first is not None and first.mean else None
                values = tuple(each / SECOND_NS for each in (row.mean, row.p50, row.p99))
                rows.append((*key, name, row.count, *values, ratio))
    return Table(_COMPARED, rows)


def shown(seconds: float | None) -> str:
    """A duration for people, with three digits: ``12.3us``, ``4.56ms``, ``1.20s``."""
    if seconds is None:
        return "-"
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            value = seconds / size
            return f"{value:.{max(0, 2 - (value >= 10) - (value >= 100))}f}{unit}"
    return f"{seconds * SECOND_NS:.0f}ns"
