"""Quotas of pods in a copy: what a new one takes of them, and what others give back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.controllers.ownership import controller_of
from kubestage.objects import gvk
from kubestage.objects.quota import amounts, evaluators
from kubestage.runs.fit import leaving

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kubestage.aliases import Json
    from kubestage.objects.pod_resources import ResourceList
    from kubestage.store.store import Store


def exceeded(store: Store, pod: Json, gone: Sequence[Json]) -> Iterator[tuple[Json, ResourceList]]:
    """Each quota that a new pod exceeds when others are gone, with the amounts it would need."""
    for quota, usage in _counting(store, pod):
        status = quota.get("status") or {}
        hard = amounts.read(status.get("hard"))
        after = amounts.add(_used(store, quota, gone), amounts.mask(usage, hard))
        names = amounts.exceeding(amounts.mask(after, usage), hard)
        if names:
            yield quota, amounts.mask(after, names)


def freed(store: Store, gone: Sequence[Json]) -> Iterator[Json]:
    """The quotas as they are once pods are gone that nothing replaces."""
    namespaces = {pod["metadata"]["namespace"] for pod in gone if _is_for_good(pod)}
    for quota in tuple(store.read(gvk.RESOURCE_QUOTA).values()):
        if quota["metadata"]["namespace"] in namespaces:
            used = amounts.write(_used(store, quota, gone))
            yield {**quota, "status": {**(quota.get("status") or {}), "used": used}}


def _used(store: Store, quota: Json, gone: Sequence[Json]) -> ResourceList:
    used = amounts.read((quota.get("status") or {}).get("used"))
    for pod in filter(_is_for_good, gone):
        for counting, usage in _counting(store, pod):
            if counting["metadata"]["name"] == quota["metadata"]["name"]:
                used = amounts.growth(used, usage)
    return used


def _is_for_good(pod: Json) -> bool:
    """Whether what a pod takes is free afterwards: else its successor takes it at once."""
    return controller_of(pod) is None or leaving.is_leaving(pod)


def _counting(store: Store, pod: Json) -> Iterator[tuple[Json, ResourceList]]:
    """The quotas that count a pod, and what it takes."""
    evaluator = evaluators.of(store.kind(gvk.POD))
    assert evaluator is not None, "pods are counted by quotas"
    usage = amounts.without_zeros(evaluator.usage(pod, store.clock.unix_ns))
    for quota in store.read(gvk.RESOURCE_QUOTA).values():
        is_near = quota["metadata"]["namespace"] == pod["metadata"]["namespace"]
        if is_near and evaluator.fits_scopes(quota, pod):
            yield quota, usage
