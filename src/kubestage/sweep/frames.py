"""A table of rows as columns: for pandas, polars, Arrow and Parquet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.errors import InputError

if TYPE_CHECKING:
    import pathlib

    from kubestage.sweep.rows import Table


def columns(table: Table) -> dict[str, list[Any]]:
    """A column for each parameter and measure, with the place, the seed, the error and the key."""
    rows = table.rows
    found: dict[str, list[Any]] = {
        "index": [row.index for row in rows],
        "seed": [row.seed for row in rows],
    }
    for axis in table.axes:
        title = f"parameter.{axis}" if axis in found or axis in table.measures else axis
        found[title] = _alike([row.parameters.get(axis) for row in rows])
    for measure in table.measures:
        title = f"measure.{measure}" if measure in found else measure
        found[title] = _alike([row.measures.get(measure) for row in rows])
    found["error"] = [row.error for row in rows]
    found["key"] = [row.key for row in rows]
    return found


def _alike(values: list[Any]) -> list[Any]:
    """Values of one type: numbers that are not all whole are all fractions, others are texts."""
    types = {type(value) for value in values if value is not None}
    if len(types) < 2:
        return values
    make: Any = float if types == {int, float} else str
    return [None if value is None else make(value) for value in values]


def to_pandas(table: Table) -> Any:
    """A pandas DataFrame."""
    try:
        import pandas as pd  # noqa: PLC0415 - an extra
    except ImportError:
        raise _missing("pandas", "notebook") from None
    return pd.DataFrame(columns(table))


def to_polars(table: Table) -> Any:
    """A polars DataFrame."""
    try:
        import polars as pl  # type: ignore[import-not-found]  # noqa: PLC0415 - an extra
    except ImportError:
        raise InputError("polars is not installed", fix="pip install polars") from None
    return pl.DataFrame(columns(table), strict=False)


def to_arrow(table: Table) -> Any:
    """An Arrow table."""
    try:
        import pyarrow as pa  # type: ignore[import-untyped]  # noqa: PLC0415 - an extra
    except ImportError:
        raise _missing("pyarrow", "parquet") from None
    kinds = {int: pa.int64(), float: pa.float64(), bool: pa.bool_(), str: pa.string()}
    found = columns(table)
    types = {
        name: next((kinds[type(each)] for each in values if each is not None), None)
        for name, values in found.items()
    }
    # Nothing is known of a column without values: parameters and measures are mostly numbers.
    texts = ("error", "key")
    schema = pa.schema(
        [
            (name, kind or (pa.string() if name in texts else pa.float64()))
            for name, kind in types.items()
        ]
    )
    return pa.table(found, schema=schema)


def write_parquet(table: Table, path: pathlib.Path) -> None:
    """A Parquet file; the same rows give the same bytes."""
    from kubestage.files import writing  # noqa: PLC0415 - most tables are not written

    arrow = to_arrow(table)
    from pyarrow import parquet  # noqa: PLC0415 - an extra

    with writing.replaced(path) as beside, beside.open("wb") as out:
        parquet.write_table(arrow, out)


def _missing(library: str, extra: str) -> InputError:
    return InputError(f"{library} is not installed", fix=f"pip install 'kubestage[{extra}]'")
