"""Every loop that there is, in the order in which they are told of a change.

Each is named here with the kinds that it waits for, and loaded when the first such object is there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

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


class _CronJobs(Later):
    place = "cronjob.loop:CronJobController"
    kinds = (_CRON_JOB, _JOB)
    reads = (("batch/v1", "CronJob"),)


class _Jobs(Later):
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
    place = "ttl_after_finished:TTLAfterFinishedController"
    kinds = (_JOB,)


class _Garbage(Later):
    place = "garbage_collector:GarbageCollectorController"


class _Namespaces(Later):
    place = "namespace:NamespaceController"


class _OfClaims(Later):
    """Pods concern a loop of volumes if they name claims."""

    kinds = (_CLAIM, _VOLUME, _POD)

    def concerns(self, kind: tuple[str, str], obj: dict[str, Any]) -> bool:
        return kind != _POD or any(True for _ in claims_of(obj))


class _Volumes(_OfClaims):
    place = "volumes.binder:PersistentVolumeController"


class _ClaimProtection(_OfClaims):
    place = "volumes.protection:PVCProtectionController"
    kinds = (_CLAIM, _POD)


class _VolumeProtection(Later):
    place = "volumes.protection:PVProtectionController"
    kinds = (_VOLUME,)


class _EphemeralVolumes(_OfClaims):
    place = "volumes.ephemeral:EphemeralVolumeController"
    kinds = (_CLAIM, _POD)


class _Quotas(Later):
    place = "resource_quota:ResourceQuotaController"
    kinds = (("", "ResourceQuota"),)
    reads = (("v1", "ResourceQuota"),)


class _ReplicaSets(Later):
    place = "replicaset.loop:ReplicaSetController"
    kinds = (("apps", "ReplicaSet"),)


class _ReplicationControllers(Later):
    place = "replication:ReplicationController"
    kinds = (("", "ReplicationController"),)


class _Deployments(Later):
    place = "deployment.loop:DeploymentController"
    kinds = (("apps", "Deployment"),)


class _StatefulSets(Later):
    place = "statefulset.loop:StatefulSetController"
    kinds = (("apps", "StatefulSet"),)
    reads = (("v1", "PersistentVolumeClaim"),)


class _DaemonSets(Later):
    place = "daemonset.loop:DaemonSetController"
    kinds = (("apps", "DaemonSet"),)


class _Budgets(Later):
    place = "disruption.loop:DisruptionController"
    kinds = (("policy", "PodDisruptionBudget"),)


class _Endpoints(Later):
    place = "endpoints:EndpointController"
    kinds = (_SERVICE, ("", "Endpoints"))


class _EndpointSlices(Later):
    place = "endpointslice.loop:EndpointSliceController"
    kinds = (_SERVICE,)


class _NodeLifecycle(Later):
    place = "node_lifecycle.loop:NodeLifecycleController"


class _Evictions(Later):
    place = "taint_eviction:TaintEvictionController"


class _GoneAndEndedPods(Later):
    place = "pod_gc:PodGCController"


class _Events(Later):
    place = "event_ttl:EventTTLController"


class _Provisioner(Later):
    place = "volumes.external_provisioner:ExternalProvisioner"
    kinds = (_CLAIM, _VOLUME)


class _Kubelets(Later):
    place = "kubelet.loop:KubeletController"


class _Stages(Later):
    place = "kwok.player:Player"
    kinds = (("kwok.x-k8s.io", "Stage"),)


LOOPS: Final[tuple[type[Controller], ...]] = (
    _CronJobs,
    _Jobs,
    _EndedJobs,
    _Garbage,
    _Namespaces,
    _Volumes,
    _ClaimProtection,
    _VolumeProtection,
    _EphemeralVolumes,
    _Quotas,
    _ReplicaSets,
    _ReplicationControllers,
    _Deployments,
    _StatefulSets,
    _DaemonSets,
    _Budgets,
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
)
"""All that keeps a stage alive: also what is at work outside, on the nodes and in drivers."""
