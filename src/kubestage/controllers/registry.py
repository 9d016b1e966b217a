"""Every loop that there is, in the order in which they are notified of a change.

Each is named here with the kinds that it waits for, and loaded when the first such object is there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage import lazy
from kubestage.controllers import pods
from kubestage.controllers.disruption_target import DISRUPTION_TARGET
from kubestage.controllers.lazy_controller import LazyController
from kubestage.controllers.volumes.pods_by_claim import claims_of

with lazy.imports():
    from kubestage.controllers import (
        endpoints,
        event_ttl,
        garbage_collector,
        namespace,
        pod_gc,
        replication,
        resource_quota,
        root_ca_publisher,
        taint_eviction,
        ttl_after_finished,
    )
    from kubestage.controllers.cronjob import loop as cronjob
    from kubestage.controllers.daemonset import loop as daemonset
    from kubestage.controllers.deployment import loop as deployment
    from kubestage.controllers.disruption import loop as disruption
    from kubestage.controllers.endpointslice import loop as endpointslice
    from kubestage.controllers.hpa import loop as hpa
    from kubestage.controllers.job import loop as job
    from kubestage.controllers.kubelet import loop as kubelet
    from kubestage.controllers.kwok import player
    from kubestage.controllers.node_autoscaler import loop as node_autoscaler
    from kubestage.controllers.node_lifecycle import loop as node_lifecycle
    from kubestage.controllers.replicaset import loop as replicaset
    from kubestage.controllers.resource_claim import loop as resource_claim
    from kubestage.controllers.statefulset import loop as statefulset
    from kubestage.controllers.volumes import binder, ephemeral, external_provisioner, protection
    from kubestage.controllers.vpa import loop as vpa

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.controller import Cluster
    from kubestage.controllers.lazy_controller import GroupKind

_POD: Final = ("", "Pod")
_CLAIM: Final = ("", "PersistentVolumeClaim")
_VOLUME: Final = ("", "PersistentVolume")
_SERVICE: Final = ("", "Service")
_CRON_JOB: Final = ("batch", "CronJob")
_JOB: Final = ("batch", "Job")


def _has_root_ca(cluster: Cluster) -> bool:
    return bool(cluster.settings.root_ca_cert)


def _has_job(kind: GroupKind, obj: Json) -> bool:
    """Jobs, and pods that a Job owns or that have a finalizer."""
    metadata = obj["metadata"]
    owners = metadata.get("ownerReferences") or ()
    return (
        kind == _JOB
        or bool(metadata.get("finalizers"))
        or any(owner.get("kind") == "Job" for owner in owners)
    )


def _has_claims(kind: GroupKind, obj: Json) -> bool:
    """Claims and volumes, and pods that name claims."""
    return kind != _POD or any(True for _ in claims_of(obj))


def _has_resource_claims(kind: GroupKind, obj: Json) -> bool:
    """ResourceClaims, and pods that have some or will have some."""
    return kind != _POD or (
        "resourceClaims" in obj["spec"]
        or "extendedResourceClaimStatus" in (obj.get("status") or ())
    )


def _has_disruption(kind: GroupKind, obj: Json) -> bool:
    """Budgets, and pods with the DisruptionTarget condition, which may have to be withdrawn."""
    return kind != _POD or pods.condition(obj.get("status"), DISRUPTION_TARGET) is not None


LOOPS: Final = (
    LazyController(
        "cronjob-controller",
        lambda: cronjob.CronJobController,
        kinds=(_CRON_JOB, _JOB),
    ),
    LazyController(
        "job-controller",
        lambda: job.JobController,
        kinds=(_JOB, _POD),
        concerns=_has_job,
    ),
    LazyController(
        "ttl-after-finished-controller",
        lambda: ttl_after_finished.TTLAfterFinishedController,
        kinds=(_JOB,),
    ),
    LazyController(
        "garbage-collector-controller", lambda: garbage_collector.GarbageCollectorController
    ),
    LazyController("namespace-controller", lambda: namespace.NamespaceController),
    LazyController(
        "root-ca-certificate-publisher-controller",
        lambda: root_ca_publisher.RootCACertPublisher,
        is_enabled=_has_root_ca,
    ),
    LazyController(
        "persistentvolume-controller",
        lambda: binder.PersistentVolumeController,
        kinds=(_CLAIM, _VOLUME, _POD),
        concerns=_has_claims,
    ),
    LazyController(
        "pvc-protection-controller",
        lambda: protection.PVCProtectionController,
        kinds=(_CLAIM, _POD),
        concerns=_has_claims,
    ),
    LazyController(
        "pv-protection-controller", lambda: protection.PVProtectionController, kinds=(_VOLUME,)
    ),
    LazyController(
        "ephemeral_volume",
        lambda: ephemeral.EphemeralVolumeController,
        kinds=(_CLAIM, _POD),
        concerns=_has_claims,
    ),
    LazyController(
        "resource_claim",
        lambda: resource_claim.ResourceClaimController,
        kinds=(("resource.k8s.io", "ResourceClaim"), _POD),
        concerns=_has_resource_claims,
    ),
    LazyController(
        "resourcequota-controller",
        lambda: resource_quota.ResourceQuotaController,
        kinds=(("", "ResourceQuota"),),
    ),
    LazyController(
        "replicaset-controller",
        lambda: replicaset.ReplicaSetController,
        kinds=(("apps", "ReplicaSet"),),
    ),
    LazyController(
        "replication-controller",
        lambda: replication.ReplicationController,
        kinds=(("", "ReplicationController"),),
    ),
    LazyController(
        "deployment-controller",
        lambda: deployment.DeploymentController,
        kinds=(("apps", "Deployment"),),
    ),
    LazyController(
        "statefulset-controller",
        lambda: statefulset.StatefulSetController,
        kinds=(("apps", "StatefulSet"),),
    ),
    LazyController(
        "daemonset-controller",
        lambda: daemonset.DaemonSetController,
        kinds=(("apps", "DaemonSet"),),
    ),
    LazyController(
        "controllermanager",
        lambda: disruption.DisruptionController,
        kinds=(("policy", "PodDisruptionBudget"), _POD),
        concerns=_has_disruption,
    ),
    LazyController(
        "horizontal-pod-autoscaler",
        lambda: hpa.HorizontalController,
        kinds=(("autoscaling", "HorizontalPodAutoscaler"),),
    ),
    LazyController(
        "endpoint-controller",
        lambda: endpoints.EndpointController,
        kinds=(_SERVICE, ("", "Endpoints")),
    ),
    LazyController(
        "endpoint-slice-controller",
        lambda: endpointslice.EndpointSliceController,
        kinds=(_SERVICE,),
    ),
    LazyController("node-controller", lambda: node_lifecycle.NodeLifecycleController),
    LazyController("taint-eviction-controller", lambda: taint_eviction.TaintEvictionController),
    LazyController("pod-garbage-collector-controller", lambda: pod_gc.PodGCController),
    LazyController("event-ttl", lambda: event_ttl.EventTTLController),
)
"""What kube-controller-manager runs."""

ALL: Final = (
    *LOOPS,
    LazyController(
        "external-provisioner",
        lambda: external_provisioner.ExternalProvisioner,
        kinds=(_CLAIM, _VOLUME),
    ),
    LazyController("kubelet", lambda: kubelet.KubeletController),
    LazyController("kwok_controller", lambda: player.Player, kinds=(("kwok.x-k8s.io", "Stage"),)),
    LazyController(
        "vpa-updater",
        lambda: vpa.VpaController,
        kinds=(("autoscaling.k8s.io", "VerticalPodAutoscaler"),),
    ),
    LazyController(
        "cluster-autoscaler",
        lambda: node_autoscaler.NodeAutoscaler,
        kinds=(("kubestage.dev", "NodeGroup"),),
    ),
)
"""All loops of a living stage: also those on nodes, in drivers and of autoscalers."""


def lazy_controller(name: str) -> LazyController:
    """The entry of this name."""
    return next(each for each in ALL if each.name == name)
