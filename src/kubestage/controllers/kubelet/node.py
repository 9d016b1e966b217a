"""A node as its kubelet knows it: what runs there, what is free, and whether it is reachable."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects.views import node as views
from kubestage.programs import kernel
from kubestage.sim.entity import Entity

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.kubelet.addresses import Range
    from kubestage.controllers.kubelet.events import History
    from kubestage.controllers.kubelet.pod import Pod
    from kubestage.controllers.kubelet.references import Target
    from kubestage.controllers.kubelet.stocks import NodeStock
    from kubestage.golang.rate import Limiter
    from kubestage.objects.host_ports import HostPort
    from kubestage.objects.resource_totals import Resource
    from kubestage.objects.views.node import NodeView
    from kubestage.sim.movement import Movement


KIND: Final = "Node"


class Node(Entity):
    """One node.

    `images` are those that are there or on their way, with their sizes, and `present` those that
    are there; `unshown` those that came while it was unreachable. `pulls_until_ns` is when the last
    requested pull will be done, where one image is pulled at a time; where several are,
    `pull_ends` is when each is done. Pods that wait for an image
    that is never pulled are in `lacking`, those that need more than is left in `deferred`.
    `launches` are the ends of launches where only some go on at once, and `client` limits its
    calls. `lanes` are when its CPUs get free from starting pods, where that takes them, and
    `slowness` how much longer work takes because of its other programs; `watched` are the
    objects that it watches, with the number of pods that mount them. The node may be silent
    `by_hand`, or because it `failed`.
    """

    __slots__ = (
        "_view", "addresses", "bandwidth", "by_hand", "client", "count", "deferred", "failed",
        "failures", "history", "images", "ip", "ips", "is_registered", "lacking", "lanes",
        "launches", "lease_since_ns", "memory", "milli_cpu", "movement", "notes", "object", "pods",
        "ports", "present", "pull_ends", "pulls_until_ns", "scalars", "slowness", "source",
        "stock", "storage", "uid", "unschedulable", "unshown", "watched",
    )  # fmt: skip

    addresses: Range

    def __init__(self, obj: Json, pods: dict[str, Pod]) -> None:
        metadata = obj["metadata"]
        Entity.__init__(self, metadata["name"], KIND)
        self.uid: str = metadata["uid"]
        self.object = obj
        self.pods = pods
        self.notes: dict[str, str] | None = None
        self.stock: NodeStock | None = None
        self.movement: Movement | None = None
        self.source: Json = {"component": "kubelet", "host": self.name}
        self.history: History | None = None
        self.ip = ""
        self.ips: list[Json] = []
        self.bandwidth = 0.0
        self.images: dict[str, int] = {}
        self.present: set[str] = set()
        self.deferred: dict[str, Pod] = {}
        self.lacking: dict[str, dict[str, Pod]] = {}
        self.pulls_until_ns = 0
        self.pull_ends: dict[str, int] = {}
        self.launches: list[int] = []
        self.lanes: list[int] | None = None
        self.slowness = 1.0
        self.client: Limiter | None = None
        self.watched: dict[Target, int] = {}
        self.unshown: list[tuple[str, int]] = []
        self.by_hand = self.failed = self.is_registered = False
        self.failures = 0
        self.lease_since_ns = 0
        self.unschedulable = bool((obj.get("spec") or {}).get("unschedulable"))
        self.count = self.milli_cpu = self.memory = self.storage = 0
        self.scalars: dict[str, int] = {}
        self.ports: dict[str, tuple[HostPort, ...]] = {}
        self._view: NodeView | None = None

    @property
    def speaks(self) -> bool:
        """Whether its kubelet works and is reachable."""
        return self.stock is not None and not (self.by_hand or self.failed)

    @property
    def view(self) -> NodeView:
        """Labels, taints and allocatable resources, as of now."""
        if self._view is None:
            self._view = views.of(self.object)
        return self._view

    @property
    def cpus(self) -> int:
        """How many CPUs it has."""
        return kernel.cpus_of(self.object)

    def renew(self, obj: Json) -> None:
        """The object has changed."""
        self.object = obj
        self._view = None

    def take(self, pod: Pod) -> None:
        """Count a pod that was admitted."""
        scheduling = pod.plan.scheduling
        self._count(scheduling.usage.resource, 1)
        if scheduling.host_ports:
            self.ports[pod.uid] = scheduling.host_ports

    def release(self, pod: Pod) -> None:
        """A pod takes nothing any more."""
        self.leave_out(pod)
        self.deferred.pop(pod.uid, None)
        if pod.ip:
            self.addresses.free(pod.ip)
        for each in pod.watched:
            self._unwatch(each)
        pod.watched = ()

    def watch(self, objects: tuple[Target, ...]) -> int:
        """Watch the objects that a pod mounts; how many of them were not watched yet."""
        watched = self.watched
        new = sum(each not in watched for each in objects)
        for each in objects:
            watched[each] = watched.get(each, 0) + 1
        return new

    def _unwatch(self, target: Target) -> None:
        count = self.watched.get(target, 0) - 1
        if count > 0:
            self.watched[target] = count
        else:
            self.watched.pop(target, None)

    def leave_out(self, pod: Pod) -> None:
        """Do not count a pod, which is still there: to see whether it fits in another way."""
        self._count(pod.plan.scheduling.usage.resource, -1)
        self.ports.pop(pod.uid, None)

    def _count(self, amounts: Resource, sign: int) -> None:
        self.count += sign
        self.milli_cpu += sign * amounts.milli_cpu
        self.memory += sign * amounts.memory
        self.storage += sign * amounts.ephemeral_storage
        for name, amount in amounts.scalars.items():
            self.scalars[name] = self.scalars.get(name, 0) + sign * amount
