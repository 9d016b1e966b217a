"""Access to devices that others use: only for namespaces that are marked for it.

The API server checks this where it validates claims, and refuses as if they were invalid.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects.validation import field, status
from kubestage.store import namespaces

if TYPE_CHECKING:
    from kubestage.objects.kinds import Kind
    from kubestage.store.admission.request import Request
    from kubestage.store.core import Core

_GROUP: Final = "resource.k8s.io"
_LABEL: Final = "resource.kubernetes.io/admin-access"
_WHY: Final = (
    f"admin access to devices requires the `{_LABEL}: true` label on the containing namespace"
)


def admit(
    core: Core, kind: Kind, obj: dict[str, Any], old: dict[str, Any] | None
) -> dict[str, Any]:
    """Refuse a new claim, or template of one, that asks for more than its namespace may have."""
    if kind.group != _GROUP or old is not None:
        return obj
    spec = obj.get("spec") or {}
    if kind.kind == "ResourceClaimTemplate":
        spec = spec.get("spec") or {}
    elif kind.kind != "ResourceClaim":
        return obj
    requests = (spec.get("devices") or {}).get("requests") or ()
    wanted = [bool((each.get("exactly") or {}).get("adminAccess")) for each in requests]
    _check(core, obj, wanted, "spec.devices.requests")
    return obj


def check(core: Core, asked: Request) -> None:
    """Refuse to report an allocation with such access, unless it was there before."""
    if asked.subresource != "status" or asked.old is None or asked.kind.group != _GROUP:
        return
    if not any(_granted(asked.old)):
        _check(core, asked.obj, _granted(asked.obj), "status.allocation.devices.results")


def _granted(claim: dict[str, Any]) -> list[bool]:
    allocation = (claim.get("status") or {}).get("allocation") or {}
    results = (allocation.get("devices") or {}).get("results") or ()
    return [bool(each.get("adminAccess")) for each in results]


def _check(core: Core, obj: dict[str, Any], wanted: list[bool], path: str) -> None:
    if not any(wanted):
        return
    home = core.read(namespaces.NAMESPACE).get(obj["metadata"].get("namespace") or "") or {}
    labels = (home.get("metadata") or {}).get("labels") or {}
    if labels.get(_LABEL) != "true":
        problem = field.forbidden(f"{path}[{wanted.index(True)}].adminAccess", _WHY)
        raise status.invalid(obj, [problem])
