"""ResourceQuota: charges a namespace for what is about to be stored, or refuses it.

What is charged here is written into the quota's status before the object is stored. A controller
counts again now and then, and gives back what was charged for objects that are gone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kubestage.objects import timestamps
from kubestage.objects.quota import amounts, evaluators
from kubestage.store import field_managers, replacing
from kubestage.store.admission import request

if TYPE_CHECKING:
    from kubestage.errors import Forbidden
    from kubestage.objects.pod_resources import ResourceList
    from kubestage.objects.quota.evaluators import Evaluator
    from kubestage.store.admission.request import Request
    from kubestage.store.core import Core

RESOURCE_QUOTA: Final = ("v1", "ResourceQuota")


class _Charge(NamedTuple):
    """What a quota will say is used."""

    key: str
    quota: dict[str, Any]
    used: ResourceList


def check(core: Core, asked: Request) -> None:
    """Refuse what exceeds a quota; charge all the quotas that it counts for."""
    quotas = core.resource_quotas
    if not quotas.objects or not asked.kind.namespaced:
        return
    keys = quotas.keys(asked.obj["metadata"]["namespace"])
    evaluator = evaluators.of(asked.kind.group, asked.kind.plural) if keys else None
    if evaluator is None:
        return
    if asked.old is not None and not evaluator.is_charged_anew(
        asked.obj, asked.old, asked.subresource
    ):
        return
    fitting = [(key, quotas.objects[key]) for key in keys]
    fitting = [each for each in fitting if _applies(evaluator, each[1], asked)]
    charges = [_charge(core, evaluator, key, quota, asked) for key, quota in fitting]
    if asked.dry_run:
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


def _applies(evaluator: Evaluator, quota: dict[str, Any], asked: Request) -> bool:
    """Whether an object counts for a quota, and may."""
    status = quota.get("status") or {}
    tracked = [name for name in status.get("hard") or () if evaluator.tracks(name)]
    if not tracked or not evaluator.fits_scopes(quota, asked.obj):
        return False
    name = quota["metadata"]["name"]
    problem = evaluator.missing(tracked, asked.obj)
    if problem is not None:
        raise _refuse(asked, f"failed quota: {name}: {problem}")
    used = status.get("used") or {}
    if any(resource not in used for resource in tracked):
        shown = ",".join(sorted(tracked))
        raise _refuse(asked, f"status unknown for quota: {name}, resources: {shown}")
    return True


def _charge(
    core: Core, evaluator: Evaluator, key: str, quota: dict[str, Any], asked: Request
) -> _Charge | None:
    """What a quota is charged, or None if nothing changes."""
    now_ns = core.clock.unix_ns
    usage = evaluator.usage(asked.obj, now_ns)
    old = asked.old
    if old is not None and evaluator.fits_scopes(quota, old):
        usage = amounts.growth(usage, evaluator.usage(old, now_ns))
    status = quota["status"]
    hard, used = amounts.read(status["hard"]), amounts.read(status.get("used"))
    requested = amounts.mask(amounts.without_zeros(usage), hard)
    if not requested:
        return None
    after = amounts.add(used, requested)
    exceeded = amounts.exceeding(amounts.mask(after, requested), hard)
    if exceeded and asked.subresource != "status":
        parts = [amounts.shown(amounts.mask(each, exceeded)) for each in (requested, used, hard)]
        raise _refuse(
            asked,
            f"exceeded quota: {quota['metadata']['name']}, requested: {parts[0]}, "
            f"used: {parts[1]}, limited: {parts[2]}",
        )
    return _Charge(key, quota, after)


def _refuse(asked: Request, why: str) -> Forbidden:
    return request.refuse(asked.kind, asked.obj, why)
