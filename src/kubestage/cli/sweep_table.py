"""The rows of a sweep as text: the mean of each measure for each setting."""

from __future__ import annotations

import csv
import difflib
import io
import statistics
from typing import TYPE_CHECKING, Any

import msgspec

from kubestage.cli import printing
from kubestage.errors import InputError
from kubestage.objects.tables import text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.sweep.rows import Scalar, Setting, Table


def formatted(table: Table, output: str, measures: Sequence[str] = ()) -> str:
    """A sweep in one of the formats; those for programs have every row and measure."""
    if output == "json":
        return printing.as_json(_data(table))
    if output == "yaml":
        return printing.as_yaml(_data(table))
    if output == "csv":
        return _csv(table)
    rows = _rows(table, _chosen(table, measures))
    if output == "markdown":
        lines = [rows[0], ["---"] * len(rows[0]), *rows[1:]]
        return "".join(f"| {' | '.join(each)} |\n" for each in lines)
    return "".join(f"{line}\n" for line in text.align([tuple(each) for each in rows]))


def _chosen(table: Table, names: Sequence[str]) -> list[str]:
    """The measures of these names, or all that are not the same in all rows."""
    found = [name.strip() for each in names for name in each.split(",") if name.strip()]
    if not found:
        return [each for each in table.measures if _varies(table, each)]
    known = list(table.measures)
    for name in found:
        if name not in known and known:
            near = difflib.get_close_matches(name, known, n=1)
            fix = f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}"
            raise InputError(f'there is no measure "{name}"', path="--measures", fix=fix)
    return found


def _rows(table: Table, measures: Sequence[str]) -> list[list[str]]:
    """A heading, and a line for each setting."""
    found = [[*table.axes, "RUNS", "FAILED", *measures]]
    for setting in table.settings():
        failed = sum(row.error is not None for row in setting.rows)
        values = [_shown(setting.parameters.get(axis)) for axis in table.axes]
        means = [_mean(setting, measure) for measure in measures]
        found.append([*values, str(len(setting.rows)), str(failed), *means])
    return found


def _varies(table: Table, measure: str) -> bool:
    """Whether a measure is not the same in all rows: else it says nothing about parameters."""
    values = {row.measures.get(measure) for row in table.rows if row.error is None}
    return len(values) > 1 or len(table.rows) == 1


def _mean(setting: Setting, measure: str) -> str:
    values = setting.values(measure)
    return f"{statistics.fmean(values.values()):.6g}" if values else "-"


def _shown(value: Scalar) -> str:
    return str(value).lower() if isinstance(value, bool) or value is None else str(value)


def _data(table: Table) -> dict[str, Any]:
    rows = [
        {
            "index": row.index,
            "seed": row.seed,
            "parameters": row.parameters,
            "measures": row.measures,
            "error": row.error,
        }
        for row in table.rows
    ]
    infos = [msgspec.to_builtins(each) for each in table.measures.values()]
    return {"axes": list(table.axes), "measures": infos, "rows": rows}


def _csv(table: Table) -> str:
    from kubestage.sweep import frames

    columns = frames.columns(table)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return out.getvalue()
