"""A comparison of living runs as text: the figures of their summaries side by side."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.cli import life_differences, timings_report
from kubestage.cli.compare_labels import LEFT_OVER_AMOUNTS, LEFT_OVER_LABELS
from kubestage.cli.explaining import blocks
from kubestage.objects.tables import text as tables
from kubestage.results import agreement_rows, analysis
from kubestage.results.analysis import measured
from kubestage.results.life import wording
from kubestage.results.packing import wording as money

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kubestage.results.agreement import ReplayAgreement
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
    "waitP99Seconds": "wait, p99",
    "podsEvicted": "pods evicted",
    "evictionsRefused": "evictions refused",
    "jobsFailed": "Jobs failed",
    "replicaHours": "replica-hours",
    "nodeHours": "node-hours",
    "nodesInUseAtEnd": "nodes in use, at the end",
    "overlaidCost": "cost by NodeOverlays",
    "costPerHour": "per hour, at the end",
    "idleCostPercent": "idle share of cost",
    "costPerHourMean": "per hour, mean",
    "nodesAdded": "nodes added",
    "nodesRemoved": "nodes removed",
    "nodesLowest": "fewest nodes",
    "nodesHighest": "most nodes",
    "podsMoved": "pods moved",
    "pendingSeconds": "pending, in sum",
    "allocatedShare": "allocated",
    "rescalesUp": "up",
    "rescalesDown": "down",
    **LEFT_OVER_LABELS,
}


def text(compared: ComparedLives, output: str) -> str:
    """A comparison in one of the formats."""
    if output == "csv":
        return analysis.as_csv(compared.table())
    if output == "json":
        encoded = msgspec.json.encode(compared.to_dict())
        return msgspec.json.format(encoded, indent=2).decode() + "\n"
    lines = [] if compared.agreement is None else [*_agreement(compared.agreement), ""]
    known = [
        each for each in compared.measures if each.name not in LEFT_OVER_LABELS or any(each.values)
    ]
    lines += _lines(compared.names, known)
    if any(each.name == "cost" for each in compared.measures):
        lines.append(f"Costs are in {compared.currency}.")
    if compared.seeds:
        lines.append(f"Figures are means of {len(compared.seeds)} seeds.")
    lines += life_differences.lines(compared, label, shown)
    if compared.durations is not None:
        lines += ["", *timings_report.compared(compared.durations, compared.names)]
    return "".join(f"{line}\n" for line in lines)


def _agreement(found: ReplayAgreement) -> Iterator[str]:
    """How far replays can be trusted, before what they say."""
    share = agreement_rows.share(found.agreement.same_node_share)
    yield f"Agreement under the recorded settings: {share} on the same node."
    if found.decisions is not None and found.decisions.predicted:
        yield agreement_rows.scope(found.decisions)
        parts = [f"{share} {name}" for name, share, _ in agreement_rows.shares(found.decisions)]
        yield f"{', '.join(parts)}."


def _lines(names: Sequence[str], known: Sequence[Measure]) -> Iterator[str]:
    rows = [("MEASURE", *(label(each) for each in known))]
    rows += [(name, *(_cell(each, at) for each in known)) for at, name in enumerate(names)]
    for block in blocks(rows, shutil.get_terminal_size().columns):
        yield from (line.rstrip() for line in tables.align(list(zip(*block, strict=True))))
        yield ""
    yield f"* is best; in brackets, against {names[0]}."


def label(measure: Measure) -> str:
    """What tables call a measure."""
    name = _LABELS.get(measure.name, measure.name)
    return name if measure.resource is None else f"{measure.resource} {name}"


def _cell(measure: Measure, at: int) -> str:
    value, delta = measure.values[at], measure.delta(at)
    if value is None:
        return "-"
    text = shown(measure, value)
    if not any(_is_shown(measure, each) for each in range(1, len(measure.values))):
        return text
    if at and delta and _is_shown(measure, at):
        # Of shares, a difference is in points.
        change = shown(measure, abs(delta)).removesuffix("%")
        text += f" ({'+' if delta > 0 else '-'}{change})"
    return f"{text} *" if at in measure.best else text


def _is_shown(measure: Measure, at: int) -> bool:
    """Whether a run differs from the first by more than rounding leaves of it; or has no value."""
    delta = measure.delta(at)
    return delta is None or shown(measure, abs(delta)) != shown(measure, 0 * delta)


def against_first(worse: Worse) -> str:
    """A measure that got worse, in a few words."""
    measure = worse.measure
    before, now = (measure.values[at] for at in (0, worse.at))
    assert before is not None
    assert now is not None
    return f"{label(measure)} {shown(measure, now)}, not {shown(measure, before)}"


def shown(measure: Measure, value: float) -> str:
    """A value as people read it."""
    if measure.name in LEFT_OVER_AMOUNTS:
        return LEFT_OVER_AMOUNTS[measure.name](int(value))
    if measure.is_own:
        return measured.text_of(value, measure.unit)
    if measure.name.startswith("response"):
        return wording.milliseconds(value)
    if measure.name.endswith("Percent"):
        return f"{value:.2f}%"
    if measure.name.endswith("Share"):
        return f"{100 * value:.2f}%"
    if measure.name.endswith("Minutes"):
        return wording.span(60 * value)
    if measure.name.endswith("Seconds"):
        return wording.span(value)
    if measure.name in ("cost", "costPerHour", "costPerHourMean", "overlaidCost"):
        return money.number(value)
    # A mean over seeds of a number is seldom whole.
    is_whole = measure.name not in ("replicaHours", "nodeHours") and value == int(value)
    return f"{int(value):,}" if is_whole else f"{value:,.2f}"
