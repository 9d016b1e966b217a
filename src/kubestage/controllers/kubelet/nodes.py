"""The nodes of a stage: registered, reachable or unreachable, and dropped when deleted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.controllers.kubelet import node as nodes
from kubestage.controllers.kubelet.events import NORMAL
from kubestage.controllers.kubelet.leases import Leases
from kubestage.controllers.kubelet.node import Node
from kubestage.controllers.kubelet.outages import Outages
from kubestage.controllers.kubelet.registration import Registration
from kubestage.controllers.kubelet.stocks import Created, NodeStock
from kubestage.sim.movement import Movement
from kubestage.store.log import DELETED

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.controllers.controller import Cluster
    from kubestage.controllers.kubelet.addresses import Addresses
    from kubestage.controllers.kubelet.events import Events
    from kubestage.controllers.kubelet.images import Image, Images
    from kubestage.controllers.kubelet.pod import Pod
    from kubestage.store.log import Change


class Nodes:
    """All nodes, by name.

    `freeze` is called for each pod of a node that falls silent or goes, `wake` for each pod of a
    node that is reachable (again).
    """

    def __init__(
        self,
        cluster: Cluster,
        events: Events,
        addresses: Addresses,
        images: Images,
        freeze: Callable[[Pod], None],
        wake: Callable[[Pod, Node], None],
    ) -> None:
        settings = cluster.settings.kubelet
        environment, seed = cluster.environment, cluster.streams.seed
        self._environment = environment
        self._events = events
        self._images = images
        self._freeze = freeze
        self._wake = wake
        self._writes = not settings.nodes_by_kwok
        self._nodes: dict[str, Node] = {}
        self._bound: dict[str, dict[str, Pod]] = {}
        self._created = Created("NodesCreated", nodes.KIND, Node)
        self.ready = NodeStock("NodesReady", self._in_ready)
        self.silent = NodeStock("NodesSilent", self._in_silent)
        self._silent_nodes = cluster.metrics.silent_nodes
        self._leases = Leases(cluster.store)
        self._registration = Registration(cluster.store, settings, addresses, events)
        self._outages = Outages(environment, seed, events, self, settings.image_bandwidth)

    def get(self, name: str) -> Node | None:
        """The node of a name."""
        return self._nodes.get(name)

    def bound_to(self, name: str) -> dict[str, Pod]:
        """The pods of a node by uid, whether the node is there or not."""
        found = self._bound.get(name)
        if found is None:
            found = self._bound[name] = {}
        return found

    def on_change(self, change: Change) -> None:
        """Handle a change of a node."""
        node = self._nodes.get(change.key)
        if change.type == DELETED:
            if node is not None:
                self._forget(node)
        elif node is None:
            self._meet(change)
        elif change.new is not node.object:
            before = node.object.get("status") or {}
            node.renew(change.new)
            if before.get("images") is not (change.new.get("status") or {}).get("images"):
                self._images.learn(node)
            self._outages.read_annotations(node)
            if self._writes and node.speaks and node.is_registered:
                self._registration.offer(node, before)
            self._report_schedulable(node)

    def show_image(self, image: Image) -> list[Pod]:
        """An image has come to a node; the pods that could not go on without it."""
        node = image.node
        if self._nodes.get(node.name) is not node:
            return []
        if not node.speaks:
            node.unshown.append((image.image, image.size))
            return []
        if self._writes:
            self._registration.show_image(node, [(image.image, image.size)])
        return list(node.lacking.pop(image.image, {}).values())

    def _meet(self, change: Change) -> None:
        name = change.key
        node = self._nodes[name] = Node(change.new, self.bound_to(name))
        self._registration.locate(node)
        self._images.learn(node)
        self._outages.read_annotations(node)
        target = self.silent if node.by_hand else self.ready
        at_ns = self._environment.earliest_ns
        node.movement = Movement("register", at_ns, self._created, target, node)
        self._environment.add_to_schedule(node.movement)

    def _forget(self, node: Node) -> None:
        del self._nodes[node.name]
        self._outages.forget(node)
        self._images.forget(node)
        for pod in list(node.pods.values()):
            self._freeze(pod)

    def _in_ready(self, node: Node) -> None:
        if self._nodes.get(node.name) is not node:
            self.ready.remove(node)
            node.stock = None
            return
        self._silent_nodes.discard(node.name)
        is_new = not node.is_registered
        node.is_registered = True
        if is_new:
            self._outages.began(node)
        else:
            self._outages.recovered(node)
        if self._writes:
            if is_new:
                self._registration.register(node)
            else:
                self._registration.recover(node)
            if node.unshown:
                self._registration.show_image(node, node.unshown)
                node.unshown = []
        # Stages of KWOK decide a node's status; its heartbeat is reported in any case.
        self._leases.begin(node)
        self._events.settle()
        for pod in list(node.pods.values()):
            self._wake(pod, node)

    def _in_silent(self, node: Node) -> None:
        if self._nodes.get(node.name) is not node:
            self.silent.remove(node)
            node.stock = None
            return
        self._silent_nodes.add(node.name)
        self._outages.failed(node)
        if node.is_registered:
            self._leases.stop(node)
        for pod in list(node.pods.values()):
            self._freeze(pod)

    def _report_schedulable(self, node: Node) -> None:
        unschedulable = bool((node.object.get("spec") or {}).get("unschedulable"))
        if unschedulable != node.unschedulable:
            node.unschedulable = unschedulable
            if self._writes and node.speaks:
                reason = "NodeNotSchedulable" if unschedulable else "NodeSchedulable"
                text = f"Node {node.name} status is now: {reason}"
                self._events.node(node, NORMAL, reason, text)
                self._events.settle()
