"""What persistent volume claims are charged for, in all and by storage class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import quantity
from kubestage.objects.quota import amounts, scopes
from kubestage.objects.quota.evaluator import Evaluator

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.pod_resources import ResourceList
    from kubestage.objects.quantity import Quantity

_CLAIMS: Final = "persistentvolumeclaims"
_COUNT: Final = f"count/{_CLAIMS}"
_STORAGE: Final = "requests.storage"
_BY_CLASS: Final = ".storageclass.storage.k8s.io/"
_SUFFIXES: Final = (_BY_CLASS + _CLAIMS, _BY_CLASS + _STORAGE)
_CLASS_ANNOTATION: Final = "volume.beta.kubernetes.io/storage-class"


def class_name(claim: Json) -> str:
    """The storage class that a claim names, by its old annotation or its field."""
    annotations = claim["metadata"].get("annotations") or {}
    if _CLASS_ANNOTATION in annotations:
        name: str = annotations[_CLASS_ANNOTATION]
    else:
        name = (claim.get("spec") or {}).get("storageClassName") or ""
    return name


def tracks(name: str) -> bool:
    """Whether a quota for this resource is about claims."""
    return name in (_COUNT, _CLAIMS, _STORAGE) or name.endswith(_SUFFIXES)


def usage(claim: Json, _now_ns: int) -> ResourceList:
    """What a claim uses."""
    used = {_CLAIMS: amounts.ONE, _COUNT: amounts.ONE}
    storage_class = class_name(claim)
    if storage_class:
        used[storage_class + _BY_CLASS + _CLAIMS] = amounts.ONE
    size = _size(claim)
    if size is not None:
        used[_STORAGE] = size
        if storage_class:
            used[storage_class + _BY_CLASS + _STORAGE] = size
    return used


def _size(claim: Json) -> Quantity | None:
    """What is requested, or more if more was allocated already."""
    requests = ((claim.get("spec") or {}).get("resources") or {}).get("requests") or {}
    if "storage" not in requests:
        return None
    size = quantity.of(requests["storage"]).round_up(0)[0]
    allocated = _allocated(claim)
    return size if allocated is None or allocated <= size else allocated.round_up(0)[0]


def _allocated(claim: Json) -> Quantity | None:
    amount = ((claim.get("status") or {}).get("allocatedResources") or {}).get("storage")
    return None if amount is None else quantity.of(amount)


def fits_scope(requirement: Json, claim: Json) -> bool:
    """Whether a claim is in a scope: by the attributes classes it has or is to have."""
    if requirement.get("scopeName") != scopes.VOLUME_ATTRIBUTES_CLASS:
        return False
    return scopes.selects(requirement, _attributes_classes(claim))


def _attributes_classes(claim: Json) -> set[str]:
    status = claim.get("status") or {}
    names = (
        (claim.get("spec") or {}).get("volumeAttributesClassName"),
        status.get("currentVolumeAttributesClassName"),
        (status.get("modifyVolumeStatus") or {}).get("targetVolumeAttributesClassName"),
    )
    return {name for name in names if name}


def is_charged_anew(new: Json, old: Json, subresource: str) -> bool:
    """Whether an update may change what a claim is charged for."""
    if subresource != "status":
        return not subresource
    return _allocated(new) != _allocated(old) or _attributes_classes(new) != _attributes_classes(
        old
    )


EVALUATOR: Final = Evaluator(tracks, usage, fits_scope, is_charged_anew=is_charged_anew)
