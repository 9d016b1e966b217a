"""The conditions of Jobs, and whether a Job is over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.aliases import Json


COMPLETE: Final = "Complete"
FAILED: Final = "Failed"
FAILURE_TARGET: Final = "FailureTarget"
SUCCESS_CRITERIA_MET: Final = "SuccessCriteriaMet"
SUSPENDED: Final = "Suspended"

TRUE: Final = "True"
FALSE: Final = "False"


def new(kind: str, status: str, reason: str, message: str, now: str) -> Json:
    """A condition as of now."""
    return {
        "type": kind,
        "status": status,
        "lastProbeTime": now,
        "lastTransitionTime": now,
        "reason": reason,
        "message": message,
    }


def find(conditions: Sequence[Json], kind: str) -> Json | None:
    """The condition of a type, whatever its status."""
    for condition in conditions:
        if condition["type"] == kind:
            return condition
    return None


def finished(job: Json) -> Json | None:
    """The condition by which a Job is over: Complete or Failed."""
    for condition in (job.get("status") or {}).get("conditions") or ():
        if condition["type"] in (COMPLETE, FAILED) and condition["status"] == TRUE:
            found: Json = condition
            return found
    return None


def ensure(conditions: list[Json], expected: Json) -> list[Json] | None:
    """Conditions with one of them as expected, or None if they are so already.

    A missing condition is not added to state that it is false.
    """
    present = find(conditions, expected["type"])
    if present is None:
        return None if expected["status"] == FALSE else [*conditions, expected]
    if all(present.get(field) == expected[field] for field in ("status", "reason", "message")):
        return None
    return [expected if each is present else each for each in conditions]
