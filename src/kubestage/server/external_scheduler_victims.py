"""Pods that an external scheduler preempted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.objects import gvk

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.scenario.pod_watch import PodWatch
    from kubestage.store.store import Store


class Victims:
    """Pods that were deleted, until their preemptor is known.

    A scheduler writes in no fixed order: it deletes the victim, nominates its node to the pod
    that is to have its place, and names both in an Event.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._departures: dict[str, Json] = {}
        self._preemptors: dict[str, str] = {}

    def __bool__(self) -> bool:
        return bool(self._departures)

    def clear(self) -> None:
        """A Scenario begins."""
        self._departures, self._preemptors = {}, {}

    def leaves(self, watch: PodWatch, key: str, pod: Json) -> None:
        """A pod with a node was deleted."""
        state = watch.pod_record(pod)
        if state.preempted_by is None:
            state.deletion_reported = True
            self._departures[key] = pod

    def makes_way(self, victim: str, preemptor: str) -> None:
        """An Event names the preemptor."""
        self._preemptors[victim] = preemptor

    def takes_place(self, key: str, pod: Json) -> None:
        """A pod was bound where others were preempted."""
        for victim, departed in self._departures.items():
            is_there = departed["spec"]["nodeName"] == pod["spec"]["nodeName"]
            if is_there and _priority(pod) > _priority(departed):
                self._preemptors.setdefault(victim, key)

    def report(self, watch: PodWatch) -> None:
        """Report preempted pods; their preemptors are known by now, if they ever will be."""
        departures, self._departures = self._departures, {}
        for key, pod in departures.items():
            watch.preempted(pod, self._preemptors.pop(key, "") or self._nominated(watch, pod))

    def _nominated(self, watch: PodWatch, victim: Json) -> str:
        """The pod that is to have a victim's place, as far as is known."""
        pods, node = self._store.read(gvk.POD), victim["spec"]["nodeName"]
        for key in watch.ledger.untried:
            if ((pods.get(key) or {}).get("status") or {}).get("nominatedNodeName") == node:
                return key
        stronger = [
            key
            for key in watch.unschedulable
            if key in pods and _priority(pods[key]) > _priority(victim)
        ]
        return stronger[-1] if stronger else ""


def _priority(pod: Json) -> int:
    return int(pod["spec"].get("priority") or 0)
