"""Moments of a run that its charts mark: failures, rollouts, rescales, and what a driver did."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.results.life import windows

if TYPE_CHECKING:
    from collections.abc import Iterable

FAILURE: Final = "failure"
RECOVERY: Final = "recovery"
ROLLOUT: Final = "rollout"
RESCALE: Final = "rescale"
PREEMPTION: Final = "preemption"
EVICTION: Final = "eviction"
STEP: Final = "step"
ACTION: Final = "action"
PURCHASE: Final = "purchase"
DISRUPTION: Final = "disruption"
KINDS: Final = (
    FAILURE,
    RECOVERY,
    ROLLOUT,
    RESCALE,
    PREEMPTION,
    EVICTION,
    STEP,
    ACTION,
    PURCHASE,
    DISRUPTION,
)


class Mark(NamedTuple):
    """A moment: what sort it is of, what it is about, and what happened."""

    at_ns: int
    kind: str
    subject: str
    text: str


class Marks:
    """Marks as they come up."""

    def __init__(self) -> None:
        self.all: list[Mark] = []

    def add(self, at_ns: int, kind: str, subject: str, text: str) -> None:
        """One more."""
        assert kind in KINDS, kind
        self.all.append(Mark(at_ns, kind, subject, text))

    def rows(
        self, begin_ns: int, decided: Iterable[Mark], begin_unix_ns: int
    ) -> list[tuple[float, str, str, str]]:
        """A row for each mark, and for those about nodes that were `decided`, by time.

        Marks of one moment are in the order in which they came, those about nodes last. An action
        by which an autoscaler does what it has decided is not marked beside that.
        """
        about = [(windows.since(begin_unix_ns, each.at_ns), *each[1:]) for each in decided]
        known = {(at, subject) for at, _, subject, _ in about}
        found = [(windows.since(begin_ns, each.at_ns), *each[1:]) for each in self.all]
        found = [row for row in found if row[1] != ACTION or (row[0], row[2]) not in known]
        return sorted([*found, *about], key=lambda row: row[0])
