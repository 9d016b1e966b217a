"""How long scheduling took, as a person reads it in a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects.tables import text
from kubestage.results import timings

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from kubestage.results.analysis import Table
    from kubestage.results.timings import RecordedTimings

_DURATIONS: Final = ("total", "mean", "p50", "p90", "p99", "max")
_SOURCES: Final = {
    timings.MEASURED: "Wall time, measured; it differs from run to run.",
    timings.MODELLED: "Modelled by the control-plane profile, in virtual time.",
}
_SLOWEST: Final = 15
_COLUMNS: Final = ("total", "mean", "p99", "max")
_SHORT: Final = ("mean", "p50", "p99", "max")


def as_text(recorded: RecordedTimings, *, wide: bool = False) -> str:
    """The table; unless it may be `wide`, plugins stand below their extension point, those that
    took next to nothing are left out, and columns are as many as fit into a terminal.
    """
    if not recorded.rows:
        return "No attempts were made.\n"
    rows = list(timings.table(recorded).records())
    lines = _wide(rows) if wide else _narrow(_slowest(rows))
    lines += ["", _SOURCES.get(recorded.source, "")]
    left = len(rows) - len(_slowest(rows))
    if left and not wide:
        lines.append(f"-o wide shows all columns, and {left} plugins that took less.")
    return _joined(lines)


def _narrow(rows: Sequence[dict[str, Any]]) -> list[str]:
    cells: list[tuple[str, ...]] = [("PROFILE", "PART", "COUNT", *map(str.upper, _COLUMNS))]
    for row in rows:
        part = f"  {row['plugin']}" if row["part"] == timings.PLUGIN else _label(row)[1]
        durations = (timings.shown(row[name]) for name in _COLUMNS)
        cells.append((row["profile"], part, f"{row['count']:,}", *durations))
    return text.align(cells)


def _wide(rows: Sequence[dict[str, Any]]) -> list[str]:
    head = ("PROFILE", "PART", "EXTENSION-POINT", "PLUGIN", "COUNT", *map(str.upper, _DURATIONS))
    return text.align([head, *(_cells(row) for row in rows)])


def summary(recorded: RecordedTimings) -> str:
    """A few lines for the end of a run: its attempts."""
    wholes = (timings.ATTEMPT, timings.ALGORITHM)
    rows = [row for row in timings.table(recorded).records() if row["part"] in wholes]
    if not rows:
        return ""
    head = ("PROFILE", f"TIME ({recorded.source})", "COUNT", *map(str.upper, _SHORT))
    cells: list[tuple[str, ...]] = [head]
    for row in rows:
        durations = (timings.shown(row[name]) for name in _SHORT)
        cells.append((*_label(row), f"{row['count']:,}", *durations))
    return _joined(["", *text.align(cells)])


def compared(table: Table, names: Sequence[str], *, shows_all: bool = False) -> Iterator[str]:
    """Durations of several runs side by side: the mean, and in brackets against the first."""
    records = [each for each in table.records() if shows_all or each["mean"]]
    if not shows_all:
        plugins = [each for each in records if each["part"] == timings.PLUGIN]
        longest = sorted(plugins, key=lambda each: -each["mean"])
        shown = set(list(dict.fromkeys(map(_label, longest)))[:_SLOWEST])
        records = [
            each for each in records if each["part"] != timings.PLUGIN or _label(each) in shown
        ]
    rows: dict[tuple[str, str], dict[str, dict[str, Any]]] = {}
    for record in records:
        rows.setdefault(_label(record), {})[record["run"]] = record
    cells: list[tuple[str, ...]] = [("PROFILE", "PART", *names)]
    for (profile, part), found in rows.items():
        cells.append((profile, part, *(_mean(found.get(name)) for name in names)))
    if not rows:
        yield "No attempts were made, so none took any time."
        return
    yield "How long scheduling took: mean (against the first), p99"
    yield from (line.rstrip() for line in text.align(cells))
    if not shows_all:
        yield f"The {_SLOWEST} slowest plugins; --all shows all, -o json every column."


def _mean(record: dict[str, Any] | None) -> str:
    if record is None:
        return "-"
    ratio = "" if record["ratio"] is None else f" ({record['ratio']:.2f}x)"
    return f"{timings.shown(record['mean'])}{ratio}, {timings.shown(record['p99'])}"


def _label(record: dict[str, Any]) -> tuple[str, str]:
    if record["part"] == timings.ATTEMPT:
        return record["profile"], f"attempt, {record['result']}"
    parts = [each for each in (record["extensionPoint"], record["plugin"]) if each]
    return record["profile"], " ".join(parts) or record["part"]


def _slowest(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    plugins = [row for row in rows if row["part"] == timings.PLUGIN]
    longest = sorted(plugins, key=lambda row: -row["total"])[:_SLOWEST]
    shown = {id(row) for row in longest if row["total"]}
    return [row for row in rows if row["part"] != timings.PLUGIN or id(row) in shown]


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    part = f"{row['part']}, {row['result']}" if row["result"] else row["part"]
    named = (row["extensionPoint"] or "-", row["plugin"] or "-")
    durations = (timings.shown(row[name]) for name in _DURATIONS)
    return (row["profile"], part, *named, f"{row['count']:,}", *durations)


def _joined(lines: Iterable[str]) -> str:
    return "".join(f"{line.rstrip()}\n" for line in lines)
