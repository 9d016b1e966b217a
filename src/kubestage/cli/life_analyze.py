"""``kubestage analyze`` of a living run: its summary, its tables, its charts."""

from __future__ import annotations

import pathlib
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.cli import completion, life_summary
from kubestage.errors import InputError
from kubestage.objects.tables import text
from kubestage.results import analysis, run_directory, timings
from kubestage.results.life import tables, wording

if TYPE_CHECKING:
    from altair.typing import ChartType

    from kubestage.results.analysis import Table
    from kubestage.results.life.life import Life

WHATS: Final = ("summary", *tables.COLUMNS, "timings")
_ROWS: Final = 40


def written(run: str, what: str, output: str) -> str | Table:
    """What was asked for, as text; a table if Parquet is to be made of it."""
    completion.check_choice(what, WHATS, "WHAT")
    life, _ = run_directory.open_life(run)
    if what == "summary":
        return _summary(life, output)
    table = life.tables.get(what)
    if table is None:
        raise InputError(
            f"nothing was recorded of {what}",
            file=run,
            fix=f"there are {', '.join(('summary', *life.tables))}",
        )
    if output == "parquet":
        return table
    if output == "csv":
        return analysis.as_csv(table)
    return analysis.as_json(table) if output == "json" else _text(table, wide=output == "wide")


def charts(run: str) -> dict[str, ChartType]:
    """All charts of a living run."""
    from kubestage.results import charts as drawing

    drawn = drawing.of_life(run_directory.open_life(run)[0])
    recorded = timings.beside(run)
    return drawn if recorded is None else {**drawn, "timings": drawing.timings(recorded)}


def _summary(life: Life, output: str) -> str:
    if output == "json":
        return msgspec.json.format(msgspec.json.encode(life.summary), indent=2).decode() + "\n"
    if output in ("csv", "parquet"):
        raise InputError("is no table", path=f"-o {output}", fix="write -o json, or name a table")
    head = f"A living cluster, {wording.moment(life.seconds)}, seed {life.seed}\n\n"
    return head + life_summary.as_text(life.summary, wide=output == "wide")


def _text(table: Table, *, wide: bool) -> str:
    rows = table.rows if wide else table.rows[-_ROWS:]
    cells = [tuple(name.upper() for name in table.names)]
    cells += [tuple(_shown(value) for value in row) for row in rows]
    lines = [line.rstrip() for line in text.align(cells)]
    if len(rows) < len(table.rows):
        lines.append(f"({len(table.rows) - len(rows):,} rows before these: -o wide shows all)")
    return "".join(f"{line}\n" for line in lines)


def _shown(value: Any) -> str:
    if value is None or value == "":
        return "-"
    return f"{value:,.6g}" if isinstance(value, float) else str(value)


def check(step: int | None, by: str | None) -> None:
    """Refuse what means something only with steps and attempts."""
    for option, value in (("--step", step), ("--by", by)):
        if value is not None:
            fix = "leave it out: a living run has tables over time"
            raise InputError("is for Scenarios, which have steps", path=option, fix=fix)


def place(directory: str) -> pathlib.Path:
    """The directory that charts go to."""
    found = pathlib.Path(directory)
    if found.exists() and not found.is_dir():
        raise InputError("is a file", path="--charts", file=directory, fix="name a directory")
    return found
