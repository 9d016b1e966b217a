"""The attempts of a run, one row each, in the order in which they were made."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from kubestage.results.analysis.digest import digest

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.results.analysis.digest import Run
    from kubestage.results.analysis.pod_state import PodState
    from kubestage.results.analysis.timeline import TimelineAttempt
    from kubestage.results.run_record_file import DecisionRow
    from kubestage.scheduler.record import Decision


class Tried(msgspec.Struct, frozen=True, rename="camel"):
    """One attempt at a pod.

    `node` is where it was put, `nominated_node` where room was made for it by evicting `victims`.
    Victims are None where nothing is known of them.
    """

    number: int
    step: int
    pod: str
    profile: str
    result: str
    node: str | None
    message: str
    evaluated_nodes: int | None
    feasible_nodes: int | None
    nominated_node: str | None = None
    victims: tuple[str, ...] | None = None

    @property
    def outcome(self) -> tuple[object, ...]:
        """The result in every respect; of attempts at a pod with one outcome, one is shown."""
        return (
            self.result,
            self.node,
            self.message,
            self.evaluated_nodes,
            self.feasible_nodes,
            self.nominated_node,
            self.victims,
        )


def tried(run: Run) -> list[Tried]:
    """All attempts in a status; none if it was written without them."""
    known = digest(run)
    rows = [of_pod(pod, attempt) for pod in known.pods for attempt in pod.attempts]
    return sorted(rows, key=lambda row: row.number)


def of_pod(pod: PodState, attempt: TimelineAttempt) -> Tried:
    """An attempt as a status describes it."""
    preemption = attempt.preemption
    return Tried(
        attempt.attempt or 0,
        attempt.step or 0,
        pod.key,
        attempt.profile or pod.profile,
        attempt.result or "",
        attempt.node or None,
        attempt.message or "",
        attempt.evaluated_nodes,
        attempt.feasible_nodes,
        preemption.nominated_node if preemption is not None else None,
        tuple(preemption.victims or ()) if preemption is not None else (),
    )


def recorded(rows: Iterable[DecisionRow]) -> list[Tried]:
    """All attempts in a record, without preemption, which it does not store."""
    return [of_decision(row, row.step) for row in rows]


def of_decision(row: DecisionRow | Decision, step: int) -> Tried:
    """An attempt from a row of a record, or from the scheduler itself."""
    return Tried(
        row.number,
        step,
        row.pod,
        row.profile,
        row.result,
        row.node or None,
        row.message,
        row.evaluated,
        row.feasible,
    )
