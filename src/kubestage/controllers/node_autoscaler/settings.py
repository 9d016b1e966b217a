"""The flags of cluster-autoscaler."""

from __future__ import annotations

from typing import Final

import msgspec

from kubestage.controllers.node_autoscaler.node_state import TaintRules
from kubestage.errors import InputError
from kubestage.units import SECOND_NS

_MINUTE_NS: Final = 60 * SECOND_NS
MAX_NODE_STARTUP_TIME_NS: Final = 15 * _MINUTE_NS
_GIB: Final = 1 << 30

EXPANDERS: Final = ("least-nodes", "least-waste", "most-pods", "price", "priority", "random")


class NodeAutoscalerSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The defaults are those of cluster-autoscaler 1.36, and the names are those of its flags."""

    scan_interval_ns: int = 10 * SECOND_NS
    """How often the cluster is scanned."""

    frequent_loops_enabled: bool = True
    """Whether a pod that fits nowhere, or a scan that did something, starts a scan at once."""

    expander: str = "least-waste"
    """How to choose among groups; several are separated by commas, and each chooses among what the
    one before it left."""

    max_nodes_total: int = 0
    """How many nodes there may be; 0 is no limit."""

    cores_total: str = "0:320000"
    """The least and the most cores of the cluster, as ``<min>:<max>``."""

    memory_total: str = "0:6400000"
    """The least and the most memory of the cluster in GiB, as ``<min>:<max>``."""

    max_nodes_per_scaleup: int = 1000
    """How many nodes one scale-up adds at most."""

    balance_similar_node_groups: bool = False
    """Whether a scale-up is divided among similar groups."""

    balancing_ignore_label: tuple[str, ...] = ()
    """Labels that may differ between similar groups."""

    balancing_label: tuple[str, ...] = ()
    """Labels that groups must have in common to be similar; then nothing else counts."""

    memory_difference_ratio: float = 0.015
    """By how much the memory of similar groups may differ."""

    max_allocatable_difference_ratio: float = 0.05
    """By how much the allocatable resources of similar groups may differ."""

    max_free_difference_ratio: float = 0.05
    """By how much the free resources of similar groups may differ."""

    enforce_node_group_min_size: bool = False
    """Whether groups below their minimum are scaled up."""

    new_pod_scale_up_delay_ns: int = 0
    """How old a pod must be to cause a scale-up."""

    expendable_pods_priority_cutoff: int = -10
    """Pods of a lower priority cause no scale-up and do not keep a node."""

    scale_up_from_zero: bool = True
    """Whether anything is done while the cluster has no ready node."""

    bypassed_scheduler_names: tuple[str, ...] = ()
    """Schedulers whose pods count before these have looked at them."""

    allowed_scheduler_names: tuple[str, ...] = ()
    """If given, no pod of another scheduler counts, wherever it is."""

    force_ds: bool = False
    """Whether templates get the DaemonSets that would run there."""

    startup_taint: tuple[str, ...] = ()
    """Keys of taints that a node has while it starts; it is not ready until then."""

    startup_taint_prefix: tuple[str, ...] = ()
    """What the keys of such taints begin with."""

    status_taint: tuple[str, ...] = ()
    """Keys of taints that come and go; templates are without them."""

    max_node_provision_time_ns: int = 15 * _MINUTE_NS
    """How long a requested node may take to register."""

    max_node_startup_time_ns: int = MAX_NODE_STARTUP_TIME_NS
    """How long a registered node may take to become ready."""

    initial_node_group_backoff_duration_ns: int = 5 * _MINUTE_NS
    """How long a group is left out after its first failure."""

    max_node_group_backoff_duration_ns: int = 30 * _MINUTE_NS
    """How long a group is left out at most."""

    node_group_backoff_reset_timeout_ns: int = 180 * _MINUTE_NS
    """How long without a failure resets that time."""

    ok_total_unready_count: int = 3
    """How many unready nodes are always tolerated."""

    max_total_unready_percentage: float = 45.0
    """The percentage of unready nodes above which nothing is done."""

    scale_down_enabled: bool = True
    """Whether nodes are removed."""

    scale_down_unready_enabled: bool = True
    """Whether unready nodes are removed."""

    scale_down_delay_after_add_ns: int = 10 * _MINUTE_NS
    """How long after a scale-up no node is removed."""

    scale_down_delay_type_local: bool = False
    """Whether these delays count for each group by itself."""

    scale_down_delay_after_delete_ns: int = 0
    """How long after a removal no other node is removed."""

    scale_down_delay_after_failure_ns: int = 3 * _MINUTE_NS
    """How long after a failed removal no node is removed."""

    scale_down_unneeded_time_ns: int = 10 * _MINUTE_NS
    """How long a node must be unneeded to be removed."""

    scale_down_unready_time_ns: int = 20 * _MINUTE_NS
    """How long an unready node must be unneeded to be removed."""

    scale_down_utilization_threshold: float = 0.5
    """The utilization below which a node may be unneeded."""

    scale_down_gpu_utilization_threshold: float = 0.5
    """The same for nodes with GPUs."""

    scale_down_non_empty_candidates_count: int = 30
    """Has no effect, as in cluster-autoscaler 1.36."""

    ignore_daemonsets_utilization: bool = False
    """Whether pods of DaemonSets do not count for utilization."""

    ignore_mirror_pods_utilization: bool = False
    """Whether mirror pods do not count for utilization."""

    unremovable_node_recheck_timeout_ns: int = 5 * _MINUTE_NS
    """How long a node that cannot be removed is not examined again."""

    max_scale_down_parallelism: int = 10
    """How many nodes are removed in parallel."""

    max_drain_parallelism: int = 1
    """How many nodes with pods are drained in parallel."""

    max_bulk_soft_taint_count: int = 10
    """How many nodes are marked as candidates in one scan."""

    cordon_node_before_terminating: bool = True
    """Whether a node is cordoned before it is removed."""

    node_delete_delay_after_taint_ns: int = 5 * SECOND_NS
    """How long after its taint a node is drained."""

    node_deletion_delay_timeout_ns: int = 2 * _MINUTE_NS
    """How long an emptied node waits for others to remove their delay-deletion annotations."""

    max_pod_eviction_time_ns: int = 2 * _MINUTE_NS
    """How long evictions from a node are tried."""

    max_graceful_termination_sec: int = 600
    """How long pods of a drained node have to end."""

    daemonset_eviction_for_empty_nodes: bool = False
    """Whether pods of DaemonSets are evicted from empty nodes."""

    daemonset_eviction_for_occupied_nodes: bool = True
    """Whether pods of DaemonSets are evicted from other nodes."""

    skip_nodes_with_system_pods: bool = True
    """Whether nodes with pods of kube-system stay."""

    skip_nodes_with_local_storage: bool = True
    """Whether nodes with pods that have local data stay."""

    skip_nodes_with_custom_controller_pods: bool = True
    """Whether nodes with pods of unknown controllers stay."""

    blocking_system_pod_disruption_timeout_ns: int = 60 * _MINUTE_NS
    """How long after its start a pod of kube-system without a budget keeps its node."""

    min_replica_count: int = 0
    """How many replicas the controller of a pod must have for its node to be removed."""

    force_delete_unregistered_nodes: bool = False
    """Whether machines that never register go even if their group is at its minimum size."""

    write_status_configmap: bool = True
    """Whether the status is written to a ConfigMap."""

    status_config_map_name: str = "cluster-autoscaler-status"
    """The name of that ConfigMap."""

    namespace: str = "kube-system"
    """The namespace of the ConfigMaps."""

    def __post_init__(self) -> None:
        for name in self.expander.split(","):
            if name not in EXPANDERS:
                raise InputError(
                    f"{name!r} is no expander",
                    path="node_autoscaler.expander",
                    fix=f"choose from {', '.join(EXPANDERS)}; commas join several",
                )
        if self.scan_interval_ns <= 0:
            raise InputError(
                "the scan interval must be above zero", path="node_autoscaler.scan_interval_ns"
            )
        for path in ("cores_total", "memory_total"):
            _bounds(getattr(self, path), path)

    @property
    def taint_rules(self) -> TaintRules:
        """Which taints pass when a node has started, and which come and go."""
        return TaintRules(self.startup_taint, self.startup_taint_prefix, self.status_taint)

    @property
    def cores(self) -> tuple[int, int]:
        """The least and the most cores of all nodes together."""
        return _bounds(self.cores_total, "cores_total")

    @property
    def memory(self) -> tuple[int, int]:
        """The least and the most bytes of memory of all nodes together."""
        least, most = _bounds(self.memory_total, "memory_total")
        return least * _GIB, most * _GIB


def _bounds(text: str, path: str) -> tuple[int, int]:
    least, _, most = text.partition(":")
    if not (least.isdecimal() and most.isdecimal() and int(least) <= int(most)):
        raise InputError(
            f"{text!r} gives no bounds",
            path=f"node_autoscaler.{path}",
            fix="write the least and the most, as in 0:64",
        )
    return int(least), int(most)
