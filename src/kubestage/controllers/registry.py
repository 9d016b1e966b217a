"""Every loop that there is, in the order in which they are notified of a change.

Each is named here with the kinds that it waits for, and loaded when the first such object is there.
"""

from __future__ import annotations

from typing import Final

from kubestage import lazy
from kubestage.controllers import loop_conditions
from kubestage.controllers.lazy_controller import LazyController

with lazy.imports():
    from kubestage.controllers import (
        cluster_role_aggregation,
        csr_cleaner,
        endpoints,
        event_ttl,
        garbage_collector,
        namespace,
        pod_gc,
        replication,
        resource_quota,
        root_ca_publisher,
        service_accounts,
        service_cidrs,
        taint_eviction,
        ttl_after_finished,
        validating_admission_policy_status,
    )
    from kubestage.controllers.cronjob import loop as cronjob
    from kubestage.controllers.daemonset import loop as daemonset
    from kubestage.controllers.deployment import loop as deployment
    from kubestage.controllers.disruption import loop as disruption
    from kubestage.controllers.endpointslice import loop as endpointslice
    from kubestage.controllers.endpointslice import mirroring
    from kubestage.controllers.hpa import loop as hpa
    from kubestage.controllers.job import loop as job
    from kubestage.controllers.karpenter import loop as karpenter
    from kubestage.controllers.kubelet import loop as kubelet
    from kubestage.controllers.kwok import player
    from kubestage.controllers.node_autoscaler import loop as node_autoscaler
    from kubestage.controllers.node_lifecycle import loop as node_lifecycle
    from kubestage.controllers.replicaset import loop as replicaset
    from kubestage.controllers.resource_claim import loop as resource_claim
    from kubestage.controllers.statefulset import loop as statefulset
    from kubestage.controllers.volumes import binder, ephemeral, external_provisioner, protection
    from kubestage.controllers.vpa import loop as vpa


_POD: Final = ("", "Pod")
_CLAIM: Final = ("", "PersistentVolumeClaim")
_VOLUME: Final = ("", "PersistentVolume")
_SERVICE: Final = ("", "Service")
_ENDPOINTS: Final = ("", "Endpoints")
_ATTRIBUTES: Final = ("storage.k8s.io", "VolumeAttributesClass")
_CRON_JOB: Final = ("batch", "CronJob")
_JOB: Final = ("batch", "Job")


