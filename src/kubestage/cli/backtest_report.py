"""Backtests as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.backtesting.outcome import HPA
from kubestage.cli import printing
from kubestage.objects.tables import text
from kubestage.results.life import wording

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kubestage.backtesting.outcome import BacktestOutcome
    from kubestage.runs.backtest import BacktestResult


_ROWS: Final = 20
_LABELS: Final = {
    "rescales": "rescales",
    "rescalesUp": "up",
    "rescalesDown": "down",
    "flaps": "flaps",
    "replicaHours": "replica-hours",
    "replicasLowest": "fewest replicas",
    "replicasHighest": "most replicas",
    "replicasAtEnd": "replicas at end",
    "secondsAboveTarget": "time above target",
    "secondsAtMaximum": "time at maximum",
    "looksWithoutMetrics": "syncs without metrics",
    "updates": "updates",
    "requestChanges": "changes of requests",
    "requestedCoreHours": "core-hours requested, a pod",
    "usedCoreHours": "core-hours used, a pod",
    "cpuSecondsAboveRequest": "time with CPU above request",
    "requestedGibHours": "GiB-hours requested, a pod",
    "usedGibHours": "GiB-hours used, a pod",
    "memorySecondsAboveRequest": "time with memory above request",
}
# Shown only if it is not 0.
_RARE: Final = ("looksWithoutMetrics",)


def formatted(result: BacktestResult, output: str) -> str:
    """All backtests in one of the formats."""
    if output in ("json", "yaml"):
        data = {"backtests": result.as_data()}
        return printing.as_json(data) if output == "json" else printing.as_yaml(data)
    outcomes = result.outcomes
    parts = [_decisions(each, wide=output == "wide") for each in outcomes]
    return "\n".join([*parts, _figures(outcomes)])


def _decisions(outcome: BacktestOutcome, *, wide: bool) -> str:
    is_hpa = outcome.kind == HPA
    lines = [f"{outcome.kind.lower()}/{outcome.name}"]
    if not outcome.decisions:
        return f"{lines[0]}: nothing to do\n"
    shown = outcome.decisions if wide else outcome.decisions[:_ROWS]
    rows = [("TIME", "METRIC", "REPLICAS" if is_hpa else "REQUEST", "REASON")]
    rows += [
        (
            wording.moment(each.seconds),
            each.metric or "-",
            f"{each.before or '-' if not is_hpa else each.before} -> {each.after}",
            each.reason or "-",
        )
        for each in shown
    ]
    lines += [line.rstrip() for line in text.align(rows)]
    if len(shown) < len(outcome.decisions):
        left = len(outcome.decisions) - len(shown)
        lines.append(f"and {left:,} more: -o wide shows all")
    return "".join(f"{line}\n" for line in lines)


def _figures(outcomes: Sequence[BacktestOutcome]) -> str:
    """The summaries side by side."""
    names = [name for name in _LABELS if any(name in each.summary for each in outcomes)]
    names = [
        name
        for name in names
        if name not in _RARE or any(each.summary.get(name) for each in outcomes)
    ]
    rows = [("MEASURE", *(each.name for each in outcomes))]
    rows += [
        (_LABELS[name], *(_shown(name, each.summary.get(name)) for each in outcomes))
        for name in names
    ]
    rows += _ends(outcomes)
    return "".join(f"{line.rstrip()}\n" for line in text.align(rows))


def _ends(outcomes: Sequence[BacktestOutcome]) -> Iterator[tuple[str, ...]]:
    """What VPAs recommend at the end."""
    ends = [
        {(end["container"], end["resource"]): end for end in each.summary.get("atEnd") or ()}
        for each in outcomes
    ]
    for container, resource in dict.fromkeys(key for each in ends for key in each):
        for field in ("request", "target", "lower", "upper"):
            values = (each.get((container, resource), {}).get(field) for each in ends)
            label = f"{resource} of {container}: {field} at end"
            yield label, *(_amount(value, resource) for value in values)


def _shown(name: str, value: Any) -> str:
    if value is None:
        return "-"
    if "econds" in name:
        return wording.moment(value)
    return wording.hours(value) if name.endswith("Hours") else wording.count(value)


def _amount(value: float | None, resource: str) -> str:
    if value is None:
        return "-"
    return f"{value * 1000:.0f}m" if resource == "cpu" else f"{value / 2**20:.0f}Mi"
