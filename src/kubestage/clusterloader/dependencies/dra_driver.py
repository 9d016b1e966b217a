"""Plays the part of dra-example-driver on a stage: its pods publish the devices of their nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.cluster.access import Answer, Call, Resource, Selection
from kubestage.clusterloader.call_log import CallLog
from kubestage.clusterloader.dependencies import dra_objects
from kubestage.clusterloader.requests import Requests
from kubestage.errors import NotFound

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.cluster.access import Cluster, Subscription, WatchEvent


SLICE: Final = Resource("resource.k8s.io/v1", "ResourceSlice")
POD: Final = Resource("v1", "Pod")
_NODE: Final = Resource("v1", "Node")
_WIPED_AFTER_NS: Final = 30_000_000_000
"""How long a kubelet waits for a driver to come back before it withdraws the driver's devices."""


class Driver:
    """Publishes a ResourceSlice for each node on which a pod of the driver runs.

    Calls are the driver's own: they do not count as the load's.
    """

    def __init__(self, cluster: Cluster, namespace: str, pod_prefix: str) -> None:
        self._cluster = cluster
        self._requests = Requests(cluster, CallLog())
        self._namespace = namespace
        self._prefix = pod_prefix
        self._watches: list[Subscription] = []
        self._running: dict[str, str] = {}
        self._slices: dict[str, str] = {}
        self._under_way: set[str] = set()
        self._is_stopped = False

    def start(self) -> None:
        """Begin to watch the driver's pods, and what is published of its devices."""
        published = Selection(SLICE, field_selector=f"spec.driver={dra_objects.DRIVER}")
        self._watches = [
            self._cluster.watch(published, self._slice_seen),
            self._cluster.watch(Selection(POD, self._namespace), self._pod_seen),
        ]

    def stop(self) -> list[str]:
        """Publish no more; the names of the slices that are there."""
        self._is_stopped = True
        for watch in self._watches:
            watch.stop()
        self._watches = []
        return list(self._slices.values())

    def _slice_seen(self, seen: WatchEvent) -> None:
        spec = seen.object.get("spec") or {}
        node = spec.get("nodeName")
        if not node:
            return
        if seen.type != "DELETED":
            self._slices[node] = seen.object["metadata"]["name"]
        elif self._slices.get(node) == seen.object["metadata"]["name"]:
            del self._slices[node]
            if node in self._running.values():
                self._publish(node)

    def _pod_seen(self, seen: WatchEvent) -> None:
        pod = seen.object
        name = pod["metadata"]["name"]
        node = pod["spec"].get("nodeName")
        if not node or not name.startswith(self._prefix):
            return
        runs = seen.type != "DELETED" and (pod.get("status") or {}).get("phase") == "Running"
        if runs and name not in self._running:
            self._running[name] = node
            self._publish(node)
        elif not runs and self._running.pop(name, None) is not None:
            moments = self._cluster.moments
            moments.at(moments.now_ns + _WIPED_AFTER_NS, _Absence(self, node).is_over)

    def _publish(self, node: str) -> None:
        if self._is_stopped or node in self._slices or node in self._under_way:
            return
        self._under_way.add(node)
        call = Call(verb="get", resource=_NODE, name=node)
        self._requests.make(call, _Publication(self, node).found, allowed=(NotFound,))

    def create(self, node: str, found: Json | None) -> None:
        """Here is a node whose devices are to be published, if it is there."""
        if found is None or self._is_stopped:
            self._under_way.discard(node)
            return
        body = dra_objects.resource_slice(found)
        call = Call(verb="create", resource=SLICE, body=body)
        self._requests.make(call, _Publication(self, node).created)

    def created(self, node: str, made: Json | None) -> None:
        """The devices of a node are published, or that was refused."""
        self._under_way.discard(node)
        if made is None:
            return
        name = made["metadata"]["name"]
        if self._is_stopped:
            self._delete(name)
        else:
            self._slices[node] = name

    def withdraw(self, node: str) -> None:
        """Take back the devices of a node to which no pod of the driver came back."""
        if not self._is_stopped and node not in self._running.values() and node in self._slices:
            self._delete(self._slices[node])

    def _delete(self, name: str) -> None:
        call = Call(verb="delete", resource=SLICE, name=name)
        self._requests.make(call, _ignore, allowed=(NotFound,))


class _Publication:
    """The devices of one node on their way."""

    def __init__(self, driver: Driver, node: str) -> None:
        self._driver = driver
        self._node = node

    def found(self, answer: Answer) -> None:
        self._driver.create(self._node, answer.object or None)

    def created(self, answer: Answer) -> None:
        self._driver.created(self._node, answer.object)


class _Absence:
    """A node without a driver."""

    def __init__(self, driver: Driver, node: str) -> None:
        self._driver = driver
        self._node = node

    def is_over(self) -> None:
        self._driver.withdraw(self._node)


def _ignore(answer: Answer) -> None:
    """What is refused here is seen in what is left."""
    del answer
