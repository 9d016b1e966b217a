"""ResourceQuota: charges a namespace for what is about to be stored, or refuses it.

What is charged here is written into the quota's status before the object is stored. A controller
counts again now and then, and gives back what was charged for objects that are gone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kubestage.objects import timestamps
from kubestage.objects.quota import amounts, evaluators
from kubestage.store import field_managers, replacing
from kubestage.store.admission import admission_request

if TYPE_CHECKING:
    from kubestage.errors import Forbidden
    from kubestage.objects.pod_resources import ResourceList
    from kubestage.objects.quota.evaluator import Evaluator
    from kubestage.store.admission.admission_request import AdmissionRequest
    from kubestage.store.core import Core

RESOURCE_QUOTA: Final = ("v1", "ResourceQuota")


class _Charge(NamedTuple):
    """What a quota will say is used."""

    key: str
    quota: dict[str, Any]
    used: ResourceList


def check(core: Core, request: AdmissionRequest) -> None:
    """Refuse what exceeds a quota; charge all the quotas that it counts for."""
    quotas = core.resource_quotas
    if not quotas.objects or not request.kind.namespaced:
        return
    keys = quotas.keys(request.obj["metadata"]["namespace"])
    evaluator = evaluators.of(request.kind) if keys else None
    if evaluator is None:
        return
    if request.old is not None and not evaluator.is_charged_anew(
        request.obj, request.old, request.subresource
    ):
        return
    fitting = [(key, quotas.objects[key]) for key in keys]
    fitting = [each for each in fitting if _applies(evaluator, each[1], request)]
    charges = [_charge(core, evaluator, key, quota, request) for key, quota in fitting]
    if request.dry_run:
        return
    for charge in charges:
        if charge is not None:
            _write(core, charge)


def _write(core: Core, charge: _Charge) -> None:
    quota, kind = charge.quota, core.resource_quotas.kind
    status = {**quota["status"], "used": amounts.write(charge.used)}
    charged = {**quota, "status": status}
    if "managedFields" in quota["metadata"]:
        now = timestamps.format_time(core.clock.unix_ns)
        entries = field_managers.sent(quota)
        charged = field_managers.updated(
            core, kind, quota, charged, entries, "kube-apiserver", "status", now
        )
    replacing.write(core, kind, charge.key, charged)


def _applies(evaluator: Evaluator, quota: dict[str, Any], request: AdmissionRequest) -> bool:
    """Whether an object counts for a quota, and may."""
    status = quota.get("status") or {}
    tracked = [name for name in status.get("hard") or () if evaluator.tracks(name)]
    if not tracked or not evaluator.fits_scopes(quota, request.obj):
        return False
    name = quota["metadata"]["name"]
    problem = evaluator.missing(tracked, request.obj)
    if problem is not None:
        raise _refuse(request, f"failed quota: {name}: {problem}")
    used = status.get("used") or {}
    if any(resource not in used for resource in tracked):
        shown = ",".join(sorted(tracked))
        raise _refuse(request, f"status unknown for quota: {name}, resources: {shown}")
    return True


def _charge(
    core: Core, evaluator: Evaluator, key: str, quota: dict[str, Any], request: AdmissionRequest
) -> _Charge | None:
    """What a quota is charged, or None if nothing changes."""
    now_ns = core.clock.unix_ns
    usage = evaluator.usage(request.obj, now_ns)
    old = request.old
    if old is not None and evaluator.fits_scopes(quota, old):
        usage = amounts.growth(usage, evaluator.usage(old, now_ns))
    status = quota["status"]
    hard, used = amounts.read(status["hard"]), amounts.read(status.get("used"))
    requested = amounts.mask(amounts.without_zeros(usage), hard)
    if not requested:
        return None
    after = amounts.add(used, requested)
    exceeded = amounts.exceeding(amounts.mask(after, requested), hard)
    if exceeded and request.subresource != "status":
        parts = [amounts.shown(amounts.mask(each, exceeded)) for each in (requested, used, hard)]
        raise _refuse(
            request,
            f"exceeded quota: {quota['metadata']['name']}, requested: {parts[0]}, "
            f"used: {parts[1]}, limited: {parts[2]}",
        )
    return _Charge(key, quota, after)


def _refuse(request: AdmissionRequest, why: str) -> Forbidden:
    return admission_request.refuse(request.kind, request.obj, why)
