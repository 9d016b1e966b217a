"""A round of the disruption loop: the methods in their order, until one has a command."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.controllers.karpenter.disruption import balanced, validation
from kubestage.controllers.karpenter.disruption.consolidation import Consolidation
from kubestage.controllers.karpenter.disruption.drift import Drift
from kubestage.controllers.karpenter.disruption.emptiness import Emptiness
from kubestage.controllers.karpenter.disruption.multi_node import MultiNodeConsolidation
from kubestage.controllers.karpenter.disruption.single_node import SingleNodeConsolidation
from kubestage.controllers.karpenter.disruption.static_drift import StaticDrift
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from kubestage.controllers.karpenter.disruption.balanced import Totals
    from kubestage.controllers.karpenter.disruption.candidates import Candidate
    from kubestage.controllers.karpenter.disruption.command import Command
    from kubestage.controllers.karpenter.disruption.context import Context
    from kubestage.controllers.karpenter.disruption.methods import Method

POLLING_NS: Final = 10 * SECOND_NS
"""How long after a round without a command the next one is."""

IMMEDIATELY_NS: Final = 1
UNSYNCED_NS: Final = SECOND_NS


class Outcome(NamedTuple):
    """What a round has led to, and how long after it the next one is."""

    commands: list[Command]
    next_after_ns: int


def methods(context: Context) -> list[Method]:
    """The methods, in the order in which they are tried; they remember what they have seen."""
    return [
        Emptiness(context),
        StaticDrift(context),
        Drift(context),
        MultiNodeConsolidation(context),
        SingleNodeConsolidation(context),
    ]


def eligible(context: Context, method: Method) -> tuple[list[Candidate], dict[str, Totals]]:
    """The candidates of a method, and what their NodePools cost as a whole."""
    found = context.snapshot.candidates(context.publish, is_eventual=method.is_eventual)
    totals: dict[str, Totals] = {}
    is_scored = any(each.policy == balanced.BALANCED for each in found)
    if is_scored and isinstance(method, Consolidation):
        totals = balanced.totals_of(context, found)
    return [each for each in found if method.should_disrupt(each)], totals


class Round:
    """One round; while a command waits for its validation, the round is half done."""

    def __init__(self, context: Context, tried: list[Method]) -> None:
        self._context = context
        self._left = list(tried)
        self._waiting: tuple[Method, Command] | None = None

    def advance(self) -> Outcome | None:
        """Go on; None if that is to be done once more after `validation.DELAY_NS`."""
        if not self._context.cluster.synced:
            return Outcome([], UNSYNCED_NS)
        if self._waiting is not None:
            method, command = self._waiting
            self._waiting = None
            confirmed = method.confirm(command)
            if confirmed is not None:
                return Outcome([confirmed], IMMEDIATELY_NS)
        while self._left:
            method = self._left.pop(0)
            commands = self._propose(method)
            if commands and method.is_validated:
                self._waiting = method, commands[0]
                return None
            if commands:
                return Outcome(commands, IMMEDIATELY_NS)
        return Outcome([], POLLING_NS)

    def _propose(self, method: Method) -> list[Command]:
        context = self._context
        candidates, totals = eligible(context, method)
        if not candidates:
            return []
        if isinstance(method, Consolidation):
            method.take_totals(totals)
        return method.propose(validation.budgets(context, method.reason), candidates)
