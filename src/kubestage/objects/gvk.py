"""GroupVersionKinds that code refers to, each once, as ``(apiVersion, kind)``."""

from __future__ import annotations

from typing import Final

CONFIG_MAP: Final = ("v1", "ConfigMap")
CRON_JOB: Final = ("batch/v1", "CronJob")
CUSTOM_RESOURCE_DEFINITION: Final = ("apiextensions.k8s.io/v1", "CustomResourceDefinition")
DAEMON_SET: Final = ("apps/v1", "DaemonSet")
DEPLOYMENT: Final = ("apps/v1", "Deployment")
DEVICE_CLASS: Final = ("resource.k8s.io/v1", "DeviceClass")
EVENT: Final = ("v1", "Event")
INGRESS_CLASS: Final = ("networking.k8s.io/v1", "IngressClass")
LEASE: Final = ("coordination.k8s.io/v1", "Lease")
NAMESPACE: Final = ("v1", "Namespace")
NODE: Final = ("v1", "Node")
PERSISTENT_VOLUME: Final = ("v1", "PersistentVolume")
PERSISTENT_VOLUME_CLAIM: Final = ("v1", "PersistentVolumeClaim")
POD: Final = ("v1", "Pod")
POD_DISRUPTION_BUDGET: Final = ("policy/v1", "PodDisruptionBudget")
REPLICA_SET: Final = ("apps/v1", "ReplicaSet")
RESOURCE_QUOTA: Final = ("v1", "ResourceQuota")
SCENARIO: Final = ("simulation.kube-scheduler-simulator.x-k8s.io/v1alpha1", "Scenario")
SERVICE: Final = ("v1", "Service")
STATEFUL_SET: Final = ("apps/v1", "StatefulSet")
STORAGE_CLASS: Final = ("storage.k8s.io/v1", "StorageClass")
TRAFFIC: Final = ("kubestage.dev/v1alpha1", "Traffic")
