"""The story of a pod of a run: what became of it, and each attempt at it."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Final

from kubestage.cli import explain_node, explaining
from kubestage.cli.explaining import View, count

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from kubestage.aliases import Json
    from kubestage.cli.explain_found import Found, Subject
    from kubestage.results.analysis import PodState
    from kubestage.results.comparison import Tried


# A pod that was tried ever again, with ever another result, is told at its beginning and end.
_FIRST: Final = 2
_LAST: Final = 3


@dataclasses.dataclass(frozen=True, slots=True)
class Group:
    """Attempts that follow one another with the same outcome: one of them is told.

    `place` is the place of the first among all attempts at the pod, from 1.
    """

    place: int
    attempts: list[Tried]
    in_full: bool = True

    @property
    def first(self) -> Tried:
        """The one that is told."""
        return self.attempts[0]


@dataclasses.dataclass(frozen=True, slots=True)
class Look:
    """How a reader wants to see it; `node` is the one that they ask about, if they do."""

    width: int
    top: int
    node: str | None = None


def groups(attempts: Iterable[Tried], place: int = 1) -> list[Group]:
    """Attempts by outcome; if that makes many, those in the middle are told in a line each."""
    found: list[Group] = []
    for attempt in attempts:
        if found and found[-1].first.outcome == attempt.outcome:
            found[-1].attempts.append(attempt)
        else:
            found.append(Group(place, [attempt]))
        place += 1
    if len(found) <= _FIRST + _LAST + 1:
        return found
    return [
        dataclasses.replace(each, in_full=at < _FIRST or at >= len(found) - _LAST)
        for at, each in enumerate(found)
    ]


def tell(
    found: Found,
    subject: Subject,
    shown: Sequence[Group],
    told: Mapping[int, Json],
    look: Look,
) -> Iterator[str]:
    """What became of a pod, then its attempts."""
    yield from _fate(subject)
    for group in shown:
        yield ""
        yield from attempt(group, told.get(group.first.number), found, look)
        if len(group.attempts) > 1:
            yield ""
            yield f"{_numbers(group)}: the same."


def attempt(group: Group, told: Json | None, found: Found, look: Look) -> Iterator[str]:
    """One attempt: its result, and why."""
    row = group.first
    name = f"Attempt {group.place} (step {row.step}, number {row.number} of the run)"
    yield headline(row, name)
    if not group.in_full:
        return
    if told is None:
        yield ""
        yield "What the plugins said is not known."
        return
    nodes = found.nodes_at(row.step)
    if look.node is not None:
        yield ""
        yield from explain_node.lines(told, look.node, is_there=look.node in nodes)
    else:
        yield from explaining.details(told, view(told, len(nodes), look))


def view(told: Json, node_count: int, look: Look) -> View:
    """What is known around an attempt."""
    return View(_weights(told), node_count, look.width, look.top)


def headline(row: Tried, name: str) -> str:
    """What came of an attempt, under this name."""
    if row.result == "scheduled":
        return f"{name}: {row.node} is chosen"
    return f"{name}: {row.result}\n  {row.message}"


def _weights(told: Json) -> dict[str, int]:
    """How much plugins count, as far as their scores show it."""
    weights: dict[str, int] = {}
    for scores in (told.get("score") or {}).values():
        for plugin, found in scores.items():
            if plugin not in weights and found["normalized"]:
                weights[plugin] = found["final"] // found["normalized"]
    return weights


def _numbers(group: Group) -> str:
    first, last = group.place + 1, group.place + len(group.attempts) - 1
    if first == last:
        return f"Attempt {first}"
    return f"Attempts {first} {'and' if last == first + 1 else 'to'} {last}"


def _fate(subject: Subject) -> Iterator[str]:
    pod, victims = subject.pod, subject.victims
    joint = "from" if pod.status in ("Preempted", "Deleted") else "on"
    where = f" {joint} {pod.node}" if pod.node else ""
    known = [f"profile {_profile(subject)}", count(len(subject.attempts), "attempt")]
    if pod.object:
        known.insert(1, f"priority {pod.priority}")
    yield f"{pod.key}: {pod.status}{where} ({', '.join(known)})"
    yield f"  {', '.join(_life(pod))}"
    if victims:
        gone = [f"{each.key} on {each.node}, step {each.preempted}" for each in victims]
        yield f"  preempted for it: {'; '.join(gone)}"


def _profile(subject: Subject) -> str:
    return subject.attempts[-1].profile if subject.attempts else subject.pod.profile


def _life(pod: PodState) -> Iterator[str]:
    yield f"created in step {pod.created}"
    if pod.bound is not None:
        yield f"bound in step {pod.bound}"
    if pod.finished is not None:
        yield f"ended in step {pod.finished}"
    if pod.preempted is not None:
        yield f"preempted in step {pod.preempted} by {pod.preempted_by or 'somebody'}"
    if pod.deleted is not None:
        yield f"deleted in step {pod.deleted}"
