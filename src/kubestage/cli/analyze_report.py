"""What came of a run, as a person reads it in a terminal."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from kubestage.cli import cost_line, pending_reasons, scenario_report
from kubestage.objects.pod_resources import CPU, EPHEMERAL_STORAGE, HUGE_PAGES_PREFIX, MEMORY
from kubestage.objects.tables import text
from kubestage.results import analysis
from kubestage.results.analysis import attempt_tables, measured
from kubestage.results.packing import wording

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from kubestage.results.analysis import Digest, Summary, Table

_STEPS: Final = 20
_NONE: Final = "-"
_UNITS: Final = ("", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei")
_RATES: Final = frozenset({"rate", "min", "max", "mean", "stddev"})
_AMOUNTS: Final = frozenset(
    {"requested", "allocatable", "free", "typicalRequest", "stranded", "largestRequest", "blocked"}
)
# Amounts of one resource, and of money.
_AMOUNTS_OF: Final = {
    "cpu": CPU,
    "memory": MEMORY,
    "cpuStranded": CPU,
    "memoryStranded": MEMORY,
    "medianCpu": CPU,
    "medianMemory": MEMORY,
}
_MONEY: Final = frozenset({"costPerHour", "idlePerHour"})
# Good to have in a file, but no help to the eye.
_HIDDEN: Final = frozenset({"uid", "currency"})
# What happens in few runs.
_RARE: Final = frozenset({"gated", "preempted", "deleted", "finished", "victims"})
_WITH_REASONS: Final = frozenset({"pods", "pending"})
_CAPITAL: Final = re.compile("(?=[A-Z])")


def as_text(digest: Digest, table: Table, what: str, run: str, *, wide: bool = False) -> str:
    """A table for people, or the overview; a sentence if there is nothing to show.

    Unless it may be `wide`, it has the columns that fit into a terminal, and the messages of the
    scheduler below, each once. `run` is the name of the run for the user.
    """
    if what == "summary":
        return _joined(_overview(digest))
    if not table.rows:
        return _joined([analysis.TABLES[what].empty])
    if what == "allocation":
        return _joined(_beside(table, ("step",)))
    if what == "measures":
        return _joined(_measures(table))
    if what == "nodes":
        return _joined(_nodes(digest, table))
    if wide:
        return _joined(_plain(table))
    shown = _plain(_narrow(table, what), _RARE)
    if what in _WITH_REASONS:
        shown += pending_reasons.lines(digest, f"`kubestage explain {run} POD`")
    return _joined(shown)


def _narrow(table: Table, what: str) -> Table:
    """The columns that people look at first."""
    is_log = what == "attempts" and "attempt" in table.names
    shown = attempt_tables.LOG_NARROW if is_log else analysis.TABLES[what].narrow or table.names
    places = [at for at, name in enumerate(table.names) if name in shown]
    columns = tuple(table.columns[at] for at in places)
    return analysis.Table(columns, [tuple(row[at] for at in places) for row in table.rows])


def _joined(lines: Iterable[str]) -> str:
    return "".join(f"{line.rstrip()}\n" for line in lines)


def _plain(table: Table, rare: Collection[str] = ()) -> list[str]:
    """All rows; columns without any value are left out, and rare ones with nothing but zero."""
    records = list(table.records())
    names = [
        name
        for name in table.names
        if name not in _HIDDEN
        and any(row[name] if name in rare else row[name] is not None for row in records)
    ]
    cells = [[_heading(name) for name in names]]
    cells += [[_cell(name, row) for name in names] for row in records]
    return text.align(cells)


def _beside(table: Table, keys: Sequence[str]) -> list[str]:
    """Resources side by side: what is requested of what there is, and which share that is."""
    rows: dict[tuple[Any, ...], dict[str, str]] = {}
    resources: dict[str, None] = {}
    for record in table.records():
        resource = record["resource"]
        resources[resource] = None
        shown = (
            f"{_amount(record['requested'], resource)}/{_amount(record['allocatable'], resource)}"
        )
        row = rows.setdefault(tuple(record[key] for key in keys), {})
        row[resource] = f"{shown} ({percent(record['rate'])})"
    cells = [[*map(_heading, keys), *(name.upper() for name in resources)]]
    cells += [
        [*map(str, key), *(row.get(name, _NONE) for name in resources)] for key, row in rows.items()
    ]
    return text.align(cells)


def _measures(table: Table) -> list[str]:
    """Every value as it is read."""
    rows = [("MEASURE", "STEP", "ATTEMPT", "VALUE")]
    for name, step, attempt, value, unit in table.rows:
        tried = _NONE if attempt is None else str(attempt)
        rows.append((name, str(step), tried, measured.text_of(value, unit)))
    return text.align(rows)


def _nodes(digest: Digest, table: Table) -> list[str]:
    """The nodes at the end of one step: with all steps, no terminal would be long enough."""
    last = max(table.column("step"))
    shown = _beside(table.where(lambda row: row["step"] == last), ("node",))
    steps = len(digest.steps)
    more = "; --step N shows another, -o csv all of them" if steps > 1 else ""
    return [*shown, "", f"At the end of step {last}{more}."]


def _overview(digest: Digest) -> Iterable[str]:
    summary = analysis.summary(digest)
    name = f"{summary.name}: " if summary.name else ""
    ended = scenario_report.outcome(summary.phase or "Unknown", summary)
    yield f"{name}{ended}, {_steps(digest)}"
    if summary.message:
        yield f"  {summary.message}"
    yield ""
    yield from _pods(summary)
    if summary.resources:
        yield ""
        yield from _resources(summary)
    if summary.measures:
        yield ""
        yield from text.align(measure_rows(summary.measures))
    rows = analysis.table(digest, "steps")
    if len(digest.steps) > 1:
        yield ""
        yield from _plain(analysis.Table(rows.columns, rows.rows[-_STEPS:]), _RARE)
        if len(rows.rows) > _STEPS:
            yield f"({len(rows.rows) - _STEPS} steps before these: kubestage analyze RUN steps)"


def measure_rows(measures: Mapping[str, analysis.MeasureFigures]) -> list[tuple[str, ...]]:
    """The user's measures with their figures, under a heading."""
    rows: list[tuple[str, ...]] = [("MEASURE", "FINAL", "MEAN", "MAX")]
    for name, each in measures.items():
        values = (each.final, each.mean, each.max)
        rows.append((name, *(measured.text_of(value, each.unit) for value in values)))
    return rows


