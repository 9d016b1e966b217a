"""PersistentVolumeClaimResize: only some claims can grow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.objects import quantity
from kubestage.objects.quota import volume_claims
from kubestage.store.admission import admission_request
from kubestage.store.admission.default_storage_class import STORAGE_CLASS

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.quantity import Quantity
    from kubestage.store.admission.admission_request import AdmissionRequest
    from kubestage.store.core import Core


def check(core: Core, request: AdmissionRequest) -> None:
    """Refuse to grow a claim whose class does not let it; unbound ones are invalid before."""
    old = request.old
    if old is None or request.subresource or not admission_request.is_claim(request.kind):
        return
    if _size(request.obj) <= _size(old):
        return
    if not _may_grow(core, request.obj, old):
        why = (
            "only dynamically provisioned pvc can be resized and the storageclass that provisions "
            "the pvc must support resize"
        )
        raise admission_request.refuse(request.kind, request.obj, why)


def _size(claim: Json) -> Quantity:
    requests = (claim["spec"].get("resources") or {}).get("requests") or {}
    return quantity.of(requests.get("storage"))


def _may_grow(core: Core, new: Json, old: Json) -> bool:
    name = volume_claims.class_name(new)
    if not name or name != volume_claims.class_name(old):
        return False
    storage_class = core.read(STORAGE_CLASS).get(name) or {}
    return storage_class.get("allowVolumeExpansion") is True
