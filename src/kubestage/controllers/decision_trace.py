"""What autoscalers decide, as movements, so that a trace has their decisions with the reasons.

Pods and replicas move when others are notified of a decision, whatever its source.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.sim.entity import Entity
from kubestage.sim.stock import ArrayStock, SinkStock

if TYPE_CHECKING:
    from kubestage.sim.environment import Environment

KIND: Final = "Decision"


class DecisionTrace:
    """The decisions of one sort of autoscaler, each of which moves as soon as it is made."""

    def __init__(self, environment: Environment, who: str) -> None:
        self._environment = environment
        self._deciding: ArrayStock[Entity] = ArrayStock(f"{who}Deciding", KIND)
        self._decided: SinkStock[Entity] = SinkStock(f"{who}Decided", KIND, keeps_entities=False)

    def record(self, what: str, subject: str, why: str) -> None:
        """Something was decided about a workload or a pod."""
        environment, decision = self._environment, Entity(subject, KIND)
        self._deciding.add(decision)
        now_ns = environment.current_movement_time
        environment.schedule(what, now_ns, self._deciding, self._decided, decision, why)
