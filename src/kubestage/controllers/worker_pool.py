"""Workers of one paced loop: keys wait for a worker, and workers for their client."""

from __future__ import annotations

from collections import deque
from heapq import heappop, heappush
from typing import TYPE_CHECKING

from kubestage.controllers.budget import Budget
from kubestage.objects import distributions

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    from kubestage.controllers.controller import Controller
    from kubestage.controllers.pacing import ControllerPacing
    from kubestage.sim.environment import Environment
    from kubestage.store.store import Store


class WorkerPool:
    """Keys are added, get a worker after the informer's delay, and are synced after the sync time.

    A loop that is granted less than it requests keeps the worker and continues when its client can
    make calls again. `sync` runs one sync of a key; it returns whether that succeeded.
    """

    def __init__(
        self,
        controller: Controller,
        pacing: ControllerPacing,
        stream: random.Random,
        environment: Environment,
        sync: Callable[[Controller, str], bool],
    ) -> None:
        self._controller = controller
        self._sync = sync
        self._stream = stream
        self._clock = environment.clock
        self._store: Store = controller.store
        self._informer_delay = distributions.parse(pacing.informer_delay)
        self._sync_time = distributions.parse(pacing.sync)
        self._free = pacing.workers
        self._waiting: deque[tuple[int, str]] = deque()
        self._at_work: list[tuple[int, int, str]] = []
        self._going_on: set[str] = set()
        self._count = 0
        self._timer = environment.timer(f"{controller.name}/workers", self._on_time)
        client = pacing.client_of(controller.name)
        self._budget = controller.budget = None if client is None else Budget(client, self._clock)

    @property
    def is_idle(self) -> bool:
        """Whether no key is here."""
        return not self._waiting and not self._at_work

    def add(self, key: str) -> None:
        """A key was added."""
        if key in self._going_on:
            return
        at_ns = self._clock.now_ns + self._informer_delay.sample_ns(self._stream)
        if self._waiting:
            at_ns = max(at_ns, self._waiting[-1][0])
        self._waiting.append((at_ns, key))
        self._set_timer()

    def _on_time(self) -> None:
        now_ns = self._clock.now_ns
        if self._at_work and self._at_work[0][0] <= now_ns:
            _, _, key = heappop(self._at_work)
            self._serve(key)
        while self._free and self._waiting and self._waiting[0][0] <= now_ns:
            _, key = self._waiting.popleft()
            self._free -= 1
            self._put_to_work(now_ns + self._sync_time.sample_ns(self._stream), key)
        self._set_timer()

    def _put_to_work(self, at_ns: int, key: str) -> None:
        self._count += 1
        heappush(self._at_work, (at_ns, self._count, key))

    def _serve(self, key: str) -> None:
        """Sync a key, unless its worker has to wait for the client."""
        budget = self._budget
        if budget is None:
            self._free += 1
            self._sync(self._controller, key)
            return
        due_ns = budget.due_ns
        if due_ns > self._clock.now_ns:
            self._put_to_work(due_ns, key)
            return
        before = self._store.revision
        self._going_on.add(key)
        budget.begin()
        has_succeeded = self._sync(self._controller, key)
        next_ns = budget.end(self._store.revision - before)
        if budget.is_short and has_succeeded:
            self._put_to_work(next_ns, key)
            return
        self._going_on.discard(key)
        self._free += 1
        if self._controller.queue.is_waiting(key):
            self.add(key)

    def _set_timer(self) -> None:
        due_ns = self._at_work[0][0] if self._at_work else None
        if self._free and self._waiting:
            next_ns = self._waiting[0][0]
            due_ns = next_ns if due_ns is None or next_ns < due_ns else due_ns
        self._timer.set(due_ns)
