"""Advice about storage, devices and ways to run containers."""

from __future__ import annotations

from typing import Any, Final

from kubestage.objects.validation import field
from kubestage.objects.warnings import pods

_ANNOTATIONS: Final = {
    "volume.beta.kubernetes.io/storage-class": (
        'deprecated since v1.8; use "storageClassName" attribute instead'
    ),
    "volume.beta.kubernetes.io/mount-options": (
        'deprecated since v1.31; use "mountOptions" attribute instead'
    ),
}
# Where the data of a volume can lie no more, and how messages call it.
_SOURCES: Final = (
    ("cephfs", "cephfs", "deprecated in v1.28, non-functional in v1.31+"),
    (
        "photonPersistentDisk",
        "photonPersistentDisk",
        "deprecated in v1.11, non-functional in v1.16+",
    ),
    ("scaleIO", "scaleIO", "deprecated in v1.16, non-functional in v1.22+"),
    ("storageos", "storageOS", "deprecated in v1.22, non-functional in v1.25+"),
    ("glusterfs", "glusterfs", "deprecated in v1.25, non-functional in v1.26+"),
    ("rbd", "rbd", "deprecated in v1.28, non-functional in v1.31+"),
)
_RECYCLE: Final = (
    "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the "
    "recommended approach is to use dynamic provisioning."
)
_TOKENS: Final = (
    "spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to "
    "prevent possible logging of tokens in volume attributes"
)


def volume(obj: dict[str, Any]) -> list[str]:
    """Old annotations, policies, node labels and backends of a persistent volume."""
    spec, annotations = obj.get("spec") or {}, obj["metadata"].get("annotations") or {}
    found = [
        f"metadata.annotations[{key}]: {told}"
        for key, told in _ANNOTATIONS.items()
        if key in annotations
    ]
    if spec.get("persistentVolumeReclaimPolicy") == "Recycle":
        found.append(_RECYCLE)
    required = (spec.get("nodeAffinity") or {}).get("required") or {}
    for index, term in enumerate(required.get("nodeSelectorTerms") or ()):
        path = f"spec.nodeAffinity.required.nodeSelectorTerms[{index}]"
        found += _expressions(term.get("matchExpressions"), path)
    return found + [
        f"spec.{name}: {told}" for key, name, told in _SOURCES if spec.get(key) is not None
    ]


def _expressions(expressions: list[dict[str, Any]] | None, path: str) -> list[str]:
    found = []
    for index, expression in enumerate(expressions or ()):
        key = expression.get("key") or ""
        if key in pods.NODE_LABELS:
            at = f"{path}.matchExpressions[{index}].key"
            found.append(f"{at}: {key} is {pods.NODE_LABELS[key]}")
    return found


def storage_class(obj: dict[str, Any]) -> list[str]:
    """Old node labels in the topologies of a class."""
    return [
        (
            f"allowedTopologies[{at}].matchLabelExpressions[{index}].key: "
            f"{pods.NODE_LABELS[expression['key']]}"
        )
        for at, term in enumerate(obj.get("allowedTopologies") or ())
        for index, expression in enumerate(term.get("matchLabelExpressions") or ())
        if expression.get("key") in pods.NODE_LABELS
    ]


def capacity(obj: dict[str, Any]) -> list[str]:
    """Old node labels in the place that a capacity is about."""
    topology = obj.get("nodeTopology") or {}
    return _expressions(topology.get("matchExpressions"), "nodeTopology") + [
        f"nodeTopology.matchLabels.{label}: {pods.NODE_LABELS[label]}"
        for label in topology.get("matchLabels") or ()
        if label in pods.NODE_LABELS
    ]


def driver(obj: dict[str, Any]) -> list[str]:
    """Tokens where they may be logged."""
    spec = obj.get("spec") or {}
    if not spec.get("tokenRequests") or spec.get("serviceAccountTokenInSecrets") is not None:
        return []
    return [_TOKENS]


def changed_driver(new: dict[str, Any], old: dict[str, Any]) -> list[str]:
    """The same, if the tokens are other ones."""
    requests = ((each.get("spec") or {}).get("tokenRequests") or [] for each in (new, old))
    return [] if next(requests) == next(requests) else driver(new)


def runtime_class(obj: dict[str, Any]) -> list[str]:
    """Old node labels in the selector of a runtime class."""
    selector = (obj.get("scheduling") or {}).get("nodeSelector") or ()
    return [
        f"scheduling.nodeSelector: {pods.NODE_LABELS[label]}"
        for label in selector
        if label in pods.NODE_LABELS
    ]


def resource_slice(obj: dict[str, Any]) -> list[str]:
    """Capitals in the name of a driver."""
    name = (obj.get("spec") or {}).get("driver") or ""
    if name == name.lower():
        return []
    quoted = field.quote(name)
    return [
        (f"spec.driver: driver names should be lowercase; {quoted} contains uppercase characters")
    ]
