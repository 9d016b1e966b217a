"""Schedulers of one's own: small ones that schedule one pod at a time, and ask the hook first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.objects import quantity
from tests.scenario.building import NODE, POD

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.aliases import Json
    from kubestage.scenario.scheduling import NextPod
    from kubestage.store.store import Store


def key_of(pod: Json) -> str:
    """Namespace and name of a pod."""
    return f"{pod['metadata']['namespace']}/{pod['metadata']['name']}"


def _cpu(pod: Json) -> int:
    requests = pod["spec"]["containers"][0].get("resources", {}).get("requests", {})
    return quantity.parse(requests.get("cpu", "0")).milli_value


def pending(store: Store) -> list[Json]:
    """The pods that have no node."""
    return [pod for pod in store.list(POD).items if not pod["spec"].get("nodeName")]


def _on(store: Store, node: str) -> list[Json]:
    return [pod for pod in store.list(POD).items if pod["spec"].get("nodeName") == node]


def _room(store: Store, node: Json, without: Iterable[str] = ()) -> int:
    used = sum(
        _cpu(pod) for pod in _on(store, node["metadata"]["name"]) if key_of(pod) not in without
    )
    return quantity.parse(node["status"]["allocatable"]["cpu"]).milli_value - used


class FirstFit:
    """Takes the first node with room, one pod at a time; a pod that fits nowhere goes back."""

    def __init__(self) -> None:
        self.log: list[str] = []

    def __call__(self, store: Store, next_pod: NextPod) -> None:
        """The loop: while the hook says so, take the next pod and schedule it."""
        queue = pending(store)
        while queue:
            pod = queue.pop(0)
            if not next_pod(pod):
                return
            self.log.append(pod["metadata"]["name"])
            if not self.schedule_one(store, pod):
                queue.append(pod)

    def schedule_one(self, store: Store, pod: Json) -> bool:
        """Schedule one pod, if there is room for it."""
        for node in store.list(NODE).items:
            if _room(store, node) >= _cpu(pod):
                store.bind(pod["metadata"]["name"], "default", node["metadata"]["name"])
                return True
        return False


class Preempting(FirstFit):
    """Has the weakest pod go where there is no room, and comes back for its place."""

    def schedule_one(self, store: Store, pod: Json) -> bool:
        """Schedule one pod, or make room for it."""
        if super().schedule_one(store, pod):
            return True
        for node in store.list(NODE).items:
            weaker = [
                each
                for each in _on(store, node["metadata"]["name"])
                if each["spec"]["priority"] < pod["spec"]["priority"]
                and "deletionTimestamp" not in each["metadata"]
            ]
            for victim in sorted(weaker, key=lambda each: int(each["spec"]["priority"])):
                if _room(store, node, [key_of(victim)]) >= _cpu(pod):
                    store.delete(POD, victim["metadata"]["name"])
                    return False
        return False
