"""Commands under way: nodes are marked, replacements are waited for, and then nodes go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.controllers.karpenter import events, labels
from kubestage.controllers.karpenter.conditions import condition_set
from kubestage.controllers.karpenter.conditions.condition_set import ConditionSet
from kubestage.controllers.karpenter.disruption import starting
from kubestage.controllers.karpenter.lifecycle.at_work import NODE, NODE_CLAIM, is_going
from kubestage.units import HOUR_NS, MILLISECOND_NS, MINUTE_NS, SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.aliases import Json
    from kubestage.controllers.karpenter.disruption.command import Command
    from kubestage.controllers.karpenter.disruption.context import Context
    from kubestage.controllers.karpenter.lifecycle.at_work import AtWork
    from kubestage.controllers.karpenter.lifecycle.node_claim_makers import NodeClaimMaker

_AGAIN_NS: Final = SECOND_NS
_LEAST_NS: Final = 10 * MINUTE_NS
_MOST_NS: Final = HOUR_NS
_PER_COMMAND_NS: Final = 80 * MILLISECOND_NS
_REASON: Final = "DisruptionReason"
_TAINT: Final = labels.DISRUPTED_TAINT


class Started(msgspec.Struct):
    """A command, when it was started, and the NodeClaims that replace its nodes."""

    command: Command
    at_ns: int
    replacements: list[str]
    ready: set[str] = set()


class Orchestration:
    """Carries commands out, each until it has succeeded, failed, or taken too long."""

    def __init__(self, at_work: AtWork, context: Context, maker: NodeClaimMaker) -> None:
        self._at_work = at_work
        self._context = context
        self._maker = maker
        self._started: dict[int, Started] = {}
        self._number = 0

    def start(self, command: Command) -> None:
        """Mark the nodes of a command, and launch what replaces them."""
        at_work = self._at_work
        for each in command.candidates:
            self._mark(each.node.node, each.node_claim, command.reason)
        replacements = self._maker.make(command.replacements, nominates=False, command=command)
        if len(replacements) != len(command.replacements):
            # The next round takes the marks away again. What was made stays until it is empty.
            return
        starting.start(self._context, command)
        self._number += 1
        self._started[self._number] = Started(command, at_work.now_ns, replacements)
        at_work.wake(f"command:{self._number}", 0)

    def sync(self, key: str) -> None:
        """Bring a command one step on."""
        number = int(key)
        started = self._started.get(number)
        if started is None:
            return
        problem = self._replacements_problem(started)
        if problem == "":
            self._terminate(started)
            self._finish(number, succeeded=True)
        elif problem is None and self._at_work.now_ns - started.at_ns <= self._patience_ns():
            self._at_work.wake(f"command:{number}", _AGAIN_NS)
        else:
            self.unmark(each.node.name for each in started.command.candidates)
            self._finish(number, succeeded=False)

    def unmark(self, names: Iterable[str]) -> None:
        """Let pods come again to nodes that stay."""
        for name in names:
            state = self._at_work.cluster.node_named(name)
            if state is None or state.node is None or state.node_claim is None:
                continue
            node, claim = state.node, state.node_claim
            taints = (node.get("spec") or {}).get("taints") or []
            left = [each for each in taints if each["key"] != _TAINT.key]
            if len(left) != len(taints) and not is_going(node):
                patch = {"spec": {"taints": left or None}}
                self._at_work.patch(NODE, node["metadata"]["name"], patch)
            conditions = ConditionSet(claim, condition_set.NODE_CLAIM, self._at_work.now_ns)
            if conditions.get(_REASON) is not None:
                conditions.clear(_REASON)
                self._at_work.write_status(NODE_CLAIM, claim, conditions.status)

    def _mark(self, node: Json | None, claim: Json, reason: str) -> None:
        at_work = self._at_work
        present = None if node is None else at_work.node(node["metadata"]["name"])
        if present is not None:
            taints = (present.get("spec") or {}).get("taints") or []
            if not any(each["key"] == _TAINT.key for each in taints):
                taints = [*taints, {"key": _TAINT.key, "effect": _TAINT.effect}]
                at_work.patch(NODE, present["metadata"]["name"], {"spec": {"taints": taints}})
        stored = at_work.claim(claim["metadata"]["name"])
        if stored is not None:
            conditions = ConditionSet(stored, condition_set.NODE_CLAIM, at_work.now_ns)
            conditions.set_true(_REASON, reason, reason)
            at_work.write_status(NODE_CLAIM, stored, conditions.status)

    def _replacements_problem(self, started: Started) -> str | None:
        """Empty if all replacements are ready, None if they are awaited, else what is wrong."""
        at_work, reason = self._at_work, started.command.reason
        is_waiting = False
        for name in started.replacements:
            if name in started.ready:
                continue
            claim = at_work.claim(name)
            if claim is None:
                return "replacement was deleted"
            text = f"Launching NodeClaim: {reason}"
            at_work.publish(events.about("NodeClaim", claim, "DisruptionLaunching", text))
            conditions = ConditionSet(claim, condition_set.NODE_CLAIM, at_work.now_ns)
            if conditions.is_true("Initialized"):
                started.ready.add(name)
                continue
            is_waiting = True
            text, kind = "Waiting on readiness to continue disruption", "DisruptionWaitingReadiness"
            at_work.publish(events.about("NodeClaim", claim, kind, text))
        return None if is_waiting else ""

    def _terminate(self, started: Started) -> None:
        at_work, command = self._at_work, started.command
        for each in command.candidates:
            node, claim = each.node.node, each.node_claim
            current = at_work.claim(claim["metadata"]["name"])
            if current is not None:
                reason = f"{command.reason}: {command.text_for(each)}"
                at_work.give_up(current, reason, started.replacements)
            for kind, obj in (("Node", node), ("NodeClaim", claim)):
                if obj is not None:
                    text = f"Disrupting {kind}: {command.reason}"
                    event = events.about(kind, obj, "DisruptionTerminating", text)
                    at_work.publish(event)

    def _finish(self, number: int, *, succeeded: bool) -> None:
        command = self._started.pop(number).command
        starting.finish(self._context, command, succeeded=succeeded)

    def _patience_ns(self) -> int:
        """The more is under way, the longer the provider may take."""
        nodes = sum(len(each.command.candidates) for each in self._started.values())
        return min(max(nodes * _PER_COMMAND_NS, _LEAST_NS), _MOST_NS)
