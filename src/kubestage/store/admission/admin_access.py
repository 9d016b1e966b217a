"""Access to devices that others use: only for namespaces that are marked for it.

The API server checks this where it validates claims, and refuses as if they were invalid.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects.validation import field, status
from kubestage.store import namespaces

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.kinds import Kind
    from kubestage.store.admission.admission_request import AdmissionRequest
    from kubestage.store.core import Core

_GROUP: Final = "resource.k8s.io"
_LABEL: Final = "resource.kubernetes.io/admin-access"
_WHY: Final = (
    f"admin access to devices requires the `{_LABEL}: true` label on the containing namespace"
)


def admit(core: Core, kind: Kind, obj: Json, old: Json | None) -> Json:
    """Refuse a new claim, or template of one, that requests more than its namespace may have."""
    if kind.group != _GROUP or old is not None:
        return obj
    spec = obj.get("spec") or {}
    if kind.kind == "ResourceClaimTemplate":
        spec = spec.get("spec") or {}
    elif kind.kind != "ResourceClaim":
        return obj
    requests = (spec.get("devices") or {}).get("requests") or ()
    requested = [bool((each.get("exactly") or {}).get("adminAccess")) for each in requests]
    _check(core, obj, requested, "spec.devices.requests")
    return obj


def check(core: Core, request: AdmissionRequest) -> None:
    """Refuse to report an allocation with such access, unless it was there before."""
    if request.subresource != "status" or request.old is None or request.kind.group != _GROUP:
        return
    if not any(_granted(request.old)):
        _check(core, request.obj, _granted(request.obj), "status.allocation.devices.results")


def _granted(claim: Json) -> list[bool]:
    allocation = (claim.get("status") or {}).get("allocation") or {}
    results = (allocation.get("devices") or {}).get("results") or ()
    return [bool(each.get("adminAccess")) for each in results]


def _check(core: Core, obj: Json, requested: list[bool], path: str) -> None:
    if not any(requested):
        return
    home = core.read(namespaces.NAMESPACE).get(obj["metadata"].get("namespace") or "") or {}
    labels = (home.get("metadata") or {}).get("labels") or {}
    if labels.get(_LABEL) != "true":
        problem = field.forbidden(f"{path}[{requested.index(True)}].adminAccess", _WHY)
        raise status.invalid(obj, [problem])
