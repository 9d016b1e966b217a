"""Every loop that there is, in the order in which they are told of a change.

Each is named here with the kinds that it waits for, and loaded when the first such object is there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.controllers import pods
from kubestage.controllers.disruption_target import DISRUPTION_TARGET
from kubestage.controllers.later import Later
from kubestage.controllers.volumes.pods_by_claim import claims_of

if TYPE_CHECKING:
    from kubestage.controllers.controller import Controller

_POD: Final = ("", "Pod")
_CLAIM: Final = ("", "PersistentVolumeClaim")
_VOLUME: Final = ("", "PersistentVolume")
_SERVICE: Final = ("", "Service")
_CRON_JOB: Final = ("batch", "CronJob")
_JOB: Final = ("batch", "Job")
_DEVICE_CLAIM: Final = ("resource.k8s.io", "ResourceClaim")


class _CronJobs(Later):
    name = "cronjob-controller"
    place = "cronjob.loop:CronJobController"
    kinds = (_CRON_JOB, _JOB)
    reads = (("batch/v1", "CronJob"),)


class _Jobs(Later):
    name = "job-controller"
    place = "job.loop:JobController"
    kinds = (_JOB, _POD)
    reads = (("batch/v1", "Job"),)

    def concerns(self, kind: tuple[str, str], obj: dict[str, Any]) -> bool:
        """Jobs, and pods that one of them has or holds."""
        metadata = obj["metadata"]
        owners = metadata.get("ownerReferences") or ()
        return (
            kind == _JOB
            or bool(metadata.get("finalizers"))
            or any(owner.get("kind") == "Job" for owner in owners)
        )


class _EndedJobs(Later):
    name = "ttl-after-finished-controller"
    place = "ttl_after_finished:TTLAfterFinishedController"
    kinds = (_JOB,)


class _Garbage(Later):
    name = "garbage-collector-controller"
    place = "garbage_collector:GarbageCollectorController"


class _Namespaces(Later):
    name = "namespace-controller"
    place = "namespace:NamespaceController"


class _RootCA(Later):
    name = "root-ca-certificate-publisher-controller"
    place = "root_ca_publisher:RootCACertPublisher"

    @property
    def is_needed(self) -> bool:
        """Whether there is a certificate to publish."""
        return bool(self.cluster.settings.root_ca_cert)


class _OfClaims(Later):
    """Pods concern a loop of volumes if they name claims."""

    def concerns(self, kind: tuple[str, str], obj: dict[str, Any]) -> bool:
        return kind != _POD or any(True for _ in claims_of(obj))


class _Volumes(_OfClaims):
    name = "persistentvolume-controller"
    place = "volumes.binder:PersistentVolumeController"
    kinds = (_CLAIM, _VOLUME, _POD)


class _ClaimProtection(_OfClaims):
    name = "pvc-protection-controller"
    place = "volumes.protection:PVCProtectionController"
    kinds = (_CLAIM, _POD)


class _VolumeProtection(Later):
    name = "pv-protection-controller"
    place = "volumes.protection:PVProtectionController"
    kinds = (_VOLUME,)


class _EphemeralVolumes(_OfClaims):
    name = "ephemeral_volume"
    place = "volumes.ephemeral:EphemeralVolumeController"
    kinds = (_CLAIM, _POD)


class _ResourceClaims(Later):
    name = "resource_claim"
    place = "resource_claim.loop:ResourceClaimController"
    kinds = (_DEVICE_CLAIM, _POD)

    def concerns(self, kind: tuple[str, str], obj: dict[str, Any]) -> bool:
        """Claims, and pods that have some or will."""
        return kind != _POD or (
            "resourceClaims" in obj["spec"]
            or "extendedResourceClaimStatus" in (obj.get("status") or ())
        )


class _Quotas(Later):
    name = "resourcequota-controller"
    place = "resource_quota:ResourceQuotaController"
    kinds = (("", "ResourceQuota"),)
    reads = (("v1", "ResourceQuota"),)


class _ReplicaSets(Later):
    name = "replicaset-controller"
    place = "replicaset.loop:ReplicaSetController"
    kinds = (("apps", "ReplicaSet"),)


class _ReplicationControllers(Later):
    name = "replication-controller"
    place = "replication:ReplicationController"
    kinds = (("", "ReplicationController"),)


class _Deployments(Later):
    name = "deployment-controller"
    place = "deployment.loop:DeploymentController"
    kinds = (("apps", "Deployment"),)


class _StatefulSets(Later):
    name = "statefulset-controller"
    place = "statefulset.loop:StatefulSetController"
    kinds = (("apps", "StatefulSet"),)
    reads = (("v1", "PersistentVolumeClaim"),)


class _DaemonSets(Later):
    name = "daemonset-controller"
    place = "daemonset.loop:DaemonSetController"
    kinds = (("apps", "DaemonSet"),)


class _Budgets(Later):
    name = "controllermanager"
    place = "disruption.loop:DisruptionController"
    kinds = (("policy", "PodDisruptionBudget"), _POD)

    def concerns(self, kind: tuple[str, str], obj: dict[str, Any]) -> bool:
        """Budgets, and pods that are said to be disrupted: that may turn out not to be so."""
        return kind != _POD or pods.condition(obj.get("status"), DISRUPTION_TARGET) is not None


class _HorizontalPodAutoscalers(Later):
    name = "horizontal-pod-autoscaler"
    place = "hpa.loop:HorizontalController"
    kinds = (("autoscaling", "HorizontalPodAutoscaler"),)


class _Endpoints(Later):
    name = "endpoint-controller"
    place = "endpoints:EndpointController"
    kinds = (_SERVICE, ("", "Endpoints"))

    def start(self) -> None:
        """The loop reads Endpoints only when it starts."""
        self.cluster.store.read(("v1", "Endpoints"))


class _EndpointSlices(Later):
    name = "endpoint-slice-controller"
    place = "endpointslice.loop:EndpointSliceController"
    kinds = (_SERVICE,)


class _NodeLifecycle(Later):
    name = "node-controller"
    place = "node_lifecycle.loop:NodeLifecycleController"


class _Evictions(Later):
    name = "taint-eviction-controller"
    place = "taint_eviction:TaintEvictionController"


class _GoneAndEndedPods(Later):
    name = "pod-garbage-collector-controller"
    place = "pod_gc:PodGCController"


class _Events(Later):
    name = "event-ttl"
    place = "event_ttl:EventTTLController"


class _Provisioner(Later):
    name = "external-provisioner"
    place = "volumes.external_provisioner:ExternalProvisioner"
    kinds = (_CLAIM, _VOLUME)


class _Kubelets(Later):
    name = "kubelet"
    place = "kubelet.loop:KubeletController"


class _Stages(Later):
    name = "kwok_controller"
    place = "kwok.player:Player"
    kinds = (("kwok.x-k8s.io", "Stage"),)


class _VerticalPodAutoscalers(Later):
    name = "vpa-updater"
    place = "vpa.loop:VpaController"
    kinds = (("autoscaling.k8s.io", "VerticalPodAutoscaler"),)


class _NodeGroups(Later):
    name = "cluster-autoscaler"
    place = "node_autoscaler.loop:NodeAutoscaler"
    kinds = (("kubestage.dev", "NodeGroup"),)


LOOPS: Final[tuple[type[Controller], ...]] = (
    _CronJobs,
    _Jobs,
    _EndedJobs,
    _Garbage,
    _Namespaces,
    _RootCA,
    _Volumes,
    _ClaimProtection,
    _VolumeProtection,
    _EphemeralVolumes,
    _ResourceClaims,
    _Quotas,
    _ReplicaSets,
    _ReplicationControllers,
    _Deployments,
    _StatefulSets,
    _DaemonSets,
    _Budgets,
    _HorizontalPodAutoscalers,
    _Endpoints,
    _EndpointSlices,
    _NodeLifecycle,
    _Evictions,
    _GoneAndEndedPods,
    _Events,
)
"""What kube-controller-manager runs."""

ALL: Final[tuple[type[Controller], ...]] = (
    *LOOPS,
    _Provisioner,
    _Kubelets,
    _Stages,
    _VerticalPodAutoscalers,
    _NodeGroups,
)
"""All that keeps a stage alive: also what is at work outside, on the nodes and in drivers."""
