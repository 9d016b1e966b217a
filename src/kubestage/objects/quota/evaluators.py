"""What objects of all kinds use of a quota."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from kubestage.objects.quota import amounts
from kubestage.objects.quota.evaluator import Evaluator

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from kubestage.aliases import Json
    from kubestage.objects.kinds import Kind
    from kubestage.objects.pod_resources import ResourceList


def of(kind: Kind) -> Evaluator | None:
    """The evaluator of a kind; None if no quota counts it."""
    behavior = kind.behavior
    if not behavior.is_counted:
        return None
    return behavior.quota or _count_of(kind.group, kind.plural, behavior.quota_name)


@functools.lru_cache(maxsize=1024)
def _count_of(group: str, plural: str, other_name: str) -> Evaluator:
    """Any other kind is counted, object by object."""
    names = [f"count/{plural}.{group}" if group else f"count/{plural}"]
    if other_name:
        names.append(other_name)
    used = dict.fromkeys(names, amounts.ONE)
    return Evaluator(used.__contains__, lambda _obj, _now_ns: used)


def usage(kind: Kind, obj: Json, now_ns: int) -> ResourceList:
    """What one object uses."""
    evaluator = of(kind)
    return {} if evaluator is None else evaluator.usage(obj, now_ns)


def total(
    resource_quota: Json,
    kinds: Iterable[Kind],
    list_objects: Callable[[Kind], Iterable[Json]],
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
        evaluator = of(kind)
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
