"""What went wrong in a run, as the rows of one table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json

BELOW: Final = "below desired"
NEVER_READY: Final = "never ready"
NOT_READY: Final = "node not ready"
PENDING: Final = "pending"
WAIT: Final = "longest wait"
RESTARTS: Final = "restarts"
EVICTIONS: Final = "evictions"
REFUSED: Final = "budget refused"
JOB_FAILED: Final = "job failed"
_Row = tuple[str, str, float | None, float | None, float | None, int | None, str]


def of(health: Json) -> Iterator[_Row]:
    """Problem, subject, from, to, seconds, number and reason; a row for each stretch of time."""
    for each in health["workloads"]:
        for begin, end in each["windows"]:
            yield _lasting(BELOW, each["workload"], begin, end)
        if not each["everReady"]:
            yield (NEVER_READY, each["workload"], None, None, None, each["readyAtEnd"], "")
    for each in health["nodesNotReady"]:
        for begin, end in each["windows"]:
            yield _lasting(NOT_READY, each["node"], begin, end)
    pending = health["pending"]
    if pending["peak"]:
        at, wait = pending["peakAtSeconds"], pending["longestWaitSeconds"]
        yield (PENDING, "", at, None, None, pending["peak"], "")
        yield (WAIT, pending["longestWaitPod"], None, None, wait, None, "")
    yield from _counted(health)


def _counted(health: Json) -> Iterator[_Row]:
    for each in health["restarts"]:
        yield (RESTARTS, each["workload"], None, None, None, each["restarts"], "")
    for each in health["evictions"]:
        for reason, pods in each["reasons"].items():
            yield (EVICTIONS, each["workload"], None, None, None, pods, reason)
    for each in health["budgetsRefused"]:
        begin, end = each["firstAtSeconds"], each["lastAtSeconds"]
        seconds = round(end - begin, 6)
        yield (REFUSED, each["budget"], begin, end, seconds, each["refusals"], "")
    for each in health["jobsFailed"]:
        at = each["atSeconds"]
        yield (JOB_FAILED, each["workload"], at, None, None, None, each["reason"])


def _lasting(problem: str, subject: str, begin: Any, end: Any) -> _Row:
    return (problem, subject, begin, end, round(end - begin, 6), None, "")
