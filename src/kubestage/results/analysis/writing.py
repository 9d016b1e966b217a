"""Tables as CSV, JSON and Parquet."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

import msgspec

from kubestage.errors import InputError
from kubestage.files import writing
from kubestage.results.analysis.overview import summary
from kubestage.results.analysis.table import Kind

if TYPE_CHECKING:
    import pathlib

    from kubestage.results.analysis.digest import Run
    from kubestage.results.analysis.table import Table


def as_csv(table: Table) -> str:
    """A line of names and a line per row; what is missing is empty, numbers are in full."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table.names)
    writer.writerows(table.rows)
    return text.getvalue()


def as_json(table: Table) -> str:
    """A list with an object per row."""
    return _json(list(table.records()))


def summary_json(run: Run) -> str:
    """The summary as an object, its resources by name."""
    return _json(summary(run))


def _json(value: Any) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode() + "\n"


def write_parquet(table: Table, path: str | pathlib.Path) -> None:
    """A Parquet file with the table's columns and types; needs the extra ``parquet``."""
    try:
        # An extra, slow to load, and without types.
        import pyarrow as pa  # type: ignore[import-untyped]  # noqa: PLC0415
        from pyarrow import parquet  # noqa: PLC0415
    except ImportError:
        raise InputError(
            "Parquet needs pyarrow, which is not installed",
            fix="pip install 'kubestage[parquet]'",
        ) from None
    types = {
        Kind.INT: pa.int64(),
        Kind.FLOAT: pa.float64(),
        Kind.TEXT: pa.string(),
    }
    schema = pa.schema([(column.name, types[column.kind]) for column in table.columns])
    values = {name: table.column(name) for name in table.names}
    try:
        written = pa.table(values, schema=schema)
    except OverflowError:
        raise InputError(
            "an amount is too large for Parquet's integers", fix="write csv or json"
        ) from None
    with writing.replaced(path) as beside, beside.open("wb") as out:
        parquet.write_table(written, out)
