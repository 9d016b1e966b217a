"""All decisions in which two runs differ, by the attempts that each of them recorded."""

from __future__ import annotations

import collections
import re
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from kubestage.results.comparison import attempts, divergence

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kubestage.results.comparison.attempts import Tried
    from kubestage.results.history.attempt_rows import AttemptRow

# What a ReplicaSet, a Job or a DaemonSet adds to the name of a pod.
_SUFFIX: Final = re.compile(r"-[a-z0-9]{5}$")


class DifferingDecision(msgspec.Struct, frozen=True):
    """Two attempts that came out differently; None where a run has no such attempt.

    `what` is in what they differ, as in `Divergence`.
    """

    what: str
    first: AttemptRow | None
    second: AttemptRow | None

    @property
    def unix_ns(self) -> int:
        """When the first of the two was made."""
        return min(row.unix_ns for row in (self.first, self.second) if row is not None)


class ComparedDecisions(NamedTuple):
    """How many attempts two runs have in common at first, and where they differ from there on."""

    same: int
    differing: list[DifferingDecision]


def compare(first: Sequence[AttemptRow], second: Sequence[AttemptRow]) -> ComparedDecisions:
    """The decisions in which two runs differ, in order of time; the first is where they part.

    Up to there the runs are the same, attempt by attempt. From there on the attempts at each pod
    are compared, the first one with the first one of the other run and so on. A pod that a
    controller created may have another name there: those of one owner are paired in order.
    """
    parted = divergence.diverge([_tried(row) for row in first], [_tried(row) for row in second])
    if parted is None:
        return ComparedDecisions(len(first), [])
    at = parted.same
    one = first[at] if at < len(first) else None
    other = second[at] if at < len(second) else None
    later = [
        each
        for each in _by_pod(first[at:], second[at:])
        if each.first is not one or each.second is not other
    ]
    later.sort(key=lambda each: each.unix_ns)
    return ComparedDecisions(at, [DifferingDecision(parted.what, one, other), *later])


def _tried(row: AttemptRow) -> Tried:
    return attempts.of_decision(row.decision, 0)


def _by_pod(
    first: Sequence[AttemptRow], second: Sequence[AttemptRow]
) -> Iterator[DifferingDecision]:
    ones, others = _grouped(first), _grouped(second)
    left: dict[str, list[str]] = collections.defaultdict(list)
    for pod in others:
        if pod not in ones:
            left[_SUFFIX.sub("", pod)].append(pod)
    for pod, rows in ones.items():
        match = pod if pod in others else None
        if match is None and left[_SUFFIX.sub("", pod)]:
            match = left[_SUFFIX.sub("", pod)].pop(0)
        yield from _pairs(rows, others[match] if match is not None else [])
    for pods in left.values():
        for pod in pods:
            yield from _pairs([], others[pod])


def _grouped(rows: Sequence[AttemptRow]) -> dict[str, list[AttemptRow]]:
    found: dict[str, list[AttemptRow]] = {}
    for row in rows:
        found.setdefault(row.decision.pod, []).append(row)
    return found


def _pairs(ones: list[AttemptRow], others: list[AttemptRow]) -> Iterator[DifferingDecision]:
    for one, other in zip(ones, others, strict=False):
        if one.decision.result != other.decision.result:
            yield DifferingDecision(divergence.RESULT, one, other)
        elif one.decision.node != other.decision.node:
            yield DifferingDecision(divergence.NODE, one, other)
    for one in ones[len(others) :]:
        yield DifferingDecision(divergence.END, one, None)
    for other in others[len(ones) :]:
        yield DifferingDecision(divergence.END, None, other)
