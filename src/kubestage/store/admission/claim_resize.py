"""PersistentVolumeClaimResize: only some claims can grow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.objects import quantity
from kubestage.objects.quota import volume_claims
from kubestage.store.admission import request
from kubestage.store.admission.default_storage_class import STORAGE_CLASS

if TYPE_CHECKING:
    from kubestage.objects.quantity import Quantity
    from kubestage.store.admission.request import Request
    from kubestage.store.core import Core


def check(core: Core, asked: Request) -> None:
    """Refuse to grow a claim whose class does not let it; unbound ones are invalid before."""
    old = asked.old
    if old is None or asked.subresource or not request.is_claim(asked.kind):
        return
    if _size(asked.obj) <= _size(old):
        return
    if not _may_grow(core, asked.obj, old):
        why = (
            "only dynamically provisioned pvc can be resized and the storageclass that provisions "
            "the pvc must support resize"
        )
        raise request.refuse(asked.kind, asked.obj, why)


def _size(claim: dict[str, Any]) -> Quantity:
    requests = (claim["spec"].get("resources") or {}).get("requests") or {}
    return quantity.of(requests.get("storage"))


def _may_grow(core: Core, new: dict[str, Any], old: dict[str, Any]) -> bool:
    name = volume_claims.class_name(new)
    if not name or name != volume_claims.class_name(old):
        return False
    storage_class = core.read(STORAGE_CLASS).get(name) or {}
    return storage_class.get("allowVolumeExpansion") is True
