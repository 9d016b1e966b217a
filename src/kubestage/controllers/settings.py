"""What operators set with flags of kube-controller-manager, and what a stage adds to them."""

from __future__ import annotations

import msgspec

from kubestage.controllers.hpa.settings import HpaSettings
from kubestage.controllers.karpenter.settings import KarpenterSettings
from kubestage.controllers.kubelet.settings import KubeletSettings
from kubestage.controllers.node_autoscaler.settings import NodeAutoscalerSettings
from kubestage.controllers.pacing import ControllerPacing
from kubestage.controllers.vpa.settings import VpaSettings
from kubestage.metrics.settings import MetricsSettings
from kubestage.units import SECOND_NS


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The defaults are those of kube-controller-manager v1.36."""

    node_monitor_period_ns: int = 5 * SECOND_NS
    """How often upstream checks the heartbeats of nodes."""

    node_monitor_grace_period_ns: int = 50 * SECOND_NS
    """How long without a heartbeat a node stays ready."""

    node_startup_grace_period_ns: int = 60 * SECOND_NS
    """The same for a node that has never reported."""

    node_eviction_rate: float = 0.1
    """How many nodes a second are tainted in a healthy zone."""

    secondary_node_eviction_rate: float = 0.01
    """How many nodes a second are tainted in an unhealthy large zone."""

    unhealthy_zone_threshold: float = 0.55
    """The share of nodes that are not ready in an unhealthy zone."""

    large_cluster_size_threshold: int = 50
    """The number of nodes above which a zone is large."""

    terminated_pod_gc_threshold: int = 12_500
    """How many ended pods are retained."""

    pvclaimbinder_sync_period_ns: int = 15 * SECOND_NS
    """How often claims and volumes that wait are synced again."""

    resource_quota_sync_period_ns: int = 300 * SECOND_NS
    """How often quotas are synced again."""

    namespace_grace_period_ns: int = 5 * SECOND_NS
    """How long after the deletion of a namespace its contents are deleted."""

    max_endpoints_per_slice: int = 100
    """How many endpoints an EndpointSlice holds at most."""

    event_ttl_ns: int = 3_600 * SECOND_NS
    """How long Events are retained."""

    provision_delay: str = "0s"
    """How long a volume takes to be provisioned; a value or a distribution."""

    in_tree_provisioners: frozenset[str] = frozenset()
    """The provisioners that are part of kube-controller-manager."""

    root_ca_cert: str = ""
    """The certificate of kube-root-ca.crt, in PEM; without one, that of a served cluster."""

    kubelet: KubeletSettings = KubeletSettings()
    """Defaults of nodes and containers."""

    hpa: HpaSettings = HpaSettings()
    """Flags of the HorizontalPodAutoscaler."""

    vpa: VpaSettings = VpaSettings()
    """Flags of the VerticalPodAutoscaler."""

    node_autoscaler: NodeAutoscalerSettings = NodeAutoscalerSettings()
    """Flags of cluster-autoscaler."""

    karpenter: KarpenterSettings = KarpenterSettings()
    """Flags and feature gates of Karpenter."""

    metrics: MetricsSettings = MetricsSettings()
    """When usage is measured and served."""

    pacing: ControllerPacing = ControllerPacing()
    """What takes time in kube-controller-manager."""
