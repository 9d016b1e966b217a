"""No pod starves while less important ones that came later are placed."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import msgspec

from kubestage.store.log import DELETED
from kubestage.sweep.worst.invariants import parameters as stated_parameters
from kubestage.sweep.worst.invariants.invariant import Verdict
from kubestage.wording import few, plural

if TYPE_CHECKING:
    from typing import Self

    from kubestage.aliases import Json
    from kubestage.stage import Stage
    from kubestage.store.log import Change
    from kubestage.sweep.worst.runner import CaseRun


class NoStarvation(msgspec.Struct, frozen=True):
    """Broken by a pod that waits while at least `overtaken` pods get a node that arrived later and
    have a lower priority. Only pods count that the scheduler has tried and found no node for, and
    pods of DaemonSets, which have a node of their own, do not overtake.
    """

    overtaken: int

    @classmethod
    def read(cls, parameters: dict[str, str]) -> Self:
        """Its parameter is `overtaken`, 1 by default."""
        stated_parameters.refuse_others(parameters, ("overtaken",))
        return cls(stated_parameters.count(parameters, "overtaken", 1))

    def observe(self, stage: Stage) -> StarvationObservation:
        """Watch pods."""
        found = StarvationObservation(self.overtaken)
        stage.store.subscribe(found.on_change)
        return found


@dataclasses.dataclass(slots=True)
class _Waiting:
    """A pod that waits for a node."""

    key: str
    priority: int
    order: int
    is_tried: bool = False
    overtaken: int = 0
    """By how many pods, whatever their priority."""
    overtakers: list[str] = dataclasses.field(default_factory=list)


class StarvationObservation:
    """The pods that wait, and those that overtook them."""

    def __init__(self, overtaken: int) -> None:
        self._overtaken = overtaken
        self._waiting: dict[str, _Waiting] = {}
        self._worst: _Waiting | None = None
        self._arrived = 0
        self._has_waited = False
        self._closest = 0

    def on_change(self, change: Change) -> None:
        """Take in a change."""
        if change.kind.kind != "Pod":
            return
        pod = change.new
        uid = str(pod["metadata"].get("uid") or change.key)
        if change.type == DELETED or "deletionTimestamp" in pod["metadata"]:
            self._waiting.pop(uid, None)
        elif pod["spec"].get("nodeName"):
            placed = self._waiting.pop(uid, None)
            if placed is not None and not _is_daemon(pod):
                self._overtake(placed)
        else:
            self._wait(uid, change.key, pod)

    def verdict(self, run: CaseRun) -> Verdict:  # noqa: ARG002
        """Broken by the pod that was overtaken most often."""
        worst = self._worst
        if worst is None:
            # Pods that were overtaken by others of their priority are close to it.
            near = self._closest / (1 + self._closest)
            return Verdict(near - 1 if self._has_waited else -2.0)
        number = len(worst.overtakers)
        score = float(number - self._overtaken + 1)
        if score <= 0:
            return Verdict(score)
        sentence = (
            f"{worst.key} (priority {worst.priority}) waited while "
            f"{plural(number, 'pod')} of lower priority that came later got a node: "
            f"{few(worst.overtakers)}"
        )
        return Verdict(score, sentence, (worst.key, *worst.overtakers))

    def _wait(self, uid: str, key: str, pod: Json) -> None:
        known = self._waiting.get(uid)
        if known is None:
            priority = int(pod["spec"].get("priority") or 0)
            known = self._waiting[uid] = _Waiting(key, priority, self._arrived)
            self._arrived += 1
        known.is_tried = known.is_tried or _is_unschedulable(pod)
        self._has_waited = self._has_waited or known.is_tried

    def _overtake(self, placed: _Waiting) -> None:
        for each in self._waiting.values():
            if not each.is_tried or each.order > placed.order:
                continue
            each.overtaken += 1
            self._closest = max(self._closest, each.overtaken)
            if each.priority > placed.priority:
                each.overtakers.append(placed.key)
                if self._worst is None or len(each.overtakers) > len(self._worst.overtakers):
                    self._worst = each


def _is_unschedulable(pod: Json) -> bool:
    conditions = (pod.get("status") or {}).get("conditions") or ()
    return any(each.get("reason") == "Unschedulable" for each in conditions)


def _is_daemon(pod: Json) -> bool:
    owners = pod["metadata"].get("ownerReferences") or ()
    return any(each.get("kind") == "DaemonSet" for each in owners)
