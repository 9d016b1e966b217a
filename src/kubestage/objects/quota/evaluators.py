"""Which rules charge which kind, and what follows from them for a quota."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.objects.quota import amounts, devices, pods, scopes, services, volume_claims

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from kubestage.objects.kinds import Kind
    from kubestage.objects.pod_resources import ResourceList

    Object = dict[str, Any]

# Kinds that quotas have counted under a plain name since before there was ``count/``.
_PLAIN_NAMES: Final = frozenset(
    {"configmaps", "resourcequotas", "replicationcontrollers", "secrets"}
)
_IGNORED: Final = frozenset({("", "events"), ("events.k8s.io", "events")})


def _in_no_scope(_requirement: Object, _obj: Object) -> bool:
    return False


def _nothing_missing(_required: Collection[str], _obj: Object) -> str | None:
    return None


def _only_new_ones(_new: Object, _old: Object, _subresource: str) -> bool:
    return False


def _whole_updates(_new: Object, _old: Object, subresource: str) -> bool:
    return not subresource


class Evaluator(msgspec.Struct, frozen=True):
    """How the objects of a kind are charged.

    `tracks` says whether a resource name is about this kind, `usage` what an object uses at a
    moment, `fits_scope` whether it is in a scope, `missing` what it fails to state under a quota
    for some resources, and `is_charged_anew` whether an update is looked at.
    """

    tracks: Callable[[str], bool]
    usage: Callable[[Object, int], ResourceList]
    fits_scope: Callable[[Object, Object], bool] = _in_no_scope
    missing: Callable[[Collection[str], Object], str | None] = _nothing_missing
    is_charged_anew: Callable[[Object, Object, str], bool] = _only_new_ones

    def fits_scopes(self, resource_quota: Object, obj: Object) -> bool:
        """Whether an object is in all the scopes of a quota."""
        wanted = scopes.selectors(resource_quota)
        return all(self.fits_scope(requirement, obj) for requirement in wanted)


_SPECIAL: Final = {
    ("", "pods"): Evaluator(
        pods.tracks, pods.usage, pods.fits_scope, pods.missing, pods.is_charged_anew
    ),
    ("", "persistentvolumeclaims"): Evaluator(
        volume_claims.tracks,
        volume_claims.usage,
        volume_claims.fits_scope,
        is_charged_anew=volume_claims.is_charged_anew,
    ),
    ("", "services"): Evaluator(services.tracks, services.usage, is_charged_anew=_whole_updates),
    ("resource.k8s.io", "resourceclaims"): Evaluator(
        devices.tracks, devices.usage, is_charged_anew=_whole_updates
    ),
}


@functools.lru_cache(maxsize=1024)
def of(group: str, plural: str) -> Evaluator | None:
    """The evaluator of a kind; None for events, which no quota counts."""
    if (group, plural) in _IGNORED:
        return None
    return _SPECIAL.get((group, plural)) or _count_of(group, plural)


def _count_of(group: str, plural: str) -> Evaluator:
    """Any other kind is counted, object by object."""
    names = [f"count/{plural}.{group}" if group else f"count/{plural}"]
    if not group and plural in _PLAIN_NAMES:
        names.append(plural)
    used = dict.fromkeys(names, amounts.ONE)
    return Evaluator(used.__contains__, lambda _obj, _now_ns: used)


def usage(kind: Kind, obj: Object, now_ns: int) -> ResourceList:
    """What one object uses."""
    evaluator = of(kind.group, kind.plural)
    return {} if evaluator is None else evaluator.usage(obj, now_ns)


def total(
    resource_quota: Object,
    kinds: Iterable[Kind],
    list_objects: Callable[[Kind], Iterable[Object]],
    now_ns: int,
) -> ResourceList:
    """What the objects of a quota's namespace use of what the quota limits.

    `list_objects` lists those of one kind. Resources that no kind tracks are left out.
    """
    hard = (resource_quota.get("spec") or {}).get("hard") or {}
    used: ResourceList = {}
    # Several versions of a kind hold the same objects.
    own = (kind for kind in kinds if kind.namespaced and kind.stored_as is None)
    for kind in {(kind.group, kind.plural): kind for kind in own}.values():
        evaluator = of(kind.group, kind.plural)
        if evaluator is None:
            continue
        tracked = [name for name in hard if evaluator.tracks(name)]
        if not tracked:
            continue
        for name in tracked:
            used.setdefault(name, amounts.ZERO)
        for obj in list_objects(kind):
            if evaluator.fits_scopes(resource_quota, obj):
                each = evaluator.usage(obj, now_ns)
                for name in tracked:
                    if name in each:
                        used[name] += each[name]
    return used
