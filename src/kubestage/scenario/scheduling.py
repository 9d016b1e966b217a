"""The scheduling part of a step, by the scheduler of the stage or by one of the user's own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from kubestage.errors import InputError, KubestageError

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Generator, Iterator

    from kubestage.aliases import Json
    from kubestage.scenario.ledger import Ledger
    from kubestage.scenario.pod_watch import PodWatch
    from kubestage.scenario.settling import Settling
    from kubestage.scheduler.measuring import Measuring
    from kubestage.scheduler.record import Listener
    from kubestage.scheduler.scheduler import Scheduler
    from kubestage.store.log import Change
    from kubestage.store.store import Store


_TOO_OFTEN: Final = 100


class NoScheduler(KubestageError):
    """There is no scheduler: the Scenario fails with this message."""


class Scheduling(Protocol):
    """The scheduler of a step."""

    @property
    def schedulers(self) -> Container[str] | None:
        """The `schedulerName` values that it serves, None for all."""
        ...

    def listen(self, listener: Listener | None, *, in_full: bool) -> None:
        """Call the listener for every reported attempt; None removes it."""
        ...

    def stop(self) -> None:
        """Schedule nothing as time passes."""
        ...

    def go_on(self) -> None:
        """Schedule as time passes."""
        ...

    def schedule(self, watch: PodWatch, settling: Settling, until_ns: int | None) -> Iterator[None]:
        """Schedule until no more pods can be; others may have a turn at each item."""
        ...

    def accounts_for(self, change: Change) -> bool:
        """Whether a change from outside is its doing: a scheduler may be outside, too."""
        ...

    @property
    def is_at_work(self) -> bool:
        """Whether what is written now is written by it, in this process."""
        ...


class BuiltIn:
    """The stage's own scheduler, one attempt after the other."""

    def __init__(self, scheduler: Scheduler) -> None:
        self.scheduler = scheduler

    @property
    def schedulers(self) -> Container[str] | None:
        """The names of its profiles."""
        return self.scheduler.profiles

    def listen(self, listener: Listener | None, *, in_full: bool) -> None:
        """Call the listener for every attempt."""
        self.scheduler.record.hand_on(listener, in_full=in_full)

    def stop(self) -> None:
        """Schedule nothing as time passes."""
        self.scheduler.stop()

    def go_on(self) -> None:
        """Schedule as time passes."""
        self.scheduler.go_on()

    def accounts_for(self, change: Change) -> bool:
        """It is part of the stage: nothing that it does comes from outside."""
        del change
        return False

    @property
    def is_at_work(self) -> bool:
        """Whether it tries or binds a pod at this moment."""
        return self.scheduler.is_at_work

    def schedule(self, watch: PodWatch, settling: Settling, until_ns: int | None) -> Iterator[None]:
        """Try pods until the ledger says that there is no point.

        What attempts bring about (pods start, victims end, volumes are made) comes to rest before
        unschedulable pods are tried again. Where time is in the steps, the scheduler's
        queue says when that is, as it does in a cluster.
        """
        ledger, grain = watch.ledger, settling.grain
        yield from self._try_all(grain)
        while True:
            watch.check_writes()
            yield from settling.settle(until_ns)
            if ledger.is_exhausted:
                return
            if (yield from self._try_all(grain)) or (yield from self._await(settling, until_ns)):
                continue
            if until_ns is not None or not self._call_back(ledger):
                return
            if not (yield from self._try_all(grain)):
                return

    def _try_all(self, grain: int | None) -> Generator[None, None, int]:
        """Try pods until none is left to try; how many attempts it took."""
        tried = count = self.scheduler.run_until_idle(grain)
        while grain is not None and count >= grain:
            yield
            count = self.scheduler.run_until_idle(grain)
            tried += count
        return tried

    def _await(self, settling: Settling, until_ns: int | None) -> Generator[None, None, bool]:
        """Let time pass for pods that have a node but wait to be bound; whether there were any."""
        due_ns = self.scheduler.binding_due_ns
        if due_ns is None or (until_ns is not None and due_ns > until_ns):
            return False
        yield from settling.run_until(due_ns)
        self.scheduler.catch_up()
        return True

    def _call_back(self, ledger: Ledger) -> bool:
        """Have pods tried again that were not tried often enough; whether there were any."""
        queue = self.scheduler.queue
        found = [queued for key in ledger.untried if (queued := queue.get(key)) is not None]
        self.scheduler.activate([each.pod for each in found if not each.is_gated])
        return bool(found)


def measuring_of(scheduling: Scheduling) -> Measuring | None:
    """The measures of the stage's own scheduler; None without any."""
    if not isinstance(scheduling, BuiltIn) or not scheduling.scheduler.measuring.is_used:
        return None
    return scheduling.scheduler.measuring


class NextPod:
    """What a scheduler of one's own calls at the top of its loop, with the pod it is about to try.

    It is true if the scheduler should go on and try it, and false if it should stop, because no
    more pods can be scheduled in this step. A scheduler that has no pod to try says None.
    """

    def __init__(self, watch: PodWatch) -> None:
        self._watch = watch
        self.tried = 0

    def __call__(self, pod: Json | str | None) -> bool:
        """Whether to go on; `pod` is the object, or ``namespace/name``."""
        ledger = self._watch.ledger
        if pod is None or ledger.is_exhausted:
            return False
        key = pod if isinstance(pod, str) else _key(pod)
        if ledger.tries(key) >= _TOO_OFTEN:
            never = next(each for each in ledger.untried if each != key)
            raise InputError(
                f"the scheduler tries {key} over and over again, and never {never}",
                fix="say whose pods it schedules: add_scenarios(scheduler_names=[...])",
            )
        self._watch.preemptor = key
        ledger.tried(key)
        self._watch.unschedulable[key] = None
        self.tried += 1
        return True


class FunctionScheduler:
    """A scheduler of the user's own: a function that gets the store and the hook, and schedules
    one pod after the other until the hook says stop.
    """

    def __init__(
        self,
        store: Store,
        function: Callable[[Store, NextPod], None],
        schedulers: Container[str] | None = None,
    ) -> None:
        self.schedulers = schedulers
        self._store = store
        self._function = function
        self._is_called = False

    def listen(self, listener: Listener | None, *, in_full: bool) -> None:
        """It reports no attempts: results of plugins stay empty."""

    def stop(self) -> None:
        """It runs only when it is called."""

    def go_on(self) -> None:
        """It runs only when it is called."""

    def accounts_for(self, change: Change) -> bool:
        """It writes only while it is called, which is not from outside."""
        del change
        return False

    @property
    def is_at_work(self) -> bool:
        """Whether it is being called."""
        return self._is_called

    def schedule(self, watch: PodWatch, settling: Settling, until_ns: int | None) -> Iterator[None]:
        """Call it until it has tried every pod often enough, or tries none any more."""
        while not watch.ledger.is_exhausted:
            hook = NextPod(watch)
            watch.preemptor, self._is_called = "", True
            try:
                self._function(self._store, hook)
            finally:
                watch.preemptor, self._is_called = None, False
            watch.check_writes()
            yield from settling.settle(until_ns)
            if not hook.tried:
                return


def _key(pod: Json) -> str:
    metadata = pod["metadata"]
    return f"{metadata['namespace']}/{metadata['name']}"
