"""Where the volumes of a pod can be had, and whether its claims are in order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.karpenter import labels
from kubestage.controllers.karpenter.requirements import requirements
from kubestage.controllers.karpenter.requirements.requirements import NONE
from kubestage.controllers.karpenter.scheduling.errors import Plain
from kubestage.controllers.karpenter.state import usage

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.karpenter.requirements.requirements import Requirements
    from kubestage.controllers.karpenter.state.objects import Objects

_BIND_COMPLETED: Final = "pv.kubernetes.io/bind-completed"


class _NotFound(Exception):
    """A claim, volume or class is not there."""


def terms_of(pod: Json, objects: Objects) -> tuple[Requirements, ...] | None:
    """The alternatives for all volumes together; None if something cannot be looked up.

    Alternatives that exclude each other are left out, unless none would be left.
    """
    alternatives: list[Requirements] = [NONE]
    try:
        for volume in pod["spec"].get("volumes") or ():
            own = _terms_of_volume(pod, volume, objects)
            if not own:
                continue
            pairs = [(one, other) for one in alternatives for other in own]
            compatible = [pair for pair in pairs if pair[0].intersects(pair[1])]
            alternatives = [one.plus(other) for one, other in compatible or pairs]
    except _NotFound:
        return None
    return () if alternatives == [NONE] else tuple(alternatives)


def _terms_of_volume(pod: Json, volume: Json, objects: Objects) -> list[Requirements]:
    name = usage.claim_name(pod, volume)
    if name is None:
        return []
    claim = objects.claim(pod["metadata"].get("namespace") or "", name)
    if claim is None:
        raise _NotFound
    if claim["spec"].get("volumeName"):
        return _terms_of_persistent_volume(objects.volume(claim["spec"]["volumeName"]))
    class_name = claim["spec"].get("storageClassName")
    return _terms_of_class(objects.storage_class(class_name)) if class_name else []


def _terms_of_persistent_volume(volume: Json | None) -> list[Requirements]:
    if volume is None:
        raise _NotFound
    spec = volume["spec"]
    required = (spec.get("nodeAffinity") or {}).get("required") or {}
    is_of_host = spec.get("local") is not None or spec.get("hostPath") is not None
    found = []
    for term in required.get("nodeSelectorTerms") or ():
        stated = term.get("matchExpressions") or []
        # The new pod need not be on the host of the old one.
        kept = [each for each in stated if not (is_of_host and each["key"] == labels.HOSTNAME)]
        if stated:
            found.append(requirements.of_json(kept))
    return found


def _terms_of_class(storage_class: Json | None) -> list[Requirements]:
    if storage_class is None:
        raise _NotFound
    return [
        requirements.of_json({**each, "operator": "In"} for each in term["matchLabelExpressions"])
        for term in storage_class.get("allowedTopologies") or ()
        if term.get("matchLabelExpressions")
    ]


def problem_of(pod: Json, objects: Objects) -> Plain | None:
    """What is wrong with the claims of a pod, so that it is not scheduled at all."""
    namespace = pod["metadata"].get("namespace") or ""
    for volume in pod["spec"].get("volumes") or ():
        name = usage.claim_name(pod, volume)
        if name is None:
            continue
        claim = objects.claim(namespace, name)
        if claim is None:
            text = f'getting persistent volume claim, persistentvolumeclaims "{name}" not found'
            return Plain(text, PersistentVolumeClaim=name)
        problem = _problem_of_claim(claim, objects)
        if problem is not None:
            return problem
    return None


def _problem_of_claim(claim: Json, objects: Objects) -> Plain | None:
    metadata, spec = claim["metadata"], claim["spec"]
    key = "/".join(filter(None, (metadata.get("namespace"), metadata["name"])))
    volume_name = spec.get("volumeName") or ""
    if metadata.get("deletionTimestamp") is not None:
        return Plain("persistentvolumeclaim is being deleted", PersistentVolumeClaim=key)
    if (claim.get("status") or {}).get("phase") == "Lost":
        return Plain(
            "persistentvolumeclaim bound to non-existent persistentvolume",
            PersistentVolumeClaim=key,
            PersistentVolume=volume_name,
        )
    if volume_name:
        return _problem_of_bound(claim, key, objects)
    return _problem_of_unbound(key, spec.get("storageClassName") or "", objects)


def _problem_of_bound(claim: Json, key: str, objects: Objects) -> Plain | None:
    metadata, spec = claim["metadata"], claim["spec"]
    name = spec["volumeName"]
    volume = objects.volume(name)
    reason = ""
    if volume is None:
        reason = f'persistentvolumes "{name}" not found'
    elif volume["metadata"].get("deletionTimestamp") is not None:
        reason = "persistentvolume is being deleted"
    if reason:
        return Plain(
            f"failed to validate pvc, {reason}",
            PersistentVolumeClaim=key,
            PersistentVolume=name,
            StorageClass=spec.get("storageClassName") or "",
        )
    if _BIND_COMPLETED in (metadata.get("annotations") or {}):
        return None
    return Plain(
        "pvc is considered unbound because it does not contain annotation",
        annotation=_BIND_COMPLETED,
        PersistentVolumeClaim=metadata["name"],
        PersistentVolume=name,
    )


def _problem_of_unbound(key: str, class_name: str, objects: Objects) -> Plain | None:
    text = ""
    storage_class = objects.storage_class(class_name)
    if not class_name:
        text = "unbound pvc must define a storage class"
    elif storage_class is None:
        text = (
            "failed to validate pvc, failed to get storage class, "
            f'storageclasses.storage.k8s.io "{class_name}" not found'
        )
    elif storage_class.get("volumeBindingMode") == "Immediate":
        text = "failed to validate pvc, pvc with immediate volume binding mode must be bound"
    if not text:
        return None
    return Plain(text, PersistentVolumeClaim=key, StorageClass=class_name)