_EVENT_TTL: Final = LazyController("event-ttl", lambda: event_ttl.EventTTLController)

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
        concerns=loop_conditions.has_job,
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
        is_enabled=loop_conditions.has_root_ca,
    ),
    LazyController(
        "service-account-controller",
        lambda: service_accounts.ServiceAccountsController,
        is_enabled=loop_conditions.is_served,
    ),
    LazyController(
        "service-cidr-controller",
        lambda: service_cidrs.ServiceCIDRController,
        kinds=(("networking.k8s.io", "ServiceCIDR"),),
    ),
    LazyController(
        "clusterrole-aggregation-controller",
        lambda: cluster_role_aggregation.ClusterRoleAggregationController,
        kinds=(("rbac.authorization.k8s.io", "ClusterRole"),),
        concerns=loop_conditions.is_aggregated,
    ),
    LazyController(
        "persistentvolume-controller",
        lambda: binder.PersistentVolumeController,
        kinds=(_CLAIM, _VOLUME, _POD),
        concerns=loop_conditions.has_claims,
    ),
    LazyController(
        "pvc-protection-controller",
        lambda: protection.PVCProtectionController,
        kinds=(_CLAIM, _POD),
        concerns=loop_conditions.has_claims,
    ),
    LazyController(
        "pv-protection-controller", lambda: protection.PVProtectionController, kinds=(_VOLUME,)
    ),
    LazyController(
        "volumeattributesclass-protection-controller",
        lambda: protection.VACProtectionController,
        kinds=(_ATTRIBUTES,),
    ),
    LazyController(
        "ephemeral_volume",
        lambda: ephemeral.EphemeralVolumeController,
        kinds=(_CLAIM, _POD),
        concerns=loop_conditions.has_claims,
    ),
    LazyController(
        "resource_claim",
        lambda: resource_claim.ResourceClaimController,
        kinds=(("resource.k8s.io", "ResourceClaim"), _POD),
        concerns=loop_conditions.has_resource_claims,
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
        concerns=loop_conditions.has_disruption,
    ),
    LazyController(
        "horizontal-pod-autoscaler",
        lambda: hpa.HorizontalController,
        kinds=(("autoscaling", "HorizontalPodAutoscaler"),),
    ),
    LazyController(
        "endpoint-controller",
        lambda: endpoints.EndpointController,
        kinds=(_SERVICE, _ENDPOINTS),
        concerns=loop_conditions.leads_to_pods,
    ),
    LazyController(
        "endpoint-slice-controller",
        lambda: endpointslice.EndpointSliceController,
        kinds=(_SERVICE,),
        concerns=loop_conditions.leads_to_pods,
    ),
    LazyController(
        "csrcleaner",
        lambda: csr_cleaner.CSRCleanerController,
        kinds=(("certificates.k8s.io", "CertificateSigningRequest"),),
    ),
    LazyController(
        "validatingadmissionpolicy-status",
        lambda: validating_admission_policy_status.ValidatingAdmissionPolicyStatusController,
        kinds=(("admissionregistration.k8s.io", "ValidatingAdmissionPolicy"),),
    ),
    LazyController(
        "endpoint-slice-mirroring-controller",
        lambda: mirroring.EndpointSliceMirroringController,
        kinds=(_ENDPOINTS,),
        concerns=loop_conditions.is_by_others,
    ),
    LazyController("node-controller", lambda: node_lifecycle.NodeLifecycleController),
    LazyController("taint-eviction-controller", lambda: taint_eviction.TaintEvictionController),
    LazyController("pod-garbage-collector-controller", lambda: pod_gc.PodGCController),
    _EVENT_TTL,
)
"""What kube-controller-manager runs, and the expiry of Events, which is the API server's."""

_EXTERNAL_PROVISIONER: Final = LazyController(
    "external-provisioner",
    lambda: external_provisioner.ExternalProvisioner,
    kinds=(_CLAIM, _VOLUME),
)
_KUBELET: Final = LazyController("kubelet", lambda: kubelet.KubeletController)
_KWOK: Final = LazyController(
    "kwok_controller", lambda: player.Player, kinds=(("kwok.x-k8s.io", "Stage"),)
)
_CLUSTER_AUTOSCALER: Final = LazyController(
    "cluster-autoscaler",
    lambda: node_autoscaler.NodeAutoscaler,
    kinds=(("kubestage.dev", "NodeGroup"),),
)
_KARPENTER: Final = LazyController(
    "karpenter",
    lambda: karpenter.Karpenter,
    kinds=(("karpenter.sh", "NodePool"), ("karpenter.sh", "NodeClaim")),
)

ALL: Final = (
    *LOOPS,
    _EXTERNAL_PROVISIONER,
    _KUBELET,
    _KWOK,
    LazyController(
        "vpa-updater",
        lambda: vpa.VpaController,
        kinds=(("autoscaling.k8s.io", "VerticalPodAutoscaler"),),
    ),
    _CLUSTER_AUTOSCALER,
    _KARPENTER,
)
"""All loops of a living stage: also those on nodes, in drivers and of autoscalers."""

MACHINES: Final = (
    _EVENT_TTL, _EXTERNAL_PROVISIONER, _KUBELET, _KWOK, _CLUSTER_AUTOSCALER, _KARPENTER,
)  # fmt: skip
"""What is left to simulate where kube-controller-manager is a client: nodes, their volumes, and
the pools that they come from.
"""

SERVED: Final = ("root-ca-certificate-publisher-controller", "service-account-controller")
"""The loops that a cluster needs only if it has an API server."""


def lazy_controller(name: str) -> LazyController:
    """The entry of this name."""
    return next(each for each in ALL if each.name == name)
