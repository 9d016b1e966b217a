"""The selector that a pod's Services and its controller imply, for pods that state none."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.objects import labels

if TYPE_CHECKING:
    from kubestage.objects.labels import Selector
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.handle import Lister

_encode: Final = msgspec.json.Encoder().encode


def of(pod: PodView, lister: Lister) -> Selector:
    """All labels that matching Services and the pod's controller select it by.

    It is empty if there is neither, and then means nothing rather than everything.
    """
    wanted: dict[str, str] = {}
    for service in lister.list("v1", "Service", pod.namespace):
        selector: dict[str, str] = (service.get("spec") or {}).get("selector") or {}
        if selector.items() <= pod.labels.items():
            wanted.update(selector)
    owner = pod.owner
    if owner is None:
        return _of_set(wanted)
    match owner.get("apiVersion"), owner.get("kind"):
        case "v1", "ReplicationController":
            controller = _spec_of(owner, pod, lister)
            wanted.update((controller or {}).get("selector") or {})
        case "apps/v1", ("ReplicaSet" | "StatefulSet"):
            controller = _spec_of(owner, pod, lister)
            if controller is not None:
                return _narrowed(_of_set(wanted), controller.get("selector"))
    return _of_set(wanted)


def _of_set(wanted: dict[str, str]) -> Selector:
    return labels.selector_from_set(wanted) if wanted else labels.EVERYTHING


def _spec_of(owner: dict[str, Any], pod: PodView, lister: Lister) -> dict[str, Any] | None:
    found = lister.get(owner["apiVersion"], owner["kind"], owner.get("name") or "", pod.namespace)
    return None if found is None else found.get("spec") or {}


def _narrowed(selector: Selector, label_selector: dict[str, Any] | None) -> Selector:
    # NOTE: the pods of an owner ask with the same selector one after the other; to compile it
    # each time costs fifteen times as much as to find it again (benchmarks/controllers.py).
    return _combined(selector, _encode(label_selector))


@functools.lru_cache(maxsize=4096)
def _combined(selector: Selector, label_selector: bytes) -> Selector:
    try:
        stated = labels.from_label_selector(msgspec.json.decode(label_selector))
        return selector.add(*stated.requirements)
    except labels.SelectorError:
        return selector
