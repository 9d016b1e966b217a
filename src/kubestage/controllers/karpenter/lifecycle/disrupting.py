"""The disruption loop at work: a round every ten seconds, or at once after a command."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.karpenter import labels
from kubestage.controllers.karpenter.decisions.findings import Findings
from kubestage.controllers.karpenter.disruption import rounds, validation
from kubestage.controllers.karpenter.disruption.rounds import Round
from kubestage.sim.periodic_timer import PeriodicTimer
from kubestage.units import MINUTE_NS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.controllers.karpenter.disruption.context import Context
    from kubestage.controllers.karpenter.lifecycle.at_work import AtWork
    from kubestage.controllers.karpenter.lifecycle.orchestration import Orchestration
    from kubestage.controllers.node_decisions import Verdict
    from kubestage.sim.environment import Environment

KEY: Final = "disrupt"
_REVALIDATED_NS: Final = 5 * MINUTE_NS


class Disrupting:
    """Runs rounds; one without a command is repeated when something may have become different."""

    def __init__(
        self,
        at_work: AtWork,
        context: Context,
        orchestration: Orchestration,
        environment: Environment,
    ) -> None:
        self._at_work = at_work
        self._timer = PeriodicTimer(
            environment, "Disruption", "karpenter_disrupts", rounds.POLLING_NS, self._tick
        )
        self._context = context
        self._orchestration = orchestration
        self._methods = rounds.methods(context)
        self._round: Round | None = None
        self._has_changed = self._owes_look = True
        self._changed_ns = self._fruitless_ns = 0
        self._findings = Findings()
        at_work.decisions.add_source(self.present)

    def notice(self) -> None:
        """Something has changed that a round depends on."""
        self._has_changed = self._owes_look = True
        self._changed_ns = self._at_work.now_ns

    def start(self) -> None:
        """Run rounds from now on."""
        self._timer.start()

    def sync(self) -> None:
        """Go on with a round, or begin one."""
        at_work = self._at_work
        at_work.cluster.now_ns = at_work.now_ns
        is_observed = at_work.decisions.is_observed
        self._context.findings = self._findings if is_observed else None
        if self._round is None:
            if not self._is_due():
                return
            self._has_changed = False
            self._unmark_leftovers()
            self._round = Round(self._context, self._methods)
        outcome = self._round.advance()
        if is_observed:
            self._report()
        if outcome is None:
            at_work.wake(KEY, validation.DELAY_NS)
            return
        self._round = None
        for command in outcome.commands:
            self._orchestration.start(command)
        if outcome.commands:
            at_work.wake(KEY, outcome.next_after_ns)
        else:
            self._fruitless_ns = at_work.now_ns
            self._timer.stop()
            self._timer.start()

    def _report(self) -> None:
        """Say of which nodes something else holds than before."""
        at_work = self._at_work
        self._findings.keep(each.name for each in self._context.nodes)
        for verdict in self._findings.changed(at_work.now_ns):
            at_work.decisions.report(verdict)

    def present(self) -> Iterator[Verdict]:
        """What holds of every node now, as far as rounds have looked at it."""
        return self._findings.all(self._at_work.now_ns)

    def _tick(self) -> None:
        if self._round is None:
            self._at_work.wake(KEY, 0)

    def _is_due(self) -> bool:
        """Whether a round may find something: a change, or what time alone brings about.

        NOTE: Karpenter looks at everything every five minutes. Once nothing has come of that, the
        next look would be the same: hours without changes should not take time.
        """
        now_ns, last_ns = self._at_work.now_ns, self._fruitless_ns
        if self._has_changed:
            return True
        if now_ns - self._changed_ns >= _REVALIDATED_NS and self._owes_look:
            self._owes_look = False
            return True
        if now_ns - last_ns >= _REVALIDATED_NS and self._has_protected_pods():
            return True
        if any(each.nominated(last_ns) and not each.nominated(now_ns)
               for each in self._context.nodes):  # fmt: skip
            return True
        pools = self._context.node_pools
        return any(
            each.get("schedule")
            for pool in pools
            for each in (pool["spec"].get("disruption") or {}).get("budgets") or ()
        )

    def _has_protected_pods(self) -> bool:
        """Whether pods are annotated not to be disrupted until they have reached some age."""
        pods = self._at_work.cluster.objects.all("Pod")
        found = ((each["metadata"].get("annotations") or {}).get(labels.DO_NOT_DISRUPT)
                 for each in pods)  # fmt: skip
        return any(each is not None and each != "true" for each in found)

    def _unmark_leftovers(self) -> None:
        """Nodes that no command is about do not stay marked."""
        left = [
            each.name
            for each in self._context.nodes
            if each.is_being_disrupted
            and each.provider_id not in self._context.disrupting
            and not each.marked_for_deletion
        ]
        self._orchestration.unmark(left)
