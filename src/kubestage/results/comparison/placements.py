"""The result of each pod in one run and in another."""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.results.analysis import pod_state
from kubestage.results.analysis.digest import digest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kubestage.results.analysis.digest import Run
    from kubestage.results.analysis.pod_state import PodState

NEWLY_PENDING: Final = "newly pending"
NEWLY_SCHEDULED: Final = "newly scheduled"
NEWLY_PREEMPTED: Final = "newly preempted"
SPARED: Final = "no longer preempted"
MOVED: Final = "on another node"
ENDED: Final = "ended otherwise"
ONLY_FIRST: Final = "only in the first"
ONLY_SECOND: Final = "only in the second"
KINDS: Final = (
    NEWLY_PENDING,
    NEWLY_SCHEDULED,
    NEWLY_PREEMPTED,
    SPARED,
    MOVED,
    ENDED,
    ONLY_FIRST,
    ONLY_SECOND,
)
"""What may have changed, what matters most first."""


class Whereabouts(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """The result of a pod in one run."""

    pod: str
    status: str
    node: str | None = None
    preempted_by: str | None = None
    message: str | None = None


class PodChange(msgspec.Struct, frozen=True):
    """A pod of which not the same became in both runs; None where a run does not have it."""

    kind: str
    first: Whereabouts | None
    second: Whereabouts | None

    @property
    def pod(self) -> str:
        """The pod's name, as the first run has it."""
        known = self.first or self.second
        assert known is not None
        return known.pod


class Changes(msgspec.Struct, frozen=True):
    """The pods of which not the same became, by kind of change and then in order.

    `pods` is how many there are in either run, changed or not.
    """

    pods: int
    found: list[PodChange]

    @property
    def counts(self) -> dict[str, int]:
        """How many there are of each kind."""
        return dict(collections.Counter(change.kind for change in self.found))


def changes(first: Run, second: Run) -> Changes:
    """The pods whose result in a second run differs from the first.

    Pods are paired by name. Those that controllers make may have other names in another run: what
    is left over of one owner is paired in the order of creation.
    """
    pairs = list(_pairs(digest(first).pods, digest(second).pods))
    found = [
        PodChange(kind, _whereabouts(one), _whereabouts(other))
        for one, other in pairs
        if (kind := _kind(one, other)) is not None
    ]
    return Changes(len(pairs), sorted(found, key=lambda change: KINDS.index(change.kind)))


def _pairs(
    first: Iterable[PodState], second: Iterable[PodState]
) -> Iterator[tuple[PodState | None, PodState | None]]:
    ones, others = _by_name(first), _by_name(second)
    left: dict[Any, list[PodState]] = collections.defaultdict(list)
    for name, pod in others.items():
        if name not in ones:
            left[_owner(pod)].append(pod)
    for name, pod in ones.items():
        other = others.get(name)
        if other is None and left[_owner(pod)]:
            other = left[_owner(pod)].pop(0)
        yield pod, other
    for pods in left.values():
        yield from ((None, pod) for pod in pods)


def _by_name(pods: Iterable[PodState]) -> dict[tuple[str, int], PodState]:
    """Pods by name; a name that was used again counts its pods."""
    used: collections.Counter[str] = collections.Counter()
    found = {}
    for pod in pods:
        found[pod.key, used[pod.key]] = pod
        used[pod.key] += 1
    return found


def _owner(pod: PodState) -> tuple[str, ...]:
    """The controller of a pod; a pod without one is paired with no other."""
    metadata = pod.object.get("metadata") or {}
    for reference in metadata.get("ownerReferences") or ():
        if reference.get("controller"):
            namespace = pod.key.partition("/")[0]
            return namespace, str(reference.get("kind")), str(reference.get("name"))
    return (pod.key, "")


def _kind(one: PodState | None, other: PodState | None) -> str | None:
    if one is None or other is None:
        return ONLY_SECOND if one is None else ONLY_FIRST
    was_preempted, is_preempted = one.preempted is not None, other.preempted is not None
    if was_preempted != is_preempted:
        return NEWLY_PREEMPTED if is_preempted else SPARED
    if bool(one.node) != bool(other.node):
        return NEWLY_SCHEDULED if other.node else NEWLY_PENDING
    if one.node != other.node:
        return MOVED
    return None if _end(one) == _end(other) else ENDED


def _end(pod: PodState) -> str:
    """What a pod has come to; whether it has got to its end by now is a matter of time."""
    return pod_state.SCHEDULED if pod.status == "Succeeded" else pod.status


def _whereabouts(pod: PodState | None) -> Whereabouts | None:
    if pod is None:
        return None
    message = pod.message if pod.is_waiting else None
    return Whereabouts(pod.key, pod.status, pod.node or None, pod.preempted_by, message or None)
