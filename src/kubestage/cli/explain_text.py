"""The explanation of a pod of a run as text: its history, and each attempt at it."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Final

from kubestage.cli import explain_node, explaining
from kubestage.cli.explaining import AttemptView, count

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kubestage.aliases import Json
    from kubestage.results.analysis import PodState
    from kubestage.results.comparison import Tried
    from kubestage.runs.explain import Explanation
    from kubestage.runs.explain.found_pod import AttemptGroup, FoundPod, PodAttempts

UNKNOWN: Final = "What the plugins said is not known."


@dataclasses.dataclass(frozen=True, slots=True)
class ExplainLayout:
    """How wide the text may be, how many nodes have their scores, and the node to explain."""

    width: int
    top: int
    node: str | None = None


def lines(explained: Explanation, layout: ExplainLayout) -> Iterator[str]:
    """The explanation of every pod that has had the name."""
    found, several = explained.found, len(explained.found.pods) > 1
    for at, (pod, groups) in enumerate(zip(found.pods, explained.groups, strict=True)):
        if several:
            yield from ([""] if at else [])
            yield f"Pod {at + 1} of {len(found.pods)} that have had this name:"
        yield from _pod(explained, pod, groups, layout)
        if at in explained.untried:
            yield f"  {explained.untried[at]}"
    if explained.advice is not None:
        yield ""
        yield from explained.advice.lines()


def _pod(
    explained: Explanation, pod: PodAttempts, groups: Sequence[AttemptGroup], layout: ExplainLayout
) -> Iterator[str]:
    """The history of a pod, then its attempts."""
    yield from _outcome(pod)
    for group in groups:
        yield ""
        details = explained.details.explanations.get(group.first.number)
        yield from _attempt(group, details, explained.found, layout)
        if len(group.attempts) > 1:
            yield ""
            yield f"{numbers(group)}: the same."


def _attempt(
    group: AttemptGroup, details: Json | None, found: FoundPod, layout: ExplainLayout
) -> Iterator[str]:
    """One attempt: its result, and why."""
    row = group.first
    name = f"Attempt {group.place} (step {row.step}, number {row.number} of the run)"
    yield headline(row, name)
    if not group.in_full:
        return
    if details is None:
        yield ""
        yield UNKNOWN
        return
    nodes = found.nodes_at(row.step)
    if layout.node is not None:
        yield ""
        yield from explain_node.lines(details, layout.node, is_there=layout.node in nodes)
    else:
        yield from explaining.details(details, view(details, len(nodes), layout))


def view(details: Json, node_count: int, layout: ExplainLayout) -> AttemptView:
    """What is known besides the details of an attempt."""
    return AttemptView(_weights(details), node_count, layout.width, layout.top)


def headline(row: Tried, name: str) -> str:
    """The result of an attempt, under this name."""
    if row.result == "scheduled":
        return f"{name}: {row.node} is chosen"
    return f"{name}: {row.result}\n  {row.message}"


def _weights(details: Json) -> dict[str, int]:
    """How much plugins count, as far as their scores show it."""
    weights: dict[str, int] = {}
    for scores in (details.get("score") or {}).values():
        for plugin, found in scores.items():
            if plugin not in weights and found["normalized"]:
                weights[plugin] = found["final"] // found["normalized"]
    return weights


def numbers(group: AttemptGroup) -> str:
    """The attempts of a group behind the first."""
    first, last = group.place + 1, group.place + len(group.attempts) - 1
    if first == last:
        return f"Attempt {first}"
    return f"Attempts {first} {'and' if last == first + 1 else 'to'} {last}"


def _outcome(found: PodAttempts) -> Iterator[str]:
    pod, victims = found.pod, found.victims
    joint = "from" if pod.status in ("Preempted", "Deleted") else "on"
    where = f" {joint} {pod.node}" if pod.node else ""
    known = [f"profile {_profile(found)}", count(len(found.attempts), "attempt")]
    if pod.object:
        known.insert(1, f"priority {pod.priority}")
    yield f"{pod.key}: {pod.status}{where} ({', '.join(known)})"
    yield f"  {', '.join(_history(pod))}"
    if victims:
        gone = [f"{each.key} on {each.node}, step {each.preempted}" for each in victims]
        yield f"  preempted for it: {'; '.join(gone)}"


def _profile(found: PodAttempts) -> str:
    return found.attempts[-1].profile if found.attempts else found.pod.profile


def _history(pod: PodState) -> Iterator[str]:
    yield f"created in step {pod.created}"
    if pod.bound is not None:
        yield f"bound in step {pod.bound}"
    if pod.finished is not None:
        yield f"ended in step {pod.finished}"
    if pod.preempted is not None:
        yield f"preempted in step {pod.preempted} by {pod.preempted_by or 'somebody'}"
    if pod.deleted is not None:
        yield f"deleted in step {pod.deleted}"
