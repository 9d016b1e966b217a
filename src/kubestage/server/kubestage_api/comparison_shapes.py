"""The responses about two clusters side by side."""

from __future__ import annotations

from kubestage.aliases import Json
from kubestage.server.kubestage_api.shapes import ResponseBody


class ComparedDecision(ResponseBody, frozen=True):
    """An attempt of one of the schedulers; `is_explained` is whether all was kept of it."""

    number: int
    at: str
    pod: str
    profile: str
    result: str
    node: str
    evaluated: int
    feasible: int
    message: str
    is_explained: bool


class DecisionDifference(ResponseBody, frozen=True):
    """Two attempts that differ; null where a cluster has no such attempt.

    `what` is in what: another `pod` was next in turn, or the same pod had another `result` or
    another `node`; at the `end`, one of the two has no more attempts, or none at this pod.
    """

    number: int
    at: str
    what: str
    left: ComparedDecision | None
    right: ComparedDecision | None


class ComparedClusters(ResponseBody, frozen=True):
    """The decisions in which two clusters differ, in order of time; the first is where they part.

    `left` and `right` are their titles, `same` is how many attempts come before and are the same.
    """

    left: str
    right: str
    same: int
    total: int
    differences: list[DecisionDifference]


class ExplainedDifference(ResponseBody, frozen=True):
    """A difference, and all that was found out in both attempts, if it was kept."""

    difference: DecisionDifference
    left: Json | None
    right: Json | None
