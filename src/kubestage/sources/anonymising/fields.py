"""What fields hold, by their names: the rules of an anonymised import."""

from __future__ import annotations

import re
from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


KEPT: Final = _words("""
    apiVersion kind apiGroup apiGroups group version status reason phase operator effect
    whenUnsatisfiable nodeAffinityPolicy nodeTaintsPolicy restartPolicy imagePullPolicy dnsPolicy
    protocol schedulerName preemptionPolicy qosClass concurrencyPolicy schedule timeZone
    podManagementPolicy whenDeleted whenScaled accessModes volumeMode reclaimPolicy
    persistentVolumeReclaimPolicy volumeBindingMode provisioner driver attacher updateMode mode
    controlledValues controlledResources completionMode podReplacementPolicy action
    selectPolicy policyTypes sessionAffinity internalTrafficPolicy externalTrafficPolicy ipFamilies
    ipFamilyPolicy scopes scopeName resourceVersion medium fsType architecture
    operatingSystem kubeletVersion kubeProxyVersion containerRuntimeVersion kernelVersion
    allocationMode expression adminAccess request requests firstAvailable unhealthyPodEvictionPolicy
    maxSurge maxUnavailable minAvailable partition policy propagationPolicy tolerationSeconds
    consolidationPolicy consolidateAfter expireAfter terminationGracePeriod nodes duration reasons
    terminationMessagePolicy fieldManager operation podInfoOnMount fsGroupPolicy
    volumeLifecycleModes resizePolicy resourceName sizeLimit divisor averageValue
    device resource $patch containerRestartPolicy startupPolicy supplementalGroupsPolicy
""")
"""Fields with words or numbers of Kubernetes."""

DROPPED: Final = _words("""
    command args env envFrom volumeMounts volumeDevices lifecycle message imagePullSecrets
    hostAliases hostname subdomain dnsConfig securityContext terminationMessagePath workingDir
    imageID containerID machineID systemUUID bootID osImage daemonEndpoints volumesInUse
    volumesAttached podCIDR podCIDRs volumeAttributes attachmentMetadata parameters mountOptions
    description secrets data stringData binaryData managedFields loadBalancer
    loadBalancerSourceRanges externalName healthCheckNodePort ephemeralContainers
    ephemeralContainerStatuses controllerPublishSecretRef nodeStageSecretRef nodePublishSecretRef
    controllerExpandSecretRef nodeExpandSecretRef networkData allocatedResources
    lastState setHostnameAsFQDN configSource tokenRequests observedContainers user swap
    runtimeHandlers features disruptedPods
""")
"""Fields that no decision depends on."""

QUANTITIES: Final = _words("""
    limits requests capacity allocatable hard used overhead max min default defaultRequest
    maxLimitRequestRatio target lowerBound upperBound uncappedTarget minAllowed maxAllowed
    allocatedResourcesStatuses usage consumedCapacity counters
""")
"""Maps from resources to amounts."""

NAMES: Final = {
    "nodeName": "node", "nominatedNodeName": "node", "namespace": "namespace",
    "serviceAccountName": "serviceaccount", "serviceAccount": "serviceaccount",
    "priorityClassName": "priorityclass", "runtimeClassName": "runtimeclass",
    "storageClassName": "storageclass", "volumeName": "persistentvolume",
    "persistentVolumeName": "persistentvolume", "claimName": "persistentvolumeclaim",
    "resourceClaimName": "resourceclaim", "resourceClaimTemplateName": "resourceclaimtemplate",
    "deviceClassName": "deviceclass", "volumeAttributesClassName": "volumeattributesclass",
    "currentVolumeAttributesClassName": "volumeattributesclass", "serviceName": "service",
    "currentRevision": "controllerrevision", "updateRevision": "controllerrevision",
    "containerName": "container", "vpaObjectName": "verticalpodautoscaler",
}  # fmt: skip
"""Fields with the name of an object, and its category."""

NAME_IN: Final = {
    "containers": "container", "initContainers": "container", "containerStatuses": "container",
    "initContainerStatuses": "container", "volumes": "volume", "resourceClaims": "podclaim",
    "claims": "podclaim", "resourceClaimStatuses": "podclaim", "schedulingGates": "gate",
    "metric": "metric", "reservedFor": "pod",
}  # fmt: skip
"""The category of a `name` below a field that is no reference."""

NAME_KEPT_IN: Final = frozenset({"resource", "containerResource", "drivers", "requests", "devices"})
"""Fields below which a `name` is a word of Kubernetes or of a driver."""

LABEL_MAPS: Final = frozenset({"labels", "matchLabels", "nodeSelector"})
LABEL_KEYS: Final = frozenset(
    {"topologyKey", "topologyKeys", "matchLabelKeys", "mismatchLabelKeys"}
)
PROBES: Final = frozenset({"livenessProbe", "readinessProbe", "startupProbe"})
ADDRESSES: Final = frozenset({
    "podIP", "hostIP", "clusterIP", "clusterIPs", "externalIPs", "ip", "loadBalancerIP",
})  # fmt: skip
TIME: Final = re.compile(r".*(Time|Timestamp|At|time)")

ANNOTATIONS: Final = re.compile(
    r"(deployment|batch|pv|kubestage|karpenter|cluster-autoscaler|storageclass)"
    r"\.(kubernetes\.io|k8s\.io|dev|sh)/.*|controller\.kubernetes\.io/pod-deletion-cost"
    r"|volume\.(beta\.)?kubernetes\.io/(storage-provisioner|selected-node)"
    r"|kubernetes\.io/config\.(mirror|source)|deprecated\.daemonset\.template\.generation"
    r"|resource\.kubernetes\.io/pod-claim-name|scheduler\.alpha\.kubernetes\.io/.*"
)
"""Annotations that a controller reads."""

ANNOTATION_NAMES: Final = {
    "volume.kubernetes.io/selected-node": "node",
    "resource.kubernetes.io/pod-claim-name": "podclaim",
}
"""Those that hold the name of an object."""

VOLUME_SOURCES: Final = frozenset({
    "persistentVolumeClaim", "ephemeral", "emptyDir", "csi", "awsElasticBlockStore",
    "gcePersistentDisk", "iscsi", "rbd", "azureDisk",
})  # fmt: skip
"""Volumes of pods that matter to a scheduler; all others become an emptyDir."""

OPEN_GROUPS: Final = frozenset({"kubestage.dev", "kwok.x-k8s.io", "karpenter.sh"})
"""Groups whose unknown fields stay: they describe a simulation, or rules for nodes."""
