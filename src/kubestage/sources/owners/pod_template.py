"""The template that a pod was made of, as far as the pod shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.daemonset import placement
from kubestage.controllers.deployment.replica_sets import HASH_LABEL
from kubestage.controllers.statefulset import identity

if TYPE_CHECKING:
    from collections.abc import Collection

    from kubestage.aliases import Json

# What controllers and admission put on a pod, and what no template has.
_LABELS: Final = frozenset({
    HASH_LABEL, placement.HASH_LABEL, placement.GENERATION_LABEL,
    identity.POD_NAME_LABEL, identity.POD_INDEX_LABEL,
    "controller-uid", "job-name", "batch.kubernetes.io/controller-uid",
    "batch.kubernetes.io/job-name", "batch.kubernetes.io/job-completion-index",
})  # fmt: skip
_ANNOTATIONS: Final = frozenset({"batch.kubernetes.io/job-completion-index"})
_SPEC: Final = frozenset({
    "nodeName", "priority", "preemptionPolicy", "serviceAccount", "hostname", "ephemeralContainers",
    "overhead",
})  # fmt: skip
_ACCESS: Final = "kube-api-access-"
_TEMPORARY: Final = {"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"}


def of_pod(pod: Json, *, without_volumes: Collection[str] = ()) -> Json:
    """The template of a pod's controller, without what was added to the pod itself."""
    metadata, spec = pod["metadata"], pod["spec"]
    labels = {
        key: value for key, value in (metadata.get("labels") or {}).items() if key not in _LABELS
    }
    notes = {
        key: value
        for key, value in (metadata.get("annotations") or {}).items()
        if key not in _ANNOTATIONS
    }
    described: Json = {"labels": labels}
    if notes:
        described["annotations"] = notes
    return {"metadata": described, "spec": _spec(spec, without_volumes)}


def without_access(spec: Json, without_volumes: Collection[str] = ()) -> Json:
    """The spec of a pod without the token that admission mounts, and without these volumes."""
    found = dict(spec)
    volumes = [each for each in spec.get("volumes") or () if _is_own(each, without_volumes)]
    _put(found, "volumes", volumes)
    for field in ("containers", "initContainers"):
        if field in spec:
            found[field] = [_container(each) for each in spec[field]]
    return found


def _spec(spec: Json, without_volumes: Collection[str]) -> Json:
    whole = without_access(spec, without_volumes)
    found = {key: value for key, value in whole.items() if key not in _SPEC}
    _put(found, "tolerations", [each for each in spec.get("tolerations") or () if _is_set(each)])
    affinity = _affinity(spec.get("affinity"))
    found.pop("affinity", None)
    return found | affinity


def _put(spec: Json, field: str, items: list[Json]) -> None:
    spec.pop(field, None)
    if items:
        spec[field] = items


def _is_own(volume: Json, left_out: Collection[str]) -> bool:
    name = str(volume.get("name"))
    return not name.startswith(_ACCESS) and name not in left_out


def _is_set(toleration: Json) -> bool:
    """Whether a toleration is not one of those that every pod gets."""
    is_temporary = toleration.get("tolerationSeconds") == 300
    return not (is_temporary and toleration.get("key") in _TEMPORARY)


def _container(container: Json) -> Json:
    mounts = container.get("volumeMounts")
    if not mounts:
        return container
    kept = [each for each in mounts if not str(each.get("name")).startswith(_ACCESS)]
    found = {key: value for key, value in container.items() if key != "volumeMounts"}
    return found | ({"volumeMounts": kept} if kept else {})


def _affinity(affinity: Json | None) -> Json:
    """Affinity without the name of the node, which the DaemonSet controller has put in."""
    if not affinity:
        return {}
    node = affinity.get("nodeAffinity") or {}
    required = node.get("requiredDuringSchedulingIgnoredDuringExecution") or {}
    terms = required.get("nodeSelectorTerms") or ()
    if not any("matchFields" in each for each in terms):
        return {"affinity": affinity}
    rest = [{key: value for key, value in each.items() if key != "matchFields"} for each in terms]
    kept = [each for each in rest if each]
    node = {key: value for key, value in node.items() if not key.startswith("required")}
    if kept:
        node["requiredDuringSchedulingIgnoredDuringExecution"] = {"nodeSelectorTerms": kept}
    whole = {key: value for key, value in affinity.items() if key != "nodeAffinity"}
    if node:
        whole["nodeAffinity"] = node
    return {"affinity": whole} if whole else {}


def has_images_of(pod: Json, template: Json) -> bool:
    """Whether all containers of a template are in a pod, with their images.

    Other fields differ for many reasons: defaults, webhooks, a VerticalPodAutoscaler, a resize.
    """
    there = _images(pod["spec"])
    return _images(template.get("spec") or {}).items() <= there.items()


def _images(spec: Json) -> dict[str, str]:
    return {
        f"{field}/{each.get('name')}": str(each.get("image"))
        for field in ("containers", "initContainers")
        for each in spec.get(field) or ()
    }
