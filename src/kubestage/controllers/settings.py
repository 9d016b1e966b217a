"""What operators set with flags of kube-controller-manager, and what a stage adds to them."""

from __future__ import annotations

import msgspec

from kubestage.controllers.hpa.settings import HpaSettings
from kubestage.controllers.kubelet.settings import KubeletSettings
from kubestage.controllers.node_autoscaler.settings import NodeAutoscalerSettings
from kubestage.controllers.pacing import ControllerPacing
from kubestage.controllers.vpa.settings import VpaSettings
from kubestage.metrics.settings import MetricsSettings
from kubestage.units import SECOND_NS


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The defaults are those of kube-controller-manager v1.36."""

    node_monitor_period_ns: int = 5 * SECOND_NS
    node_monitor_grace_period_ns: int = 50 * SECOND_NS
    node_startup_grace_period_ns: int = 60 * SECOND_NS
    node_eviction_rate: float = 0.1
    secondary_node_eviction_rate: float = 0.01
    unhealthy_zone_threshold: float = 0.55
    large_cluster_size_threshold: int = 50
    terminated_pod_gc_threshold: int = 12_500
    pvclaimbinder_sync_period_ns: int = 15 * SECOND_NS
    resource_quota_sync_period_ns: int = 300 * SECOND_NS
    namespace_grace_period_ns: int = 5 * SECOND_NS
    max_endpoints_per_slice: int = 100
    event_ttl_ns: int = 3_600 * SECOND_NS
    provision_delay: str = "0s"
    in_tree_provisioners: frozenset[str] = frozenset()
    # In PEM. Without one there is nothing to publish.
    root_ca_cert: str = ""
    kubelet: KubeletSettings = KubeletSettings()
    hpa: HpaSettings = HpaSettings()
    vpa: VpaSettings = VpaSettings()
    node_autoscaler: NodeAutoscalerSettings = NodeAutoscalerSettings()
    metrics: MetricsSettings = MetricsSettings()
    pacing: ControllerPacing = ControllerPacing()
