"""Support bundles of troubleshoot.sh: ``cluster-resources/KIND/NAMESPACE.json``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from kubestage.sources.formats import texts
from kubestage.sources.imported import Origin

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.sources.entries import Entry
    from kubestage.sources.intake import Intake
    from kubestage.sources.tree import Tree

NAME: Final = "troubleshoot.sh support bundle"
_ROOT: Final = "cluster-resources/"
_FILE: Final = re.compile(r"(^|/)cluster-resources/([a-z-]+)(/[^/]+)?\.json$")
_CUSTOM: Final = re.compile(r"(^|/)cluster-resources/custom-resources/[^/]+(/[^/]+)?\.json$")
_VERSION: Final = re.compile(r"(^|/)cluster-info/cluster_version\.json$")
_ERRORS: Final = re.compile(r"(^|/)cluster-resources/(.*/)?([a-z-]+)-errors\.json$")
# Reviews, and lists of what is served: no objects.
_OTHER: Final = frozenset(
    {"auth-cani-list", "groups", "resources", "image-pull-secrets", "license"}
)
# Lists that old versions wrote without the type of their items.
_TYPES: Final = {
    "pods": ("v1", "Pod"), "namespaces": ("v1", "Namespace"), "nodes": ("v1", "Node"),
    "services": ("v1", "Service"), "deployments": ("apps/v1", "Deployment"),
    "replicasets": ("apps/v1", "ReplicaSet"), "statefulsets": ("apps/v1", "StatefulSet"),
    "daemonsets": ("apps/v1", "DaemonSet"), "jobs": ("batch/v1", "Job"),
    "cronjobs": ("batch/v1", "CronJob"), "pvcs": ("v1", "PersistentVolumeClaim"),
    "pvs": ("v1", "PersistentVolume"), "limitranges": ("v1", "LimitRange"),
    "resource-quota": ("v1", "ResourceQuota"), "resource-quotas": ("v1", "ResourceQuota"),
    "pod-disruption-budgets": ("policy/v1", "PodDisruptionBudget"),
    "storage-classes": ("storage.k8s.io/v1", "StorageClass"),
    "priorityclasses": ("scheduling.k8s.io/v1", "PriorityClass"),
    "volumeattachments": ("storage.k8s.io/v1", "VolumeAttachment"),
    "serviceaccounts": ("v1", "ServiceAccount"), "configmaps": ("v1", "ConfigMap"),
    "custom-resource-definitions": ("apiextensions.k8s.io/v1", "CustomResourceDefinition"),
}  # fmt: skip
LACKS: Final = (
    "a support bundle has no HorizontalPodAutoscalers, ControllerRevisions, CSINodes, CSIDrivers, "
    "RuntimeClasses and devices; its redactors may have changed names and values"
)


def is_one(paths: Sequence[str]) -> bool:
    """Whether an archive or folder is such a bundle."""
    return any(_FILE.search(path) for path in paths)


def read(tree: Tree, intake: Intake) -> Origin:
    """Take the objects below ``cluster-resources``."""
    version = ""
    for entry in tree.entries():
        path = entry.path
        if _VERSION.search(path):
            found = texts.json_value(entry.read(), entry.name, "the version")
            version = texts.text(texts.part(found, "info"), "gitVersion")
        elif _ROOT not in path or "/pods/logs/" in path:
            continue
        elif found := _ERRORS.search(path):
            _note_errors(entry, found[3], intake)
        elif _CUSTOM.search(path):
            intake.add(texts.json_value(entry.read(), entry.name, "the list"))
        elif (found := _FILE.search(path)) and found[2] not in _OTHER:
            intake.add(_typed(found[2], texts.json_value(entry.read(), entry.name, "the list")))
    intake.note(LACKS)
    return Origin(source=tree.name, format=NAME, kubernetes_version=version)


def _typed(folder: str, value: Any) -> Any:
    """A list with the type of its items, which early versions left out."""
    api_version, kind = _TYPES.get(folder, ("", ""))
    if not kind:
        return value
    if isinstance(value, list):
        return {"apiVersion": api_version, "kind": f"{kind}List", "items": value}
    if isinstance(value, dict) and "items" in value and not value.get("kind"):
        return {"apiVersion": api_version, **value, "kind": f"{kind}List"}
    return value


def _note_errors(entry: Entry, kind: str, intake: Intake) -> None:
    """What could not be collected, as the bundle states it."""
    found = texts.json_value(entry.read(), entry.name, "the list of errors")
    if found:
        intake.note(f"the bundle lacks {kind}, wholly or in part: it could not collect them")