def _steps(digest: Digest) -> str:
    if not digest.steps:
        return "nothing happened"
    first, last = digest.steps[0].step, digest.steps[-1].step
    return f"step {last}" if first == last else f"{len(digest.steps)} steps ({first} to {last})"


def _pods(summary: Summary) -> Iterable[str]:
    counts = {
        "scheduled": summary.scheduled,
        "pending": summary.pending,
        "gated": summary.gated,
        "preempted": summary.preempted,
        "finished": summary.finished,
        "deleted": summary.deleted,
    }
    parts = ", ".join(f"{number} {status}" for status, number in counts.items() if number)
    lines = [
        ["Pods", f"{summary.pods}{f': {parts}' if parts else ''}"],
        ["Nodes", f"{summary.nodes}, {summary.nodes_used} in use"],
    ]
    cost = cost_line.of_run(summary.packing)
    if cost is not None:
        lines.append(["Cost", str(cost)])
    if summary.pending_steps_mean is not None:
        mean, longest = summary.pending_steps_mean, summary.pending_steps_max
        lines.append(["Waited", f"{mean:.2f} steps on average until bound, at most {longest}"])
    if summary.attempts_by_result is not None:
        parts = ", ".join(f"{count} {name}" for name, count in summary.attempts_by_result.items())
        lines.append(["Attempts", f"{summary.attempts}: {parts}"])
    return text.align(lines)


def _resources(summary: Summary) -> list[str]:
    cells = [
        ["RESOURCE", "REQUESTED", "ALLOCATABLE", "RATE", "NODE-MIN", "NODE-MEAN", "NODE-MAX",
         "STDDEV", "STRANDED"]
    ]  # fmt: skip
    for name, each in summary.resources.items():
        amounts = [_amount(each.requested, name), _amount(each.allocatable, name)]
        rates = (each.rate, each.min, each.mean, each.max, each.stddev, each.stranded_rate)
        cells.append([name, *amounts, *map(percent, rates)])
    return text.align(cells)


def _heading(name: str) -> str:
    """``preemptedBy`` as ``PREEMPTED-BY``."""
    return "-".join(_CAPITAL.split(name)).upper()


def _cell(name: str, row: dict[str, Any]) -> str:
    value = row[name]
    if name in _RATES or name.endswith("Rate"):
        return percent(value)
    if value is None:
        return _NONE
    if name in _MONEY:
        return wording.money(value, row["currency"])
    if name in _AMOUNTS_OF:
        return _amount(value, _AMOUNTS_OF[name])
    if isinstance(value, float):
        return f"{value:.2f}"
    return _amount(value, row["resource"]) if name in _AMOUNTS else str(value)


def percent(rate: float | None) -> str:
    """A share with one decimal."""
    return _NONE if rate is None else f"{100 * rate:.1f}%"


def _amount(number: int, resource: str) -> str:
    """CPU in cores, bytes with a binary unit, the rest as it is counted."""
    if resource == CPU:
        return f"{number / 1000:.3f}".rstrip("0").rstrip(".")
    is_bytes = resource in (MEMORY, EPHEMERAL_STORAGE) or resource.startswith(HUGE_PAGES_PREFIX)
    if not is_bytes:
        return str(number)
    size, unit = float(number), 0
    while size >= 1024 and unit < len(_UNITS) - 1:
        size, unit = size / 1024, unit + 1
    return f"{size:.1f}".removesuffix(".0") + _UNITS[unit]
