"""The answer of a rehearsed drain."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import msgspec

from kubestage.results.life import wording
from kubestage.runs.rehearse import sections, targets
from kubestage.runs.rehearse.findings import Finding, listed
from kubestage.runs.rehearse.result import Rehearsed
from kubestage.wording import plural

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kubestage.aliases import Json
    from kubestage.runs.rehearse.findings import Severity
    from kubestage.runs.rehearse.node_drain import NodeDrain
    from kubestage.runs.rehearse.recording import Recording
    from kubestage.runs.rehearse.sections import Section


class BlockedPod(msgspec.Struct, frozen=True, rename="camel"):
    """A pod whose eviction a disruption budget refused for a while."""

    pod: str
    node: str
    budget: str
    reason: str
    """What the API server answered last."""
    from_seconds: float
    seconds: float
    refusals: int
    is_for_good: bool
    """Whether it was never evicted."""


class DrainedNode(msgspec.Struct, frozen=True, rename="camel"):
    """How the drain of one node went."""

    node: str
    is_drained: bool
    from_seconds: float
    seconds: float
    evicted: int
    problems: list[str]
    """Why it was not drained, as kubectl words it."""
    pods: list[str] = []
    """Those that were evicted."""


class DrainResult(Rehearsed, frozen=True, kw_only=True):
    """How drains went, who was in the way, and what was lost."""

    rehearsal: ClassVar[str] = "drain"
    VALUES: ClassVar[tuple[str, ...]] = ("blocked", "notDrained", "lostData", "unowned")

    nodes: Sequence[DrainedNode]
    blocked: Sequence[BlockedPod] = ()
    lost_data: Sequence[str] = ()
    """Evicted pods with emptyDir volumes."""
    unowned: Sequence[str] = ()
    """Evicted pods that are not replaced."""

    def details(self) -> Json:
        """Nodes, what was in the way, and what was lost."""
        return {
            "nodes": msgspec.to_builtins(list(self.nodes)),
            "blocked": msgspec.to_builtins(list(self.blocked)),
            "lostData": list(self.lost_data),
            "unowned": list(self.unowned),
        }

    def more_sections(self) -> list[Section]:
        """Nodes, and what was in the way."""
        return [sections.nodes(self.nodes), sections.blocked(self.blocked)]

    def values(self) -> dict[str, float]:
        """Numbers for conditions."""
        return {
            "blocked": max((each.seconds for each in self.blocked), default=0.0),
            "notDrained": sum(not each.is_drained for each in self.nodes),
            "lostData": len(self.lost_data),
            "unowned": len(self.unowned),
        }


def drained_nodes(recording: Recording, drains: Sequence[NodeDrain]) -> list[DrainedNode]:
    """How each drain went."""
    return [
        DrainedNode(
            each.node,
            each.is_done,
            recording.seconds_at(each.began_ns),
            recording.seconds_at(each.ended_ns or each.began_ns)
            - recording.seconds_at(each.began_ns),
            len(each.evictions),
            list(each.problems),
            [pod.key for pod in each.evictions],
        )
        for each in drains
    ]


def blocked_pods(recording: Recording, drains: Sequence[NodeDrain]) -> list[BlockedPod]:
    """The pods that were in the way, the longest first."""
    found = []
    for drain in drains:
        for each in drain.blocked.values():
            last_ns = each.last_ns if each.is_over else drain.ended_ns or each.last_ns
            begin, end = recording.seconds_at(each.first_ns), recording.seconds_at(last_ns)
            found.append(
                BlockedPod(
                    each.pod,
                    drain.node,
                    each.budget,
                    each.reason,
                    begin,
                    end - begin,
                    each.refusals,
                    not each.is_over,
                )
            )
    return sorted(found, key=lambda each: -each.seconds)


def lost_data(drains: Sequence[NodeDrain]) -> list[str]:
    """The pods whose local data is gone."""
    return [pod.key for each in drains for pod in each.evictions if pod.loses_data]


def unowned(drains: Sequence[NodeDrain]) -> list[str]:
    """The pods that are gone for good."""
    return [pod.key for each in drains for pod in each.evictions if pod.is_unowned]


def findings_of(
    nodes: Sequence[DrainedNode],
    blocked: Sequence[BlockedPod],
    lost: Sequence[str],
    gone: Sequence[str],
) -> Iterator[Finding]:
    """What an operator has to know about drains."""
    for node in nodes:
        for problem in node.problems:
            yield Finding("warning", f"node/{node.node}", f"was not drained: {problem}")
    for budget, pods in _by_budget(blocked).items():
        longest = pods[0]
        how_long = wording.span(longest.seconds)
        ends = "and never allowed it" if longest.is_for_good else "then allowed it"
        text = (
            f"refused to evict {listed([each.pod for each in pods])} for {how_long}, {ends}: "
            f"{longest.reason}"
        )
        severity: Severity = "critical" if longest.is_for_good else "warning"
        yield Finding(severity, f"poddisruptionbudget/{budget}", text)
    if lost:
        text = f"lost the data in emptyDir volumes ({plural(len(lost), 'pod')})"
        yield Finding("critical", listed(lost), text)
    if gone:
        text = "has no controller and is not replaced"
        if len(gone) > 1:
            text = "have no controller and are not replaced"
        yield Finding("critical", listed(gone), text)


def _by_budget(blocked: Sequence[BlockedPod]) -> dict[str, list[BlockedPod]]:
    found: dict[str, list[BlockedPod]] = {}
    for each in blocked:
        found.setdefault(each.budget, []).append(each)
    return found


def sentence(
    subject: str,
    nodes: Sequence[DrainedNode],
    blocked: Sequence[BlockedPod],
    *,
    total: int,
    seconds: float,
    pending: int,
) -> str:
    """How it went, in one sentence; `total` nodes were to be drained."""
    took = wording.span(seconds)
    left = f"; {plural(pending, 'pod')} {_are(pending)} pending at the end" if pending else ""
    if sum(each.is_drained for each in nodes) == total:
        pods = plural(sum(each.evicted for each in nodes), "pod")
        return f"{targets.capitalized(subject)} drained in {took}: {pods} evicted{left}."
    failed = [each.node for each in nodes if not each.is_drained]
    named = f"Node {failed[0]} was" if len(failed) == 1 else f"Nodes {listed(failed)} were"
    why = f": {blocking(blocked)}" if blocking(blocked) else ""
    waiting = total - len(nodes)
    rest = f"; {plural(waiting, 'other node')} {_were(waiting)} not tried" if waiting else ""
    return f"{named} not drained in {took}{why}{rest}{left}."


def blocking(blocked: Sequence[BlockedPod]) -> str:
    """Which budget never allowed an eviction, in words; empty if every one was allowed."""
    budgets = list(dict.fromkeys(each.budget for each in blocked if each.is_for_good))
    if not budgets:
        return ""
    noun = "budget" if len(budgets) == 1 else "budgets"
    pods = [each.pod for each in blocked if each.is_for_good]
    return f"{noun} {listed(budgets)} never allowed the eviction of {listed(pods)}"


def _are(number: int) -> str:
    return "is" if number == 1 else "are"


def _were(number: int) -> str:
    return "was" if number == 1 else "were"
