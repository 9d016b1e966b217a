"""A PodDisruptionBudget holds: no pod is preempted or evicted that its budget protects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.objects import labels
from kubestage.results.life import disruptions
from kubestage.store.log import DELETED
from kubestage.sweep.worst.invariants import parameters as stated_parameters
from kubestage.sweep.worst.invariants.invariant import Verdict
from kubestage.wording import few, plural

if TYPE_CHECKING:
    from typing import Self

    from kubestage.aliases import Json
    from kubestage.objects.labels import Selector
    from kubestage.stage import Stage
    from kubestage.store.log import Change
    from kubestage.sweep.worst.runner import CaseRun

_FORCED: Final = ("Preempted", "Evicted")
"""What the scheduler and kubelets do regardless of a budget; the API refuses other evictions."""
_NONE: Final = -3.0
_NO_DISRUPTION: Final = -2.0


class Violation(NamedTuple):
    """A pod that was ended although its budget allowed no disruption."""

    budget: str
    pod: str
    how: str


class BudgetHolds:
    """Broken by a pod that is preempted, or evicted by its kubelet, while a budget of it allows no
    disruption. Pods of a node that fails are not counted: that is not voluntary.
    """

    @classmethod
    def read(cls, parameters: dict[str, str]) -> Self:
        """It has no parameters."""
        stated_parameters.refuse_others(parameters, ())
        return cls()

    def observe(self, stage: Stage) -> BudgetObservation:
        """Watch budgets and pods."""
        found = BudgetObservation()
        stage.store.subscribe(found.on_change)
        return found


class BudgetObservation:
    """How many disruptions each budget allows, and those that it did not."""

    def __init__(self) -> None:
        self.violations: list[Violation] = []
        self._budgets: dict[str, tuple[Selector, int]] = {}
        self._least: int | None = None

    def on_change(self, change: Change) -> None:
        """Take in a change."""
        if change.kind.kind == "PodDisruptionBudget":
            self._on_budget(change)
        elif change.kind.kind == "Pod":
            how = disruptions.ended_by(change)
            if how in _FORCED:
                self._on_end(change.key, change.new, how)

    def verdict(self, run: CaseRun) -> Verdict:  # noqa: ARG002
        """Broken if there is a violation; it was the closer, the fewer disruptions were left."""
        if not self.violations:
            if self._least is None:
                return Verdict(_NO_DISRUPTION if self._budgets else _NONE)
            return Verdict(-self._least / (1 + self._least))
        pods = tuple(dict.fromkeys(each.pod for each in self.violations))
        budgets = few(dict.fromkeys(each.budget for each in self.violations))
        hows = "/".join(sorted({each.how.lower() for each in self.violations}))
        number = plural(len(pods), "pod")
        sentence = f"{number} {hows} although budget {budgets} allowed no disruption: {few(pods)}"
        return Verdict(float(len(self.violations)), sentence, pods)

    def _on_budget(self, change: Change) -> None:
        if change.type == DELETED:
            self._budgets.pop(change.key, None)
            return
        selector = labels.from_label_selector((change.new.get("spec") or {}).get("selector"))
        allowed = (change.new.get("status") or {}).get("disruptionsAllowed") or 0
        self._budgets[change.key] = (selector, int(allowed))

    def _on_end(self, key: str, pod: Json, how: str) -> None:
        own = pod["metadata"].get("labels") or {}
        namespace = key.partition("/")[0]
        for name, (selector, allowed) in self._budgets.items():
            if name.partition("/")[0] != namespace or not selector.matches(own):
                continue
            self._budgets[name] = (selector, allowed - 1)
            left = max(allowed - 1, 0)
            self._least = left if self._least is None else min(self._least, left)
            if allowed < 1:
                self.violations.append(Violation(name, key, how))
