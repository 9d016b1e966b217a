"""Letting a cluster come to rest: controllers have done their part, pods have started or ended."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.scenario.pod_watch import POD
from kubestage.store.deletion import DeleteOptions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.scenario.pod_watch import PodWatch
    from kubestage.scenario.settings import Settings
    from kubestage.sim.environment import Environment
    from kubestage.store.store import Store

_AT_ONCE: Final = DeleteOptions(grace_period_seconds=0)


class Settling:
    """Lets time pass while something is under way that will be over soon.

    Where there are no kubelets (`is_alive` is false) pods neither start nor end: those that were
    deleted are let go of at once. With a `grain`, time passes in pieces of that many movements of
    one instant, and the caller may do something else between them. The result is the same.
    """

    def __init__(
        self,
        store: Store,
        environment: Environment,
        watch: PodWatch,
        settings: Settings,
        *,
        is_alive: bool,
    ) -> None:
        self._store = store
        self._environment = environment
        self._watch = watch
        self._settings = settings
        self._is_alive = is_alive
        self.grain: int | None = None

    @property
    def now_ns(self) -> int:
        """The earliest time at which something can happen: now, or 1 at the start."""
        return self._environment.earliest_ns

    @property
    def due_ns(self) -> int | None:
        """When something happens next, if anything is to happen."""
        return self._environment.next_movement_time

    def settle(self, until_ns: int | None = None) -> Iterator[None]:
        """Let time pass until the cluster is quiescent, but not beyond a time."""
        environment = self._environment
        yield from self.run_until(self.now_ns)
        if not self._is_alive:
            self._let_go()
            yield from self.run_until(self.now_ns)
            return
        while (due_ns := environment.next_movement_time) is not None:
            if (until_ns is not None and due_ns > until_ns) or self._is_at_rest(due_ns):
                return
            yield from self.run_until(due_ns)

    def run_until(self, at_ns: int) -> Iterator[None]:
        """Let time pass up to a moment, whatever happens."""
        at_ns, environment = max(at_ns, self.now_ns), self._environment
        while self.grain is not None and (due_ns := environment.next_movement_time) is not None:
            if due_ns > at_ns:
                break
            environment.run_some(max(due_ns, self.now_ns), self.grain)
            yield
        environment.run(until_ns=at_ns)

    def _is_at_rest(self, due_ns: int) -> bool:
        """Whether a step need not wait for a movement that is due at this time."""
        watch, settings = self._watch, self._settings
        if due_ns <= watch.quiet_since_ns + settings.quiet_ns:
            return False
        moved_ns = next(reversed(watch.moving.values()), None)
        return moved_ns is None or due_ns > moved_ns + settings.patience_ns

    def _let_go(self) -> None:
        pods = self._store.read(POD)
        for key in tuple(self._watch.moving):
            metadata = pods[key]["metadata"] if key in pods else {}
            if "deletionTimestamp" in metadata:
                self._store.delete(POD, metadata["name"], metadata["namespace"], _AT_ONCE)
