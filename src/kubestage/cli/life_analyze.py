"""The tables and the summary of a living run as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.cli import life_summary
from kubestage.errors import InputError
from kubestage.objects.tables import text as tables
from kubestage.results import analysis
from kubestage.results.life import headline, wording
from kubestage.results.life.life import Life

if TYPE_CHECKING:
    from kubestage.results.analysis import Table
    from kubestage.runs.analyze import AnalyzedTable

_ROWS: Final = 40


def text(found: AnalyzedTable, life: Life, output: str) -> str:
    """A table or the summary in one of the formats."""
    check_format(found, output)
    if found.name == "summary":
        return _summary(life, output)
    if output == "csv":
        return analysis.as_csv(found.data)
    if output == "json":
        return analysis.as_json(found.data)
    return _rows(found.data, wide=output == "wide")


def check_format(found: AnalyzedTable, output: str) -> None:
    """Refuse a format of tables for the summary of a living run."""
    is_summary = isinstance(found.source, Life) and found.name == "summary"
    if is_summary and output in ("csv", "parquet"):
        raise InputError("is no table", path=f"-o {output}", fix="write -o json, or name a table")


def _summary(life: Life, output: str) -> str:
    if output == "json":
        return msgspec.json.format(msgspec.json.encode(life.summary), indent=2).decode() + "\n"
    head = f"A living cluster, {wording.moment(life.seconds)}, seed {life.seed}\n\n"
    news = "".join(f"{line}\n" for line in headline.headline(life))
    tables = life_summary.as_text(life.summary, wide=output == "wide")
    return head + (f"{news}\n" if news else "") + tables


def _rows(table: Table, *, wide: bool) -> str:
    rows = table.rows if wide else table.rows[-_ROWS:]
    cells = [tuple(name.upper() for name in table.names)]
    cells += [tuple(_shown(value) for value in row) for row in rows]
    lines = [line.rstrip() for line in tables.align(cells)]
    if len(rows) < len(table.rows):
        lines.append(f"({len(table.rows) - len(rows):,} rows before these: -o wide shows all)")
    return "".join(f"{line}\n" for line in lines)


def _shown(value: Any) -> str:
    if value is None or value == "":
        return "-"
    return f"{value:,.6g}" if isinstance(value, float) else str(value)
