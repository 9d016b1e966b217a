"""Has all loops work on one store, one key at a time, in the order in which keys came up."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final

from kubestage.controllers.controller import ANY, CHANGES, Cluster, Controller, Retry
from kubestage.controllers.lazy_controller import Placeholder
from kubestage.controllers.node_decisions import NodeDecisions
from kubestage.controllers.settings import Settings
from kubestage.controllers.worker_pool import WorkerPool
from kubestage.errors import ApiError
from kubestage.metrics.scraper import Metrics
from kubestage.store.log import ADDED, Change

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from kubestage.controllers.controller import Handler, Loop
    from kubestage.controllers.hpa.framework import Autoscaler
    from kubestage.controllers.node_autoscaler.what_if import WhatIf
    from kubestage.sim.environment import Environment
    from kubestage.sim.streams import Streams
    from kubestage.store.collection import Collection
    from kubestage.store.store import Store

_POD: Final = ("", "Pod")


class Runner:
    """One line for the keys of all loops.

    Each turn is a movement of its own, in the instant in which its key came up but behind whatever
    else is due then: so the loops, the kubelet and the scheduler take turns, and what several
    changes of one instant mean for one object is synced once.
    """

    def __init__(
        self,
        store: Store,
        environment: Environment,
        streams: Streams,
        loops: Iterable[Loop],
        settings: Settings | None = None,
        *,
        metrics: Metrics | None = None,
        what_if: WhatIf | None = None,
        autoscalers: Mapping[str, type[Autoscaler]] | None = None,
    ) -> None:
        self._clock = environment.clock
        self._store = store
        self._loops, self._autoscalers = tuple(loops), autoscalers or {}
        self._environment, self._streams = environment, streams
        self.syncs = 0
        self.failures: dict[str, int] = {}
        self.node_decisions = NodeDecisions()
        self._set_up(settings or Settings(), metrics, what_if)

    def _set_up(self, settings: Settings, metrics: Metrics | None, what_if: WhatIf | None) -> None:
        """Make the loops, and all that remembers anything."""
        self._pacing = settings.pacing
        self._line: deque[tuple[Controller, str]] = deque()
        self._turn = self._environment.timer("ControllerTurn", self._take_turn)
        self._pools: dict[Controller, WorkerPool] = {}
        self.node_decisions.clear()
        cluster = Cluster(
            self._store,
            self._environment,
            self._streams,
            settings,
            self._put_in_line if self._pacing.is_instant else self._put_in_its_pool,
            self._replace,
            self._clock.unix_ns,
            metrics or Metrics(self._environment),
            what_if,
            self._autoscalers,
            self.node_decisions,
        )
        self.controllers = [loop(cluster) for loop in self._loops]
        self._connect()

    @property
    def is_idle(self) -> bool:
        """Whether no key is in line now; timers may still add some."""
        return not self._line and all(each.is_idle for each in self._pools.values())

    def start(self) -> None:
        """Deliver to the loops all that exists, then every change."""
        for controller in tuple(self.controllers):
            if isinstance(controller, Placeholder) and controller.is_needed:
                controller.wake()
        for collection in self._store.collections():
            kind = collection.kind
            concerned = self._handlers.get((kind.group, kind.kind), [])
            for handler in [*concerned, *self._of_all_kinds]:
                _deliver(collection, handler)
        self._store.subscribe(self.on_change)
        for controller in self.controllers:
            controller.start()

    def load(self, names: Iterable[str]) -> None:
        """Have loops at work that the cluster does without until now; those at work go on."""
        for name in names:
            found = next((each for each in self.controllers if each.name == name), None)
            if isinstance(found, Placeholder):
                loop = found.wake()
                handlers = loop.handlers()
                for collection in self._store.collections():
                    handler = handlers.get((collection.kind.group, collection.kind.kind))
                    if handler is not None:
                        _deliver(collection, handler)
                loop.start()

    def start_over(
        self,
        settings: Settings,
        *,
        metrics: Metrics | None = None,
        what_if: WhatIf | None = None,
    ) -> None:
        """Have new loops work from now on; nothing is left of what those before them knew.

        Nothing of theirs may be scheduled any more.
        """
        self._store.unsubscribe(self.on_change)
        self._set_up(settings, metrics, what_if)
        self.start()

    def on_change(self, change: Change) -> None:
        """Deliver one change to the loops."""
        kind = change.kind
        # NOTE: each attempt at a pod that fits nowhere rewords it, and few loops care for that
        # (benchmarks/karpenter_day.py).
        handlers = (
            self._of_reworded_pods
            if change.is_reworded
            else self._handlers.get((kind.group, kind.kind))
        )
        if handlers is not None:
            for handler in handlers:
                handler(change)
        for handler in self._of_any_kind:
            handler(change)

    def _connect(self) -> None:
        self._handlers: dict[tuple[str, str], list[Handler]] = {}
        self._of_reworded_pods: list[Handler] = []
        for controller in self.controllers:
            for kind, handler in controller.handlers().items():
                self._handlers.setdefault(kind, []).append(handler)
                if kind == _POD and not controller.ignores_rewordings:
                    self._of_reworded_pods.append(handler)
        self._of_all_kinds = self._handlers.pop(ANY, [])
        self._of_any_kind = (*self._of_all_kinds, *self._handlers.pop(CHANGES, []))

    def _replace(self, old: Controller, new: Controller) -> None:
        self.controllers[self.controllers.index(old)] = new
        self._connect()

    def _put_in_line(self, controller: Controller, key: str) -> None:
        self._line.append((controller, key))
        if not self._turn.is_set:
            self._turn.set(self._clock.now_ns)

    def _put_in_its_pool(self, controller: Controller, key: str) -> None:
        """The same where loops are paced: each has workers and a client of its own."""
        if not self._pacing.applies_to(controller.name):
            self._put_in_line(controller, key)
            return
        pool = self._pools.get(controller)
        if pool is None:
            stream = self._streams.stream(f"controllers/{controller.name}/pace")
            pool = WorkerPool(controller, self._pacing, stream, self._environment, self._sync)
            self._pools[controller] = pool
        pool.add(key)

    def _take_turn(self) -> None:
        controller, key = self._line.popleft()
        self._sync(controller, key)
        if self._line:
            self._turn.set(self._clock.now_ns)

    def _sync(self, controller: Controller, key: str) -> bool:
        """Have a loop sync a key; whether it succeeded."""
        queue = controller.queue
        queue.take(key)
        self.syncs += 1
        has_succeeded = False
        try:
            controller.sync(key)
        except (ApiError, Retry):
            self.failures[controller.name] = self.failures.get(controller.name, 0) + 1
            limit = controller.max_retries
            if limit is None or queue.failures(key) < limit:
                queue.add_rate_limited(key)
            else:
                queue.forget(key)
        else:
            queue.forget(key)
            has_succeeded = True
        queue.done(key)
        return has_succeeded


def _deliver(collection: Collection, handler: Handler) -> None:
    """Deliver all objects of a kind that exist, as additions."""
    for key in collection.keys(None):
        obj = collection.objects[key]
        revision = int(obj["metadata"]["resourceVersion"])
        handler(Change(revision, ADDED, collection.kind, key, obj, None))
