"""The fields of an object that its author writes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.sources.owners.pod_template import without_access

if TYPE_CHECKING:
    from collections.abc import Collection

    from kubestage.aliases import Json

_METADATA: Final = ("labels", "annotations")
# Written by controllers and by kubectl, not by an author.
_ANNOTATIONS: Final = (
    "deployment.kubernetes.io/", "deprecated.daemonset.", "pv.kubernetes.io/",
    "volume.kubernetes.io/", "volume.beta.kubernetes.io/", "autoscaling.alpha.kubernetes.io/",
    "control-plane.alpha.kubernetes.io/", "batch.kubernetes.io/", "node.alpha.kubernetes.io/",
    "kubectl.kubernetes.io/last-applied-configuration", "volumes.kubernetes.io/",
    "csi.volume.kubernetes.io/", "cluster-autoscaler.kubernetes.io/", "karpenter.sh/",
)  # fmt: skip
_TAINTS: Final = (
    "node.kubernetes.io/", "node.cloudprovider.kubernetes.io/", "ToBeDeletedByClusterAutoscaler",
    "DeletionCandidateOfClusterAutoscaler", "karpenter.sh/",
)  # fmt: skip
# By kind, the fields of the spec that controllers write.
_SPEC: Final = {
    "Pod": {"nodeName", "priority", "ephemeralContainers", "tolerations"},
    "PersistentVolumeClaim": {"volumeName"},
    "PersistentVolume": {"claimRef"},
    "Namespace": {"finalizers"},
    "Node": {"podCIDR", "podCIDRs"},
    "Service": {"clusterIP", "clusterIPs"},
}
_JOB_LABELS: Final = frozenset({
    "controller-uid", "job-name", "batch.kubernetes.io/controller-uid",
    "batch.kubernetes.io/job-name",
})  # fmt: skip
_SIZES: Final = ("allocatable", "capacity")
_TYPE: Final = ("apiVersion", "kind", "metadata", "status", "spec")


def created(obj: Json) -> Json:
    """An object as its author created it."""
    metadata = obj["metadata"]
    described: Json = {"name": metadata["name"]}
    if metadata.get("namespace"):
        described["namespace"] = metadata["namespace"]
    described |= {name: value for name in _METADATA if (value := _own(metadata, name))}
    if metadata.get("ownerReferences"):
        described["ownerReferences"] = metadata["ownerReferences"]
    found = {"apiVersion": obj["apiVersion"], "kind": obj["kind"], "metadata": described}
    found |= _rest(obj)
    if "spec" in obj:
        found["spec"] = _spec(obj)
    sizes = _status(obj)
    return found | ({"status": sizes} if sizes else {})


def changed(old: Json, new: Json, *, leave_out: Collection[str] = ()) -> Json:
    """A JSON merge patch with what an author has changed; empty if that is nothing."""
    before, after = created(old), created(new)
    for obj in (before, after):
        obj["spec"] = {
            key: value for key, value in obj.get("spec", {}).items() if key not in leave_out
        }
        obj["metadata"].pop("ownerReferences", None)
    return _difference(before, after)


def _own(metadata: Json, name: str) -> Json:
    found = metadata.get(name) or {}
    if name == "labels":
        return dict(found)
    return {key: value for key, value in found.items() if not key.startswith(_ANNOTATIONS)}


def _rest(obj: Json) -> Json:
    """Fields beside the spec, as of PriorityClasses and StorageClasses."""
    return {key: value for key, value in obj.items() if key not in _TYPE}


def _spec(obj: Json) -> Json:
    left_out = _SPEC.get(obj["kind"], ())
    spec = {key: value for key, value in (obj["spec"] or {}).items() if key not in left_out}
    if obj["kind"] == "Node" and "taints" in spec:
        spec["taints"] = [
            each for each in spec["taints"] if not str(each.get("key")).startswith(_TAINTS)
        ]
        if not spec["taints"]:
            del spec["taints"]
    if obj["kind"] == "Job" and not spec.get("manualSelector"):
        spec = _without_selector(spec)
    return without_access(spec) if obj["kind"] == "Pod" else spec


def _without_selector(spec: Json) -> Json:
    """A Job without the selector that the API has made from its uid."""
    template = spec.get("template") or {}
    metadata = dict(template.get("metadata") or {})
    labels = {
        key: value
        for key, value in (metadata.get("labels") or {}).items()
        if key not in _JOB_LABELS
    }
    metadata.pop("labels", None)
    if labels:
        metadata["labels"] = labels
    found = {key: value for key, value in spec.items() if key != "selector"}
    return {**found, "template": {**template, "metadata": metadata}}


def _status(obj: Json) -> Json:
    """How large a node is: the only status that nothing in a cluster follows from."""
    status = obj.get("status") or {}
    if obj["kind"] != "Node":
        return {}
    return {name: status[name] for name in _SIZES if name in status}


def _difference(old: Any, new: Any) -> Json:
    """A merge patch that makes the one of the other."""
    found: Json = {}
    for key in old.keys() | new.keys():
        before, after = old.get(key), new.get(key)
        if before == after:
            continue
        if isinstance(before, dict) and isinstance(after, dict):
            found[key] = _difference(before, after)
        else:
            found[key] = after
    return dict(sorted(found.items()))
