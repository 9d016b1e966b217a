"""No autoscaler oscillates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.golang import durations
from kubestage.objects import node_pools
from kubestage.store.log import ADDED, DELETED
from kubestage.sweep.worst.invariants import parameters as stated_parameters
from kubestage.sweep.worst.invariants.invariant import Verdict
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from typing import Self

    from kubestage.sim.clock import Clock
    from kubestage.stage import Stage
    from kubestage.store.log import Change
    from kubestage.sweep.worst.runner import CaseRun

_HPA: Final = "HorizontalPodAutoscaler"


class NoOscillation(msgspec.Struct, frozen=True):
    """Broken by an HPA, or a NodeGroup, that changes its direction more than `changes` times
    `within` a span of time: from more to fewer replicas or nodes, or from fewer to more.
    """

    changes: int
    within_ns: int

    @classmethod
    def read(cls, parameters: dict[str, str]) -> Self:
        """Its parameters are `changes`, 3 by default, and `within`, 10m by default."""
        stated_parameters.refuse_others(parameters, ("changes", "within"))
        return cls(
            stated_parameters.count(parameters, "changes", 3),
            stated_parameters.duration_ns(parameters, "within", "10m"),
        )

    def observe(self, stage: Stage) -> OscillationObservation:
        """Watch HPAs and nodes."""
        found = OscillationObservation(self, stage.clock)
        stage.store.subscribe(found.on_change)
        return found


class OscillationObservation:
    """When each autoscaler changed its direction."""

    def __init__(self, invariant: NoOscillation, clock: Clock) -> None:
        self._invariant, self._clock = invariant, clock
        self._direction: dict[str, int] = {}
        self._turns: dict[str, list[int]] = {}

    def on_change(self, change: Change) -> None:
        """Take in a change."""
        if change.kind.kind == _HPA and change.old is not None and change.type != DELETED:
            before, after = (
                (each.get("status") or {}).get("desiredReplicas")
                for each in (change.old, change.new)
            )
            if before is not None and after is not None:
                self._moved(f"hpa/{change.key}", after - before)
        elif change.kind.kind == "Node" and change.type in (ADDED, DELETED):
            group = (change.new["metadata"].get("labels") or {}).get(node_pools.GROUP_LABEL)
            if group:
                self._moved(f"nodegroup/{group}", 1 if change.type == ADDED else -1)

    def verdict(self, run: CaseRun) -> Verdict:  # noqa: ARG002
        """Broken by the autoscaler that turned most often within the span."""
        most, name, begin_ns = 0, "", 0
        for each, turns in self._turns.items():
            for first, at_ns in enumerate(turns):
                end_ns = at_ns + self._invariant.within_ns
                number = sum(1 for other in turns[first:] if other <= end_ns)
                if number > most:
                    most, name, begin_ns = number, each, at_ns
        score = float(most - self._invariant.changes)
        if score <= 0:
            return Verdict(score)
        span = durations.go_string(self._invariant.within_ns)
        since = durations.go_string(begin_ns // SECOND_NS * SECOND_NS)
        sentence = f"{name} changed its direction {most} times within {span}, from {since} on"
        return Verdict(score, sentence)

    def _moved(self, name: str, by: int) -> None:
        if by == 0:
            return
        direction = 1 if by > 0 else -1
        if self._direction.get(name, direction) != direction:
            self._turns.setdefault(name, []).append(self._clock.now_ns)
        self._direction[name] = direction
