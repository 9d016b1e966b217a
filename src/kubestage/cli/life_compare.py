"""A comparison of living runs as text: the figures of their summaries side by side."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.cli import timings_report
from kubestage.cli.explaining import blocks
from kubestage.objects.tables import text as tables
from kubestage.results import analysis
from kubestage.results.life import wording
from kubestage.results.packing import wording as money

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kubestage.results.comparison import Measure, Worse
    from kubestage.runs.compare import ComparedLives

_LABELS: Final = {
    "failedPercent": "failed",
    "responseMean": "mean",
    "responseP50": "p50",
    "responseP95": "p95",
    "responseP99": "p99",
    "responseMax": "longest",
    "belowDesiredMinutes": "below desired",
    "lostMinutes": "of it, lost",
    "notReadyMinutes": "nodes NotReady",
    "pendingPeak": "pending, at most",
    "longestWaitSeconds": "longest wait",
    "podsEvicted": "pods evicted",
    "evictionsRefused": "evictions refused",
    "jobsFailed": "Jobs failed",
    "replicaHours": "replica-hours",
    "nodeHours": "node-hours",
    "costPerHour": "per hour, at the end",
    "idleCostPercent": "idle share of cost",
    "rescalesUp": "up",
    "rescalesDown": "down",
}


def text(compared: ComparedLives, output: str) -> str:
    """A comparison in one of the formats."""
    if output == "csv":
        return analysis.as_csv(compared.table())
    if output == "json":
        encoded = msgspec.json.encode(compared.to_dict())
        return msgspec.json.format(encoded, indent=2).decode() + "\n"
    lines = list(_lines(compared.names, compared.measures))
    if any(each.name == "cost" for each in compared.measures):
        lines.append(f"Costs are in {compared.currency}.")
    if compared.durations is not None:
        lines += ["", *timings_report.compared(compared.durations, compared.names)]
    return "".join(f"{line}\n" for line in lines)


def _lines(names: Sequence[str], known: Sequence[Measure]) -> Iterator[str]:
    rows = [("MEASURE", *(_label(each) for each in known))]
    rows += [(name, *(_cell(each, at) for each in known)) for at, name in enumerate(names)]
    for block in blocks(rows, shutil.get_terminal_size().columns):
        yield from (line.rstrip() for line in tables.align(list(zip(*block, strict=True))))
        yield ""
    yield f"* is best; in brackets, against {names[0]}."


def _label(measure: Measure) -> str:
    name = _LABELS.get(measure.name, measure.name)
    return name if measure.resource is None else f"{measure.resource} {name}"


def _cell(measure: Measure, at: int) -> str:
    value, delta = measure.values[at], measure.delta(at)
    if value is None:
        return "-"
    shown = _shown(measure, value)
    if at and delta:
        # Of shares, a difference is in points.
        change = _shown(measure, abs(delta)).removesuffix("%")
        shown += f" ({'+' if delta > 0 else '-'}{change})"
    return f"{shown} *" if at in measure.best else shown


def against_first(worse: Worse) -> str:
    """A measure that got worse, in a few words."""
    measure = worse.measure
    before, now = (measure.values[at] for at in (0, worse.at))
    assert before is not None
    assert now is not None
    return f"{_label(measure)} {_shown(measure, now)}, not {_shown(measure, before)}"


def _shown(measure: Measure, value: float) -> str:
    if measure.name.startswith("response"):
        return wording.milliseconds(value)
    if measure.name.endswith("Percent"):
        return f"{value:.2f}%"
    if measure.name.endswith("Minutes"):
        return wording.span(60 * value)
    if measure.name.endswith("Seconds"):
        return wording.span(value)
    if measure.name in ("cost", "costPerHour"):
        return money.number(value)
    is_whole = measure.name not in ("replicaHours", "nodeHours")
    return f"{value:,}" if is_whole else f"{value:,.2f}"
