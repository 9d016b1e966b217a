"""The lifecycle of pods: in which stock they are, where they go next, and what that entails."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.disruption_target import DISRUPTION_TARGET
from kubestage.controllers.kubelet import phases, stocks
from kubestage.controllers.kubelet import pod as steps
from kubestage.controllers.kubelet.addresses import Addresses
from kubestage.controllers.kubelet.admitting import Admitting
from kubestage.controllers.kubelet.containers import RUNNING
from kubestage.controllers.kubelet.ending import Ending
from kubestage.controllers.kubelet.events import Events
from kubestage.controllers.kubelet.exits import Exits
from kubestage.controllers.kubelet.holding import Holding
from kubestage.controllers.kubelet.hooks import Hooks
from kubestage.controllers.kubelet.images import Images
from kubestage.controllers.kubelet.launching import Launching
from kubestage.controllers.kubelet.network import Network
from kubestage.controllers.kubelet.nodes import Nodes
from kubestage.controllers.kubelet.plan import Plans
from kubestage.controllers.kubelet.pod import Pod
from kubestage.controllers.kubelet.probing import Probing
from kubestage.controllers.kubelet.processes import Processes
from kubestage.controllers.kubelet.replanning import Replanning
from kubestage.controllers.kubelet.reporting_pace import ReportingPace
from kubestage.controllers.kubelet.reports import Reports
from kubestage.controllers.kubelet.resizing import Resizing
from kubestage.controllers.kubelet.running import Running
from kubestage.controllers.kubelet.settings import HOLD
from kubestage.controllers.kubelet.starting import Starting
from kubestage.controllers.kubelet.stocks import Created, PodsGone, PodStock
from kubestage.controllers.pods import condition
from kubestage.objects import distributions
from kubestage.sim.movement import Movement

if TYPE_CHECKING:
    from kubestage.controllers.controller import Cluster
    from kubestage.controllers.kubelet.images import Image
    from kubestage.controllers.kubelet.node import Node


# What a movement is called that takes a pod to a stock where it belongs by now.
_KINDS: Final = {
    stocks.STARTING: "begin",
    stocks.RUNNING: "run",
    stocks.ENDING: "terminate",
    stocks.FINISHED: "finish",
    stocks.GONE: "leave",
}


class PodLifecycle:
    """The stocks of pods, and the traffic between them."""

    def __init__(self, cluster: Cluster) -> None:
        settings, store = cluster.settings.kubelet, cluster.store
        environment, seed = cluster.environment, cluster.streams.seed
        clock = environment.clock
        self._environment = environment
        self._clock = clock
        self.pods: dict[str, Pod] = {}
        self._created = Created("PodsCreated", steps.KIND, Pod)
        self.waiting = PodStock(stocks.WAITING, self.notice)
        self.starting = PodStock(stocks.STARTING, self._in_starting)
        self.running = PodStock(stocks.RUNNING, self._in_running)
        self.ending = PodStock(stocks.ENDING, self._in_ending)
        self.finished = PodStock(stocks.FINISHED, self._in_finished)
        self.gone = PodsGone(self._in_gone)
        events, addresses, plans = Events(store), Addresses(), Plans(settings)
        self.addresses = addresses
        reports = Reports(store, events, ReportingPace(environment, settings, seed))
        images = Images(environment, settings, events, self._image_came)
        self.holding: Holding | None = None
        if settings.absent_references == HOLD:
            self.holding = Holding(clock, store, events, reports, self._onward_if_free)
        self.network = Network(clock, store, self.pods)
        self.processes = Processes(clock, store, seed, self.network)
        self.probing = Probing(clock, self.network)
        hooks = Hooks(events, self.network)
        starting = Starting(
            clock,
            seed,
            events,
            images,
            addresses,
            reports,
            self.processes,
            self.probing,
            hooks,
            self.holding,
        )
        exits = Exits(clock, events, reports, self.processes)
        self._events = events
        self._reports = reports
        self._starting = starting
        self._exits = exits
        delay = distributions.parse(settings.resize_delay)
        self._resizing = Resizing(clock, delay, events, starting, exits, reports)
        self._running = Running(
            clock,
            events,
            images,
            starting,
            exits,
            self._resizing,
            reports,
            self.processes,
            self.probing,
        )
        self._ending = Ending(clock, events, starting, reports, self.processes, hooks)
        launching = Launching(clock, seed, settings)
        self._admitting = Admitting(clock, plans, events, starting, reports, launching)
        self._watch_delay = distributions.parse(settings.watch_delay)
        self._is_informed_late = bool(self._watch_delay.first or self._watch_delay.second)
        self._replanning = Replanning(plans, events, starting, exits, self._resizing)
        self.nodes = Nodes(cluster, events, addresses, images, self._freeze, self._wake)

    def begin(self, pod: Pod) -> None:
        """Follow a pod from now on."""
        self.pods[pod.uid] = pod
        at_ns = self._environment.earliest_ns
        pod.movement = Movement("create", at_ns, self._created, self.waiting, pod)
        self._environment.add_to_schedule(pod.movement)

    def notice(self, pod: Pod) -> None:
        """Send a pod where it belongs by what is known of it now."""
        stock = pod.stock
        if stock is None:
            # On its way into its first stock, where it is handled.
            return
        if pod.gone:
            self._send(pod, "leave", self.gone)
            return
        node = self.nodes.get(pod.node_name)
        if node is None or not node.speaks:
            return
        if stock is self.waiting:
            if pod.movement is None or not self._is_informed_late:
                delay_ns = self._starting.draw_ns(pod, self._watch_delay, "watch-delay")
                self._send(pod, "bind", self.starting, self._clock.now_ns + delay_ns)
        elif stock is self.ending:
            if pod.deleting:
                self._ending.hurry(pod)
            self._onward(pod)
        elif pod.is_stale and not pod.deleting:
            self._send(pod, "reconcile", stock)
        else:
            self._onward(pod)

    def touched(self, pod: Pod) -> None:
        """Something from outside has been done in a pod: its probes and programs go on."""
        for each in pod.all_containers():
            process = each.process
            if process is None or each.state != RUNNING:
                continue
            pod.drop_kind(steps.PROGRAM, each)
            if not self.processes.plan(pod, each) and process.unmodelled:
                pod.plan_step(self._clock.now_ns, steps.PROGRAM, each)
        self.probing.wake(pod)
        if pod.stock is not None and not pod.is_over and pod.stock is not self.ending:
            self._onward(pod)

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
        if pod.is_changed:
            pod.is_changed, pod.is_stale = False, True
            obj = self._reports.stored(pod)
            assert obj is not None
            self._replanning.apply(pod, obj)
        resize = pod.resize
        self._running.proceed(pod)
        self._onward(pod)
        if resize is not None and pod.resize is None:
            self._make_room(pod.node)

    def _in_ending(self, pod: Pod) -> None:
        self._let_go(pod)
        self._ending.begin(pod)
        self._onward(pod)

    def _in_finished(self, pod: Pod) -> None:
        if pod.cause:
            self._ending.finish(pod)
        else:
            self._running.proceed(pod)
        self._onward(pod)
        self._make_room(pod.node)

    def _let_go(self, pod: Pod) -> None:
        if self.holding is not None and pod.holds:
            self.holding.forget(pod)

    def _in_gone(self, pod: Pod) -> None:
        self._let_go(pod)
        del self.pods[pod.uid]
        self.processes.forget(pod)
        if pod.node_name:
            self.nodes.bound_to(pod.node_name).pop(pod.uid, None)
        if not pod.gone:
            self._ending.finish(pod)
        elif pod.node is not None and not pod.is_over:
            pod.node.release(pod)
        self._make_room(pod.node)

    def _make_room(self, node: Node | None) -> None:
        """A node may have more left than before: pods that wait for that are tried again."""
        if node is None or not node.deferred or not node.speaks:
            return
        for pod in self._resizing.waiting(node):
            pod.drop_kind(steps.RETRY_RESIZE)
            pod.plan_step(self._clock.now_ns, steps.RETRY_RESIZE)
            self._onward(pod)

    def _image_came(self, image: Image) -> None:
        for pod in self.nodes.show_image(image):
            if not pod.is_over and not pod.deleting:
                self._running.retry(pod)
                self._onward(pod)

    def _onward_if_free(self, pod: Pod) -> None:
        """What a pod waited for has changed: it goes on at its time, if its node is reachable."""
        if pod.stock is not None and not pod.is_over and not pod.deleting and not pod.cause:
            self._onward(pod)

    def _freeze(self, pod: Pod) -> None:
        """A node became unreachable: what is due for its pods has to wait."""
        if pod.movement is not None and pod.stock is not None:
            self._environment.cancel(pod.movement)
            pod.movement = None

    def _wake(self, pod: Pod, node: Node) -> None:
        """A node is reachable: its pods go on, and their status is corrected if others wrote it."""
        if pod.node is not None and pod.node is not node:
            pod.node = node
            if not pod.is_over:
                node.take(pod)
                self._starting.move_in(pod, node)
        if pod.node is not None and not pod.is_over and pod.stock is not self.ending:
            pod.is_stale = True
        self.notice(pod)

    def _onward(self, pod: Pod) -> None:
        """Schedule a pod's next movement: to where it belongs now, or for its next step."""
        self._events.settle()
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
            to = self.gone if pod.deleting else self.finished
            self._send(pod, _KINDS[to.name], to, at_ns)
        elif kind == steps.LAUNCHED and self._starting.goes_straight(pod):
            self._send(pod, "start", self.running, at_ns)
        elif kind == steps.EXIT and self._exits.goes_straight(pod):
            self._send(pod, "finish", self.finished, at_ns)
        else:
            self._send(pod, kind, stock, at_ns)

    def _place(self, pod: Pod) -> PodStock | PodsGone:
        """The stock in which a pod belongs that is on its node."""
        if pod.is_over:
            return self.gone if pod.deleting else self.finished
        if pod.deleting or pod.cause:
            return self.ending
        return self.running if pod.phase == phases.RUNS else self.starting

    def _send(self, pod: Pod, kind: str, target: PodStock | PodsGone, at_ns: int = 0) -> None:
        environment = self._environment
        if pod.movement is not None:
            environment.cancel(pod.movement)
        assert pod.stock is not None
        at_ns = max(at_ns, environment.earliest_ns)
        notes = self._disruption(pod) if target is self.ending else ""
        pod.movement = Movement(kind, at_ns, pod.stock, target, pod, notes)
        environment.add_to_schedule(pod.movement)

    def _disruption(self, pod: Pod) -> str:
        """Why the cluster ends a pod, if it is the cluster that does: evicted, preempted, ..."""
        stored = self._reports.stored(pod)
        found = None if stored is None else condition(stored.get("status"), DISRUPTION_TARGET)
        return "" if found is None or found["status"] != "True" else found.get("reason", "")
