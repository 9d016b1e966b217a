"""Living runs side by side: the figures of their summaries, and which of them is better."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from kubestage.aliases import Json
from kubestage.results.comparison.measures import LESS, Measure, Worse, chosen, of_user
from kubestage.results.life import cost_summary, measured, node_measures

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence


_RESPONSES: Final = {
    "responseMean": "mean",
    "responseP50": "p50",
    "responseP95": "p95",
    "responseP99": "p99",
    "responseMax": "max",
}
_TOTALS: Final = {"replicaHours": LESS, "nodeHours": LESS, "cost": LESS}
_DEEDS: Final = {
    "rescales": None,
    "rescalesUp": None,
    "rescalesDown": None,
    "evictions": LESS,
    "resizes": None,
}
DEFAULT_CHECKS: Final = ("failedPercent", "responseP95")
"""What must not get worse by default."""


def measures(summaries: Sequence[Json], *, every: bool = False) -> list[Measure]:
    """All figures of runs, those of requests first; a Traffic of its own has its name with them.

    With `every`, figures of health are there even if nothing went wrong.
    """
    return [
        *_traffic(summaries),
        *_health(summaries, every=every),
        *_totals(summaries),
        *_costs(summaries),
        *node_measures.measures(summaries),
        *_deeds(summaries),
        *of_user([measured.of_summary(each) for each in summaries]),
    ]


def worse(
    names: Sequence[str], known: Sequence[Measure], metrics: Sequence[str] | None
) -> list[Worse]:
    """Those of these measures in which a run is worse than the first."""
    return [
        Worse(name, measure, at)
        for measure in checked(known, metrics)
        for at, name in enumerate(names)
        if measure.is_worse(at)
    ]


def checked(known: Sequence[Measure], metrics: Sequence[str] | None) -> list[Measure]:
    """The measures of these names, or those that must not get worse by default."""
    names_known = {each.name for each in known}
    checks = metrics or [each for each in DEFAULT_CHECKS if each in names_known] or ["replicaHours"]
    subjects = [each.key for each in known if each.resource is not None]
    parts = f", or of one Traffic, as in {subjects[-1]}" if subjects else ""
    return chosen(known, checks, parts)


def _traffic(summaries: Sequence[Json]) -> Iterator[Measure]:
    runs = [{each["traffic"]: each for each in summary["traffic"]} for summary in summaries]
    subjects = list(dict.fromkeys(name for run in runs for name in run))
    for name in subjects:
        found = [run.get(name) for run in runs]
        subject = name if len(subjects) > 1 else None
        yield _measure("requests", subject, None, found, "requests")
        yield Measure("failedPercent", subject, LESS, tuple(_failed(each) for each in found))
        for title, field in _RESPONSES.items():
            spans = [None if each is None else each["responseMs"] for each in found]
            yield _measure(title, subject, LESS, spans, field)


def _health(summaries: Sequence[Json], *, every: bool) -> Iterator[Measure]:
    """What went wrong; the main figures always, others if there is anything to report."""
    known = [each.get("health") for each in summaries]
    for name, figure in _HEALTH.items():
        values = tuple(None if each is None else figure(each) for each in known)
        if any(values) or ((every or name in _MAIN) and any(each is not None for each in values)):
            yield Measure(name, None, LESS, values)


def _minutes(rows: Sequence[Json], field: str) -> float:
    return round(math.fsum(row[field] for row in rows) / 60, 6)


def _sum(rows: Sequence[Json], field: str) -> int:
    return sum(row[field] for row in rows)


_HEALTH: Final[dict[str, Callable[[Json], float | None]]] = {
    "belowDesiredMinutes": lambda each: _minutes(each["workloads"], "belowDesiredSeconds"),
    "lostMinutes": lambda each: _minutes(each["workloads"], "lostSeconds"),
    "notReadyMinutes": lambda each: _minutes(each["nodesNotReady"], "seconds"),
    "pendingPeak": lambda each: each["pending"]["peak"],
    "longestWaitSeconds": lambda each: each["pending"]["longestWaitSeconds"],
    # Records of older versions do not have it.
    "waitP99Seconds": lambda each: each["pending"].get("waitP99Seconds"),
    "restarts": lambda each: _sum(each["restarts"], "restarts"),
    "podsEvicted": lambda each: _sum(each["evictions"], "pods"),
    "evictionsRefused": lambda each: _sum(each["budgetsRefused"], "refusals"),
    "jobsFailed": lambda each: len(each["jobsFailed"]),
}
_MAIN: Final = ("belowDesiredMinutes", "pendingPeak")


def _totals(summaries: Sequence[Json]) -> Iterator[Measure]:
    for name, better in _TOTALS.items():
        measure = _measure(name, None, better, summaries, name)
        if any(value is not None for value in measure.values):
            yield measure


def _costs(summaries: Sequence[Json]) -> Iterator[Measure]:
    """What nodes cost at the end, and how much of the money was spent on nothing."""
    known = [each.get("costs") for each in summaries]
    if any(known):
        rates = tuple(None if each is None else each["perHourAtEnd"] for each in known)
        yield Measure("costPerHour", None, LESS, rates)
        yield Measure("idleCostPercent", None, LESS, tuple(map(_idle_percent, summaries)))
        decided = tuple(map(cost_summary.decided, summaries))
        if any(each is not None for each in decided):
            # Where nothing is overlaid, the bill is what is decided with.
            pairs = zip(decided, summaries, strict=True)
            values = tuple(run["cost"] if each is None else each for each, run in pairs)
            yield Measure("overlaidCost", None, None, values)


def _idle_percent(summary: Json) -> float | None:
    costs, total = summary.get("costs"), summary.get("cost")
    return round(100 * costs["idle"] / total, 6) if costs and total else None


def _deeds(summaries: Sequence[Json]) -> Iterator[Measure]:
    for name, better in _DEEDS.items():
        found = [
            [each[name] for each in summary["autoscalers"] if name in each] for summary in summaries
        ]
        if any(found):
            values = tuple(sum(each) if each else None for each in found)
            yield Measure(name, None, better, values)


def _measure(
    name: str, subject: str | None, better: str | None, found: Sequence[Json | None], field: str
) -> Measure:
    values = tuple(None if each is None else each[field] for each in found)
    return Measure(name, subject, better, values)


def _failed(traffic: Json | None) -> float | None:
    if traffic is None or not traffic["requests"]:
        return None
    return 100 * float(traffic["failed"]) / float(traffic["requests"])
