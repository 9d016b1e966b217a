"""The small cluster of one scenario: a namespace, its nodes, all loops, and parts of the lab."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.registry import LOOPS
from kubestage.controllers.settings import Settings
from kubestage.objects import gvk, timestamps
from kubestage.replay.lab_kubelet import LabKubelet
from kubestage.replay.lab_scheduler import LabScheduler
from kubestage.replay.record import StepRecord
from kubestage.stage import Stage
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.replay.scenario import RecordedScenario
    from kubestage.store.log import Change


# Far from any full hour, so that no schedule comes due but those that a scenario waits for.
_START: Final = "2026-03-04T10:40:20Z"
# Where in the periods of the loops operations begin is not recorded: each seed has its own moment.
_FIRST_STEP_NS: Final = 3_500_000_000
_SEEDS_APART_NS: Final = 900_000_000
_LEASE_NAMESPACE: Final = "kube-node-lease"
_RENEWED_EVERY: Final = "kubestage.dev/renewed-every"
_RENEWAL_NS: Final = 8 * SECOND_NS
_REAL_SCHEDULER: Final = """\
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: real-scheduler
"""
# What the recorded controller manager was started with.
SETTINGS: Final = Settings(
    pvclaimbinder_sync_period_ns=3 * SECOND_NS,
    node_eviction_rate=20.0,
    secondary_node_eviction_rate=20.0,
    in_tree_provisioners=frozenset(("kubernetes.io/host-path",)),
    root_ca_cert="lab",
)


class LabCluster:
    """Everything that takes part in a scenario, on one clock."""

    def __init__(self, scenario: RecordedScenario, seed: int = 0) -> None:
        self.namespace = f"lab-{scenario.name}"
        self.pool = scenario.name
        self.stage = Stage(seed, start=_START, implicit_namespaces=False)
        self.store, self.clock = self.stage.store, self.stage.clock
        self.environment = self.stage.environment
        self.record = StepRecord(self.store, self.clock, self.namespace)
        self.scheduler = LabScheduler(self.store, self.environment)
        quiet_ns = round(scenario.kubelet_quiet_seconds * SECOND_NS)
        self.kubelet = LabKubelet(self.store, self.environment, scenario.kubelet, quiet_ns)
        self._begin(scenario)
        self.run_until(_FIRST_STEP_NS + seed * _SEEDS_APART_NS)

    def _begin(self, scenario: RecordedScenario) -> None:
        namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": self.namespace}}
        self.store.create(namespace)
        self.store.subscribe(self._on_change)
        self.stage.add_controllers(SETTINGS, loops=LOOPS)
        if _wants_real_scheduler(scenario):
            self.stage.add_scheduler(_REAL_SCHEDULER)
        for name in scenario.nodes:
            self.add_node(name)

    def run_until(self, at_ns: int) -> None:
        """Let virtual time pass."""
        self.environment.run(until_ns=at_ns)

    def add_node(self, name: str) -> None:
        """A node joins: ready, large, and renewing its lease every few seconds."""
        self.store.load(_node(name, self.pool, self.now))
        self.store.create(
            {
                "apiVersion": "coordination.k8s.io/v1",
                "kind": "Lease",
                "metadata": {
                    "name": name,
                    "namespace": _LEASE_NAMESPACE,
                    "annotations": {_RENEWED_EVERY: "8s"},
                },
                "spec": {
                    "holderIdentity": name,
                    "leaseDurationSeconds": 40,
                    "renewTime": timestamps.format_micro_time(self.clock.unix_ns),
                },
            }
        )

    def fall_silent(self, name: str) -> None:
        """A node's kubelet stops: its lease keeps the time of the last renewal."""
        lease = self.store.get(gvk.LEASE, name, _LEASE_NAMESPACE)
        if _RENEWED_EVERY not in (lease["metadata"].get("annotations") or {}):
            return
        since_ns = timestamps.parse_micro_time(lease["spec"]["renewTime"])
        last_ns = self.clock.unix_ns - (self.clock.unix_ns - since_ns) % _RENEWAL_NS
        renewed = {"renewTime": timestamps.format_micro_time(last_ns)}
        patch = {"metadata": {"annotations": {_RENEWED_EVERY: None}}, "spec": renewed}
        self.store.patch(gvk.LEASE, name, patch, _LEASE_NAMESPACE)

    def speak_again(self, name: str) -> None:
        """A node's kubelet renews its lease again."""
        renewed = {"renewTime": timestamps.format_micro_time(self.clock.unix_ns)}
        patch = {"metadata": {"annotations": {_RENEWED_EVERY: "8s"}}, "spec": renewed}
        self.store.patch(gvk.LEASE, name, patch, _LEASE_NAMESPACE)

    @property
    def now(self) -> str:
        """The virtual time, as objects write it."""
        return self.stage.now

    def _on_change(self, change: Change) -> None:
        if change.kind.kind in ("Event", "Lease"):
            self.record.on_event(change)
            return
        self.record.on_change(change)
        self.scheduler.on_change(change)
        self.kubelet.on_change(change)


def _wants_real_scheduler(scenario: RecordedScenario) -> bool:
    return any(
        (operation.get("manifest") or {}).get("spec", {}).get("schedulerName") == "real-scheduler"
        for step in scenario.steps
        for operation in step.operation
    )


def ready_condition(status: str, at: str) -> Json:
    """What the kubelet reports of its node."""
    reason = "KubeletReady" if status == "True" else "KubeletNotReady"
    return {
        "type": "Ready",
        "status": status,
        "lastHeartbeatTime": at,
        "lastTransitionTime": at,
        "reason": reason,
        "message": "lab",
    }


def _node(name: str, pool: str, at: str) -> Json:
    room = {"cpu": "64", "memory": "256Gi", "pods": "500"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": name,
            "labels": {"pool": pool, "kubernetes.io/hostname": name},
            "creationTimestamp": at,
        },
        "status": {
            "capacity": room,
            "allocatable": room,
            "conditions": [ready_condition("True", at)],
        },
    }
