"""Every loop that there is, in the order in which they are told of a change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.cronjob.loop import CronJobController
from kubestage.controllers.daemonset.loop import DaemonSetController
from kubestage.controllers.deployment.loop import DeploymentController
from kubestage.controllers.disruption.loop import DisruptionController
from kubestage.controllers.endpoints import EndpointController
from kubestage.controllers.endpointslice.loop import EndpointSliceController
from kubestage.controllers.event_ttl import EventTTLController
from kubestage.controllers.garbage_collector import GarbageCollectorController
from kubestage.controllers.job.loop import JobController
from kubestage.controllers.kubelet.loop import KubeletController
from kubestage.controllers.kwok.player import Player
from kubestage.controllers.namespace import NamespaceController
from kubestage.controllers.node_lifecycle.loop import NodeLifecycleController
from kubestage.controllers.pod_gc import PodGCController
from kubestage.controllers.replicaset.loop import ReplicaSetController
from kubestage.controllers.replication import ReplicationController
from kubestage.controllers.resource_quota import ResourceQuotaController
from kubestage.controllers.statefulset.loop import StatefulSetController
from kubestage.controllers.taint_eviction import TaintEvictionController
from kubestage.controllers.ttl_after_finished import TTLAfterFinishedController
from kubestage.controllers.volumes.binder import PersistentVolumeController
from kubestage.controllers.volumes.ephemeral import EphemeralVolumeController
from kubestage.controllers.volumes.external_provisioner import ExternalProvisioner
from kubestage.controllers.volumes.protection import (
    PVCProtectionController,
    PVProtectionController,
)

if TYPE_CHECKING:
    from kubestage.controllers.controller import Controller

LOOPS: Final[tuple[type[Controller], ...]] = (
    CronJobController,
    JobController,
    TTLAfterFinishedController,
    GarbageCollectorController,
    NamespaceController,
    PersistentVolumeController,
    PVCProtectionController,
    PVProtectionController,
    EphemeralVolumeController,
    ResourceQuotaController,
    ReplicaSetController,
    ReplicationController,
    DeploymentController,
    StatefulSetController,
    DaemonSetController,
    DisruptionController,
    EndpointController,
    EndpointSliceController,
    NodeLifecycleController,
    TaintEvictionController,
    PodGCController,
    EventTTLController,
)
"""What kube-controller-manager runs."""

ALL: Final[tuple[type[Controller], ...]] = (
    *LOOPS,
    ExternalProvisioner,
    KubeletController,
    Player,
)
"""All that keeps a stage alive: also what is at work outside, on the nodes and in drivers."""
