"""Tasks and rows: what a run of a sweep is computed from, and what comes out of it."""

from __future__ import annotations

from typing import Any

import msgspec

from kubestage import lazy

with lazy.imports():
    from kubestage.sweep import frames

Scalar = str | int | float | bool | None
Number = float | int


class MeasureInfo(msgspec.Struct, frozen=True):
    """A measure that rows have. `better` is ``more``, ``less``, or None if neither is."""

    key: str
    better: str | None = None
    unit: str | None = None


class Task(msgspec.Struct, frozen=True):
    """One run to compute: its place in the design, its parameters and its seed."""

    index: int
    parameters: dict[str, Scalar]
    seed: int
    payload: Any = None
    """What the work needs beside parameters, such as a mutated Scenario."""


class Row(msgspec.Struct, frozen=True):
    """The result of one run. `key` identifies the content of everything that it depends on."""

    index: int
    key: str
    parameters: dict[str, Scalar]
    seed: int
    measures: dict[str, Number | None]
    error: str | None = None
    described: tuple[MeasureInfo, ...] = ()
    """The measures, as a worker reports them; rows that are kept do not have it."""


class Setting(msgspec.Struct, frozen=True):
    """One combination of parameters, and its rows by seed."""

    parameters: dict[str, Scalar]
    rows: tuple[Row, ...]

    def values(self, measure: str) -> dict[int, Number]:
        """The values of a measure by seed, of the runs that have one."""
        found = ((row.seed, row.measures.get(measure)) for row in self.rows)
        return {seed: value for seed, value in found if value is not None}


class Table(msgspec.Struct, frozen=True):
    """All rows of a sweep, in the order of its design."""

    axes: tuple[str, ...]
    rows: tuple[Row, ...]
    measures: dict[str, MeasureInfo]

    def settings(self) -> list[Setting]:
        """The rows of each combination of parameters, in the order of the design."""
        groups: dict[tuple[Scalar, ...], list[Row]] = {}
        for row in self.rows:
            # 1, 1.0 and True are equal in Python; as parameters they are not.
            key = tuple(str(row.parameters.get(axis)) for axis in self.axes)
            groups.setdefault(key, []).append(row)
        return [Setting(rows[0].parameters, tuple(rows)) for rows in groups.values()]

    @property
    def errors(self) -> list[Row]:
        """The rows of runs that failed."""
        return [row for row in self.rows if row.error is not None]

    def to_pandas(self) -> Any:
        """A pandas DataFrame with a column for each parameter and measure; needs pandas."""
        return frames.to_pandas(self)

    def to_polars(self) -> Any:
        """The same for polars; needs polars."""
        return frames.to_polars(self)

    def to_arrow(self) -> Any:
        """The same as an Arrow table; needs the extra ``parquet``."""
        return frames.to_arrow(self)
