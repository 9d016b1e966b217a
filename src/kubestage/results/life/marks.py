"""Moments of a run that its charts mark: failures, rollouts, rescales, and what a driver did."""

from __future__ import annotations

from typing import Final, NamedTuple

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

    def in_order(self) -> list[Mark]:
        """By time; of one moment in the order in which they came."""
        return sorted(self.all, key=lambda each: each.at_ns)
