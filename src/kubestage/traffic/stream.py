"""One stream of requests: a running Traffic object, with its target, replicas and record."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.metrics.samples import Used
from kubestage.objects import gvk, timestamps
from kubestage.store.log import DELETED
from kubestage.traffic import pod_state, spec, targets
from kubestage.traffic.engine import make
from kubestage.traffic.feed import Feed
from kubestage.traffic.measuring import Measuring
from kubestage.traffic.replica import State
from kubestage.traffic.replicas import ACTIVE, TERMINATING, Replicas

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.metrics.silent_nodes import SilentNodes
    from kubestage.sim.environment import Environment
    from kubestage.store.log import Change
    from kubestage.store.store import Store
    from kubestage.traffic.measuring import RequestCounts
    from kubestage.traffic.record import Record


class Stream:
    """The requests of one Traffic, from its creation to its deletion.

    `title` separates it from others that had the same name before.
    """

    def __init__(
        self,
        store: Store,
        environment: Environment,
        seed: int,
        obj: Json,
        title: str,
        silent_nodes: SilentNodes,
        *,
        traces: bool,
    ) -> None:
        metadata = obj["metadata"]
        self.namespace: str = metadata["namespace"]
        self.name: str = metadata["name"]
        self.title = title
        self.spec = spec.read(obj)
        self._store = store
        self._environment = environment
        self._clock = environment.clock
        self._seed = seed
        self._silent_nodes = silent_nodes
        self._generation: int = metadata.get("generation") or 1
        self._fed_ns = environment.clock.now_ns
        # Since which generation, and when, requests come by the pattern at hand.
        self._pattern = (self._generation, self._started_ns(obj))
        feed = self._feed()
        feed.skip_to(self._fed_ns)
        self.requests = make(
            environment, f"requests {title}", self.spec.service, feed, traces=traces
        )
        self.replicas = Replicas(environment, f"replicas {title}", self.requests)
        self._target = targets.find(store, self.namespace, self.spec.target)
        self._selector = targets.selector_of(self._target)
        self._measuring = Measuring()

    def _started_ns(self, obj: Json) -> int:
        """Since when requests come: now, or since before the stage was restored."""
        if not self._store.is_restored(obj):
            return self._fed_ns
        return timestamps.parse_time(obj["metadata"]["creationTimestamp"]) - self._clock.epoch_ns

    @property
    def record(self) -> Record:
        """The results of the requests so far."""
        return self.requests.record

    def catch_up(self) -> None:
        """Have all that was due by now happen.

        While the environment is not running, all else that was due has happened: so do arrivals.
        Those of a feed that came up just now are left for when it runs again.
        """
        self.requests.advance(self._clock.now_ns, is_over=self._is_at_rest)

    @property
    def _is_at_rest(self) -> bool:
        """Whether all that was due by now has happened."""
        return not self._environment.is_running and self._clock.now_ns > self._fed_ns

    def finish_run(self) -> None:
        """A run of the environment has ended: catch up, and see that nothing went missing."""
        self.requests.advance(self._clock.now_ns, is_over=True)
        self.requests.check()

    def find_pods(self) -> None:
        """Process all pods that may be replicas."""
        for key, pod in tuple(self._store.read(gvk.POD).items()):
            if key.startswith(f"{self.namespace}/"):
                self._place(key, pod)

    def on_pod(self, change: Change) -> None:
        """A pod has changed."""
        if change.new["metadata"]["namespace"] != self.namespace:
            return
        if change.type == DELETED:
            self.replicas.release(change.new["metadata"]["uid"])
        else:
            self._place(change.key, change.new)

    def on_node(self, name: str) -> None:
        """A node has fallen silent, or is reachable again."""
        pods = self._store.read(gvk.POD)
        for replica in tuple(self.replicas.by_pod.values()):
            pod = pods.get(replica.pod)
            if pod is not None and pod_state.node_of(pod) == name:
                self._place(replica.pod, pod)

    def on_target(self, change: Change) -> None:
        """What may be the target has changed."""
        target = self.spec.target
        if (
            change.kind.kind == target["kind"]
            and change.key == f"{self.namespace}/{target['name']}"
        ):
            self._target = None if change.type == DELETED else change.new
            selector = targets.selector_of(self._target)
            if selector != self._selector:
                self._selector = selector
                self.find_pods()

    def change(self, obj: Json) -> None:
        """The object has changed: other requests come, or they cost something else.

        If the pattern is the same, it goes on where it is.
        """
        before, self.spec = self.spec, spec.read(obj)
        self._generation = obj["metadata"]["generation"]
        self.catch_up()
        now_ns = self._clock.now_ns
        if spec.arrivals_of(self.spec) != spec.arrivals_of(before):
            self._pattern = (self._generation, now_ns)
            feed = self._feed()
        else:
            feed = self._feed()
            feed.skip_to(now_ns + self._is_at_rest)
        self._fed_ns = now_ns
        self.requests.set_feed(feed)

    def end(self) -> None:
        """The object is gone: nothing arrives any more, and no replica answers."""
        self.requests.check()
        self.requests.stop()
        for uid in tuple(self.replicas.by_pod):
            self.replicas.release(uid)

    def desired(self) -> int | None:
        """The desired number of replicas of the target."""
        return targets.desired_replicas(self._target)

    def utilisation(self) -> float | None:
        """The average utilization of active replicas since the last call."""
        return self._measuring.utilisation(self.replicas, self._clock.now_ns)

    def add_used(self, found: dict[str, dict[str, Used]]) -> None:
        """Add the CPU that requests have used, by pod and container; of silent nodes, none."""
        states, pods = self.requests.replicas(), self._store.read(gvk.POD)
        for replica in self.replicas.by_pod.values():
            state, pod = states.get(replica.name), pods.get(replica.pod)
            if state is None or pod is None or replica.since_ns is None or replica.is_silent:
                continue
            container = pod_state.container_of(pod, self.spec.container)
            if not pod_state.is_running(pod, container):
                continue
            used = Used(replica.since_ns, state.cpu_core_ns, 0.0)
            containers = found.setdefault(replica.pod, {})
            known = containers.get(container)
            containers[container] = used if known is None else known.plus(used)

    def measure(self, now_ns: int) -> tuple[int, RequestCounts, dict[str, RequestCounts]] | None:
        """The time since the last measurement, all requests since then, and those of each pod."""
        return self._measuring.measure(self.replicas, now_ns)

    def status(self) -> Json:
        """The status of the object."""
        replicas, record = self.replicas, self.record
        return {
            "observedGeneration": self._generation,
            "replicas": {
                "launching": replicas.launching.count,
                "active": replicas.active.count,
                "terminating": replicas.terminating.count,
            },
            "requests": {
                "arrived": record.arrived,
                "completed": record.completed,
                "failed": record.failed,
            },
            "conditions": [self._target_found(), *self._container_found()],
        }

    def _target_found(self) -> Json:
        kind, name = self.spec.target["kind"], self.spec.target["name"]
        condition = {"type": "TargetFound", "status": "True", "reason": "TargetFound"}
        if self._target is None:
            message = f'there is no {kind} "{name}" in namespace {self.namespace}'
            condition |= {"status": "False", "reason": "TargetMissing", "message": message}
        return condition

    def _container_found(self) -> list[Json]:
        """Whether pods have the container that was named, if one was and there are pods."""
        desired = self.spec.container
        pods = self._store.read(gvk.POD)
        known = [pods[key] for each in self.replicas.by_pod.values() if (key := each.pod) in pods]
        if desired is None or not known:
            return []
        condition = {"type": "ContainerFound", "status": "True", "reason": "ContainerFound"}
        without = [pod for pod in known if pod_state.container_of(pod, desired) != desired]
        if without:
            first = without[0]
            names = ", ".join(each["name"] for each in first["spec"]["containers"])
            message = (
                f'pod {first["metadata"]["name"]} has no container "{desired}" but {names}: '
                "its requests use the first one"
            )
            condition |= {"status": "False", "reason": "ContainerMissing", "message": message}
        return [condition]

    def _feed(self) -> Feed:
        name, (generation, began_ns) = f"traffic/{self.title}@", self._pattern
        costs = f"{name}{self._generation}"
        return Feed(self.spec, self._seed, f"{name}{generation}", began_ns, costs)

    def _place(self, key: str, pod: Json) -> None:
        metadata = pod["metadata"]
        uid = metadata["uid"]
        is_selected = self._selector.matches(metadata.get("labels") or {})
        if not is_selected and uid not in self.replicas.by_pod:
            return
        container = pod_state.container_of(pod, self.spec.container)
        stock = pod_state.stock_of(pod, container)
        if not is_selected and stock == ACTIVE:
            stock = TERMINATING
        cores = pod_state.cores_of(pod, container, self._store.read(gvk.NODE))
        is_silent = pod_state.node_of(pod) in self._silent_nodes
        state = State(cores, pod_state.starts_of(pod, container), is_silent)
        self.replicas.place(uid, key, stock, state, why=pod_state.disruption_of(pod))
