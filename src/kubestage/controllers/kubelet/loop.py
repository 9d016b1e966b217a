"""The kubelet of all nodes: hears of pods and nodes, and moves them from stock to stock."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.controllers.controller import Controller
from kubestage.controllers.kubelet import phases, stocks, usage
from kubestage.controllers.kubelet import pod as steps
from kubestage.controllers.kubelet.addresses import Addresses
from kubestage.controllers.kubelet.admitting import Admitting
from kubestage.controllers.kubelet.ending import Ending
from kubestage.controllers.kubelet.events import Events
from kubestage.controllers.kubelet.exits import Exits
from kubestage.controllers.kubelet.images import Images
from kubestage.controllers.kubelet.nodes import Nodes
from kubestage.controllers.kubelet.plan import Plans
from kubestage.controllers.kubelet.pod import Pod
from kubestage.controllers.kubelet.reports import Reports
from kubestage.controllers.kubelet.running import Running
from kubestage.controllers.kubelet.starting import Starting
from kubestage.controllers.kubelet.stocks import Created, PodsGone, PodStock
from kubestage.sim.movement import Movement
from kubestage.store.log import DELETED

if TYPE_CHECKING:
    from kubestage.controllers.controller import Cluster, Handlers
    from kubestage.controllers.kubelet.images import Image
    from kubestage.controllers.kubelet.node import Node
    from kubestage.controllers.kubelet.usage import Usage
    from kubestage.store.log import Change

Json = dict[str, Any]

_SECOND_NS = 1_000_000_000


class KubeletController(Controller):
    """One kubelet for every node there is.

    Handlers only note what changed and send pods on their way; what a pod's turn entails is done
    when it arrives where it was sent. A pod whose node is not there, or silent, stays where it is.
    """

    name = "kubelet"

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        settings = cluster.settings.kubelet
        environment, clock, seed = cluster.environment, self.clock, cluster.streams.seed
        self._environment = environment
        self._plays_pods = not settings.pods_by_kwok
        self.pods: dict[str, Pod] = {}
        self._created = Created("PodsCreated", steps.KIND, Pod)
        self.pods_waiting = PodStock(stocks.WAITING, self._in_waiting)
        self.pods_starting = PodStock(stocks.STARTING, self._in_starting)
        self.pods_running = PodStock(stocks.RUNNING, self._in_running)
        self.pods_ending = PodStock(stocks.ENDING, self._in_ending)
        self.pods_finished = PodStock(stocks.FINISHED, self._in_finished)
        self.pods_gone = PodsGone(self._in_gone)
        told, addresses = Events(self.store), Addresses()
        reports = Reports(self.store, told)
        images = Images(environment, settings, told, self._image_came)
        self._told = told
        self._reports = reports
        self._starting = Starting(clock, seed, told, images, addresses, reports)
        self._exits = Exits(clock, told, reports)
        self._running = Running(clock, told, images, self._starting, self._exits, reports)
        self._ending = Ending(clock, told, self._starting, reports)
        self._admitting = Admitting(clock, Plans(settings), told, self._starting, reports)
        self.nodes = Nodes(cluster, told, addresses, images, self._freeze, self._wake)

    def handlers(self) -> Handlers:
        """Pods and nodes."""
        handlers = {("", "Node"): self.nodes.on_change}
        if self._plays_pods:
            handlers["", "Pod"] = self.on_pod
        return handlers

    def sync(self, key: str) -> None:
        """Nothing is ever queued: pods are moved instead."""
        raise AssertionError(key)

    def usage(self, key: str, now_ns: int | None = None) -> Usage | None:
        """What the running containers of a pod use, now or then; None if it has none."""
        obj = self.lister.get(("v1", "Pod"), key)
        pod = None if obj is None else self.pods.get(obj["metadata"]["uid"])
        if pod is None:
            return None
        return usage.of(pod, self.clock.now_ns if now_ns is None else now_ns)

    def on_pod(self, change: Change) -> None:
        """Note what a change means for a pod."""
        new = change.new
        metadata = new["metadata"]
        pod = self.pods.get(metadata["uid"])
        if pod is None:
            if change.type != DELETED:
                self._meet(change.key, new)
            return
        if change.type == DELETED:
            pod.gone = True
            self._notice(pod)
            return
        is_news = False
        if not pod.node_name and new["spec"].get("nodeName"):
            self._note_node(pod, new)
            is_news = True
        if "deletionTimestamp" in metadata:
            grace_ns = (metadata.get("deletionGracePeriodSeconds") or 0) * _SECOND_NS
            if not pod.deleting or grace_ns != pod.grace_ns:
                pod.deleting, pod.grace_ns = True, grace_ns
                is_news = True
        status = new.get("status")
        if pod.node is not None and status is not pod.status:
            is_news |= self._note_status(pod, status or {})
        if is_news:
            self._notice(pod)

    def _meet(self, key: str, obj: Json) -> None:
        """Begin to follow a pod, unless it has run to its end."""
        if (obj.get("status") or {}).get("phase") in (phases.SUCCEEDED, phases.FAILED):
            return
        metadata = obj["metadata"]
        pod = self.pods[metadata["uid"]] = Pod(key, metadata)
        if obj["spec"].get("nodeName"):
            self._note_node(pod, obj)
        if "deletionTimestamp" in metadata:
            pod.deleting = True
            pod.grace_ns = (metadata.get("deletionGracePeriodSeconds") or 0) * _SECOND_NS
        at_ns = max(self.clock.now_ns, 1)
        pod.movement = Movement("create", at_ns, self._created, self.pods_waiting, pod)
        self._environment.add_to_schedule(pod.movement)

    def _note_node(self, pod: Pod, obj: Json) -> None:
        pod.node_name = obj["spec"]["nodeName"]
        self.nodes.bound_to(pod.node_name)[pod.uid] = pod

    def _note_status(self, pod: Pod, status: Json) -> bool:
        """Somebody else wrote a pod's status: what is the kubelet's is written again."""
        if pod.is_over:
            return False
        pod.is_stale = True
        if status.get("phase") in (phases.SUCCEEDED, phases.FAILED):
            pod.is_over, pod.is_stale = True, False
            pod.phase = status["phase"]
            pod.drop_steps()
            if pod.node is not None:
                pod.node.release(pod)
        return True

    def _notice(self, pod: Pod) -> None:
        """Send a pod where it belongs by what is known of it now."""
        stock = pod.stock
        if stock is None:
            # On its way into its first stock, where it is looked at.
            return
        if pod.gone:
            self._send(pod, "leave", self.pods_gone)
            return
        node = self.nodes.get(pod.node_name)
        if node is None or not node.speaks:
            return
        if stock is self.pods_waiting:
            self._send(pod, "bind", self.pods_starting)
        elif pod.deleting and stock is self.pods_ending:
            self._ending.hurry(pod)
            self._onward(pod)
        elif pod.is_stale and not pod.deleting:
            self._send(pod, "reconcile", stock)
        else:
            self._onward(pod)

    def _in_waiting(self, pod: Pod) -> None:
        self._notice(pod)

    def _in_starting(self, pod: Pod) -> None:
        if pod.node is not None:
            self._in_running(pod)
            return
        node, obj = self.nodes.get(pod.node_name), self._reports.stored(pod)
        assert node is not None
        assert obj is not None
        if self._admitting.admit(pod, node, obj) and not pod.deleting:
            self._running.proceed(pod)
            if pod.status is None:
                self._reports.write(pod)
        self._onward(pod)

    def _in_running(self, pod: Pod) -> None:
        self._running.proceed(pod)
        self._onward(pod)

    def _in_ending(self, pod: Pod) -> None:
        self._ending.begin(pod)
        self._onward(pod)

    def _in_finished(self, pod: Pod) -> None:
        if pod.cause:
            self._ending.finish(pod)
        else:
            self._running.proceed(pod)
        self._onward(pod)

    def _in_gone(self, pod: Pod) -> None:
        del self.pods[pod.uid]
        if pod.node_name:
            self.nodes.bound_to(pod.node_name).pop(pod.uid, None)
        if not pod.gone:
            self._ending.finish(pod)
        elif pod.node is not None and not pod.is_over:
            pod.node.release(pod)

    def _image_came(self, image: Image) -> None:
        for pod in self.nodes.show_image(image):
            if not pod.is_over and not pod.deleting:
                self._running.retry(pod)
                self._onward(pod)

    def _freeze(self, pod: Pod) -> None:
        """A node fell silent: what is due for its pods has to wait."""
        if pod.movement is not None and pod.stock is not None:
            self._environment.cancel(pod.movement)
            pod.movement = None

    def _wake(self, pod: Pod, node: Node) -> None:
        """A node speaks: its pods go on, and what others wrote of them meanwhile is set right."""
        if pod.node is not None and pod.node is not node:
            pod.node = node
            if not pod.is_over:
                node.take(pod)
                self._starting.move_in(pod, node)
        if pod.node is not None and not pod.is_over and pod.stock is not self.pods_ending:
            pod.is_stale = True
        self._notice(pod)

    def _onward(self, pod: Pod) -> None:
        """Plan a pod's next movement: where it belongs now, or for what time brings next."""
        self._told.settle()
        stock, target = pod.stock, self._place(pod)
        assert stock is not None
        if target is not stock:
            self._send(pod, _KINDS[target.name], target)
            return
        node = pod.node
        if not pod.steps or node is None or not node.speaks:
            return
        at_ns, _, kind, _ = pod.steps[0]
        if kind == steps.ENDED:
            to = self.pods_gone if pod.deleting else self.pods_finished
            self._send(pod, "leave" if pod.deleting else "finish", to, at_ns)
        elif kind == steps.LAUNCHED and self._starting.goes_straight(pod):
            self._send(pod, "start", self.pods_running, at_ns)
        elif kind == steps.EXIT and self._exits.goes_straight(pod):
            self._send(pod, "finish", self.pods_finished, at_ns)
        else:
            self._send(pod, kind, stock, at_ns)

    def _place(self, pod: Pod) -> PodStock:
        """The stock in which a pod belongs that is on its node."""
        if pod.is_over:
            return self.pods_finished
        if pod.deleting or pod.cause:
            return self.pods_ending
        return self.pods_running if pod.phase == phases.RUNS else self.pods_starting

    def _send(self, pod: Pod, kind: str, target: PodStock | PodsGone, at_ns: int = 0) -> None:
        environment = self._environment
        if pod.movement is not None:
            environment.cancel(pod.movement)
        assert pod.stock is not None
        at_ns = max(at_ns, self.clock.now_ns, 1)
        pod.movement = Movement(kind, at_ns, pod.stock, target, pod)
        environment.add_to_schedule(pod.movement)


_KINDS = {
    stocks.STARTING: "begin",
    stocks.RUNNING: "run",
    stocks.ENDING: "terminate",
    stocks.FINISHED: "finish",
}
