"""The flags of cluster-autoscaler."""

from __future__ import annotations

from typing import Final

import msgspec

from kubestage.errors import InputError
from kubestage.units import SECOND_NS

_MINUTE_NS: Final = 60 * SECOND_NS
_GIB: Final = 1 << 30

EXPANDERS: Final = ("least-nodes", "least-waste", "most-pods", "price", "priority", "random")


class NodeAutoscalerSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The defaults are those of cluster-autoscaler 1.36; names are its flags'.

    `cores_total` and `memory_total` (in GiB) are written ``<min>:<max>``. `expander` is one of
    EXPANDERS, or several with commas between them: each chooses among what the one before it left.
    """

    scan_interval_ns: int = 10 * SECOND_NS
    frequent_loops_enabled: bool = True
    expander: str = "least-waste"
    max_nodes_total: int = 0
    cores_total: str = "0:320000"
    memory_total: str = "0:6400000"
    max_nodes_per_scaleup: int = 1000
    balance_similar_node_groups: bool = False
    balancing_ignore_labels: tuple[str, ...] = ()
    memory_difference_ratio: float = 0.015
    max_allocatable_difference_ratio: float = 0.05
    max_free_difference_ratio: float = 0.05
    enforce_node_group_min_size: bool = False
    new_pod_scale_up_delay_ns: int = 0
    expendable_pods_priority_cutoff: int = -10
    force_ds: bool = False
    max_node_provision_time_ns: int = 15 * _MINUTE_NS
    max_node_startup_time_ns: int = 15 * _MINUTE_NS
    initial_node_group_backoff_duration_ns: int = 5 * _MINUTE_NS
    max_node_group_backoff_duration_ns: int = 30 * _MINUTE_NS
    node_group_backoff_reset_timeout_ns: int = 180 * _MINUTE_NS
    ok_total_unready_count: int = 3
    max_total_unready_percentage: float = 45.0
    scale_down_enabled: bool = True
    scale_down_unready_enabled: bool = True
    scale_down_delay_after_add_ns: int = 10 * _MINUTE_NS
    scale_down_delay_after_delete_ns: int = 0
    scale_down_delay_after_failure_ns: int = 3 * _MINUTE_NS
    scale_down_unneeded_time_ns: int = 10 * _MINUTE_NS
    scale_down_unready_time_ns: int = 20 * _MINUTE_NS
    scale_down_utilization_threshold: float = 0.5
    scale_down_gpu_utilization_threshold: float = 0.5
    ignore_daemonsets_utilization: bool = False
    ignore_mirror_pods_utilization: bool = False
    unremovable_node_recheck_timeout_ns: int = 5 * _MINUTE_NS
    max_scale_down_parallelism: int = 10
    max_drain_parallelism: int = 1
    max_bulk_soft_taint_count: int = 10
    cordon_node_before_terminating: bool = True
    node_delete_delay_after_taint_ns: int = 5 * SECOND_NS
    max_pod_eviction_time_ns: int = 2 * _MINUTE_NS
    max_graceful_termination_sec: int = 600
    daemonset_eviction_for_empty_nodes: bool = False
    daemonset_eviction_for_occupied_nodes: bool = True
    skip_nodes_with_system_pods: bool = True
    skip_nodes_with_local_storage: bool = True
    skip_nodes_with_custom_controller_pods: bool = True
    blocking_system_pod_disruption_timeout_ns: int = 60 * _MINUTE_NS
    min_replica_count: int = 0

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
