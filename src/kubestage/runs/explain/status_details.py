"""The details of attempts in a status at detail ``full``, in the form of the scheduler's record."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json


_RESULTS: Final = ("podScheduled", "podUnscheduled", "podPreempted")


def in_status(scenario: Json, numbers: set[int]) -> dict[int, Json]:
    """The details of those attempts of these numbers that the status has in full."""
    timeline = ((scenario.get("status") or {}).get("scenarioResult") or {}).get("timeline") or {}
    found = {}
    for events in timeline.values():
        for result in _results(events):
            for attempt in result.get("scheduleResult") or ():
                if attempt.get("attempt") in numbers and "pluginResults" in attempt:
                    found[attempt["attempt"]] = _explanation(attempt)
    return found


def _results(events: list[Json]) -> Iterator[Json]:
    for event in events:
        yield from (event[field] for field in _RESULTS if event.get(field))


def _explanation(attempt: Json) -> Json:
    """An attempt of a status in the form of the scheduler's explanations."""
    results, node = attempt["pluginResults"], attempt.get("node")
    explained: Json = {
        "result": attempt.get("result"),
        "selected": node,
        "message": attempt.get("message", ""),
        "feasible": attempt.get("allFilteredNodes") or [],
        "topNodes": [node] if node else [],
        "filter": {
            name: {plugin: _verdict(each) for plugin, each in verdicts.items()}
            for name, verdicts in (results.get("filter") or {}).items()
        },
    }
    if results.get("score"):
        explained["score"] = {
            name: {plugin: _score(found) for plugin, found in scores.items()}
            for name, scores in results["score"].items()
        }
        totals = explained["totals"] = {
            name: sum(each["final"] for each in scores.values())
            for name, scores in explained["score"].items()
        }
        best = max(totals.values())
        explained["topNodes"] = sorted(name for name, total in totals.items() if total == best)
    preemption = attempt.get("preemption")
    if preemption:
        victims = preemption.get("victims") or []
        explained["preemption"] = {**preemption, "victims": victims}
    return explained


def _verdict(verdict: str) -> str | Json:
    return verdict if verdict == "passed" else {"reasons": [verdict]}


def _score(found: Json) -> Json:
    names = {"raw": "rawScore", "normalized": "normalizedScore", "final": "finalScore"}
    return {name: found[field] for name, field in names.items()}
