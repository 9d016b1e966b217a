"""What machines do by themselves: they register, become ready, and are taken back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.karpenter import events, labels
from kubestage.controllers.karpenter.lifecycle.at_work import NODE, is_going
from kubestage.controllers.kubelet.annotations import HEARTBEAT
from kubestage.controllers.kubelet.outages import STOPPED
from kubestage.errors import AlreadyExists, Forbidden
from kubestage.objects import timestamps

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.karpenter.lifecycle.at_work import AtWork
    from kubestage.controllers.karpenter.provider.machines import Machine

_INTERRUPTED: Final = "Spot interruption warning was triggered"
_NOT_READY: Final = "node.kubernetes.io/not-ready"
_STARTING: Final = ("KubeletNotReady", "container runtime network not ready")
_LOST: Final = ("NodeStatusUnknown", "Kubelet stopped posting node status.")


class MachineEvents:
    """Plays machines; keys are ``register:ID``, ``ready:ID``, ``interrupt:ID``, ``reclaim:ID``."""

    def __init__(self, at_work: AtWork) -> None:
        self._at_work = at_work

    def sync(self, key: str) -> None:
        """Let happen to a machine what is due."""
        what, _, provider_id = key.partition(":")
        machine = self._at_work.cloud.machines.get(provider_id)
        if machine is None:
            return
        if what == "register":
            self._register(machine)
        elif what == "ready":
            self._become_ready(machine)
        elif what == "interrupt":
            self._interrupt(machine)
        else:
            self._reclaim(machine)

    def _register(self, machine: Machine) -> None:
        if machine.is_terminating:
            return
        claim = self._at_work.claim(machine.claim)
        if claim is None:
            return
        taint, own = labels.UNREGISTERED_TAINT, claim["metadata"].get("labels") or {}
        condition = self._condition("False", *_STARTING)
        node = {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {
                "name": machine.claim,
                "labels": {**machine.labels, **own, labels.HOSTNAME: machine.claim},
                "annotations": {HEARTBEAT: STOPPED},
            },
            "spec": {
                "providerID": machine.provider_id,
                "taints": [
                    {"key": taint.key, "effect": taint.effect},
                    {"key": _NOT_READY, "effect": "NoSchedule"},
                    *machine.taints,
                ],
            },
            "status": {
                "capacity": machine.capacity,
                "allocatable": machine.allocatable,
                "conditions": [condition],
                "nodeInfo": {
                    "architecture": machine.labels.get(labels.ARCH, ""),
                    "operatingSystem": machine.labels.get(labels.OS, ""),
                },
            },
        }
        try:
            self._at_work.store.create(node)
        except (AlreadyExists, Forbidden):
            # As a kubelet that cannot register: Karpenter gives its NodeClaim up in time.
            return
        key = f"machine:ready:{machine.provider_id}"
        self._at_work.wake(key, machine.initialization_ns)

    def _become_ready(self, machine: Machine) -> None:
        at_work = self._at_work
        node = at_work.node(machine.claim)
        if node is None or machine.is_terminating:
            return
        # From here on its kubelet reports.
        self._report(node, None)
        taints = (node.get("spec") or {}).get("taints") or []
        left = [each for each in taints if each["key"] != _NOT_READY]
        if machine.removes_startup_taints:
            claim = at_work.claim(machine.claim) or {"spec": {}}
            startup = {
                (each["key"], each["effect"]) for each in claim["spec"].get("startupTaints") or ()
            }
            left = [each for each in left if (each["key"], each["effect"]) not in startup]
        patch: Json = {"metadata": {"annotations": {HEARTBEAT: None}}}
        if len(left) != len(taints):
            patch["spec"] = {"taints": left or None}
        at_work.patch(NODE, machine.claim, patch)

    def _interrupt(self, machine: Machine) -> None:
        """The provider announces that it takes a machine back: its node is drained at once."""
        at_work = self._at_work
        if machine.is_terminating:
            return
        claim, node = at_work.claim(machine.claim), at_work.node(machine.claim)
        for kind, obj in (("NodeClaim", claim), ("Node", node)):
            if obj is not None:
                event = events.about(kind, obj, "SpotInterrupted", _INTERRUPTED, events.WARNING)
                at_work.publish(event)
        at_work.cloud.capacity.mark(machine.place, at_work.now_ns)
        if claim is not None and not is_going(claim):
            at_work.give_up(claim, "SpotInterrupted: the provider takes the machine back")
        notice_ns = at_work.cloud.notice_ns(machine)
        at_work.wake(f"machine:reclaim:{machine.provider_id}", notice_ns)

    def _reclaim(self, machine: Machine) -> None:
        """The machine is gone, whatever still ran there."""
        at_work = self._at_work
        at_work.cloud.machines.remove(machine.provider_id)
        node = at_work.node(machine.claim)
        if node is not None:
            self._report(node, self._condition("Unknown", *_LOST))
            stopped = {"metadata": {"annotations": {HEARTBEAT: STOPPED}}}
            at_work.patch(NODE, machine.claim, stopped)
            at_work.wake(f"node:{machine.claim}", 0)

    def _report(self, node: Json, condition: Json | None) -> None:
        status = node.get("status") or {}
        others = [each for each in status.get("conditions") or () if each["type"] != "Ready"]
        changed = {**status, "conditions": [*others, *([condition] if condition else [])]}
        self._at_work.write_status(NODE, node, changed)

    def _condition(self, status: str, reason: str, message: str) -> Json:
        now = timestamps.format_time(self._at_work.now_ns)
        return {
            "type": "Ready",
            "status": status,
            "reason": reason,
            "message": message,
            "lastHeartbeatTime": now,
            "lastTransitionTime": now,
        }
