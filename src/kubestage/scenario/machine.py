"""Runs one Scenario: its events, step by step."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Final

from kubestage.scenario import node_order, operations, phases
from kubestage.scenario.pod_watch import POD
from kubestage.scenario.resource import CREATE, DELETE
from kubestage.store import garbage
from kubestage.store.collection import key_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kubestage.aliases import Json
    from kubestage.scenario.attempts import Attempts
    from kubestage.scenario.pod_watch import PodWatch
    from kubestage.scenario.resource import Event, Spec
    from kubestage.scenario.scheduling import Scheduling
    from kubestage.scenario.settling import Settling
    from kubestage.scenario.status import StatusWriter
    from kubestage.store.store import Store


_NAMED: Final = 3


class Machine:
    """Runs the steps of one Scenario.

    `finished` is the last step that is over, None before the first; events for it or for an
    earlier step that come up later are passed over. `is_preparing` is set from the first event of a
    step until the cluster has come to rest: its state in between is not shown to clients.
    """

    def __init__(
        self,
        store: Store,
        scheduling: Scheduling,
        watch: PodWatch,
        attempts: Attempts,
        settling: Settling,
        status: StatusWriter,
        *,
        as_written: bool = False,
    ) -> None:
        self.finished: int | None = None
        self.is_done = False
        self.is_preparing = False
        self.ignored: dict[str, None] = {}
        self._store = store
        self._scheduling = scheduling
        self._watch = watch
        self._attempts = attempts
        self._settling = settling
        self._status = status
        self._as_written = as_written
        self._seen: set[str] = set()
        self._spec: Spec | None = None

    @property
    def ignored_message(self) -> str:
        """The message about events that came too late; empty if none did."""
        ignored = list(self.ignored)
        if not ignored:
            return ""
        events = f"{len(ignored)} event{'' if len(ignored) == 1 else 's'}"
        shown = ", ".join(ignored[:_NAMED]) + (" ..." if len(ignored) > _NAMED else "")
        return f"{events} ignored, added for a step that is past: {shown}"

    def resume(self, finished: int | None, known: Iterable[str]) -> None:
        """Continue after a step that another controller has finished; these events are known."""
        self.finished = finished
        self._seen.update(known)

    def next_step(self, spec: Spec) -> int | None:
        """The step that is next in turn; None if no events are left.

        Without time in it, a step without events would change nothing, and there is none.
        """
        last = self.finished
        if spec is not self._spec:
            self._take_in(spec)
        left = spec.next_step(last)
        if left is None or last is None or not spec.step_duration_ns:
            return left
        return last + 1

    def _take_in(self, spec: Spec) -> None:
        """See what is new among the events."""
        last, self._spec = self.finished, spec
        self._watch.timeline.taken.update(event.id for event in spec.events)
        if last is not None:
            late = (each.id for each in spec.events if each.step <= last)
            self.ignored.update(dict.fromkeys(each for each in late if each not in self._seen))

    def run_step(self, spec: Spec, step: int) -> Iterator[None]:
        """Run one step, piece by piece; OperationFailed if an event cannot be carried out.

        Where time is in the steps, those without events go by at once, up to the next one that
        has any.
        """
        watch, status = self._watch, self._status
        start_ns = self._settling.now_ns
        self._enter(step)
        watch.timeline.begin(step)
        until_ns = start_ns if spec.step_duration_ns else None
        self.is_preparing = True
        status.report(step, phases.OPERATING_EVENTS, phases.SCHEDULER_STOPPED)
        events = spec.of_step(step)
        yield from self._operate_all(events if self._as_written else node_order.canonical(events))
        status.report(step, phases.OPERATING_EVENTS_FINISHED)
        yield from self._settling.settle(until_ns)
        self.is_preparing = False
        self._show()
        # A pod that found no node in the step before may find one now.
        watch.ledger.changed()
        status.report(step, phases.SCHEDULING, phases.SCHEDULER_WILL_RUN)
        status.report(step, phases.SCHEDULING, phases.SCHEDULER_RUNNING)
        yield from self._scheduling.schedule(watch, self._settling, until_ns)
        status.report(step, phases.SCHEDULING, phases.SCHEDULER_WILL_STOP)
        status.report(step, phases.SCHEDULING_FINISHED, phases.SCHEDULER_STOPPED)
        if spec.step_duration_ns:
            yield from self._live(spec, step, start_ns)
        self._finish(watch.step)

    def _operate_all(self, events: Iterable[Event]) -> Iterator[None]:
        for event in events:
            self._seen.add(event.id)
            self._watch.is_operating = True
            try:
                with _lenient(self._store):
                    self._operate(event)
            finally:
                self._watch.is_operating = False
            yield

    def _operate(self, event: Event) -> None:
        if event.operation == DELETE:
            self._note_deletion(event.body)
        entry = operations.perform(self._store, event)
        if event.operation == CREATE:
            self._note_creation(entry["create"]["result"])
        self.is_done = self.is_done or event.ends
        self._watch.timeline.operated(self._watch.step, event, entry)

    def _note_creation(self, created: Json) -> None:
        """A pod that the scenario itself creates is not reported again if it is not tried."""
        if (created.get("apiVersion"), created.get("kind")) == POD:
            key = key_of(created["metadata"]["namespace"], created["metadata"]["name"])
            self._watch.unschedulable.pop(key, None)

    def _note_deletion(self, body: Json) -> None:
        """A pod that the scenario itself deletes is not reported again when it is gone."""
        kind, metadata = body.get("typeMeta") or {}, body.get("objectMeta") or {}
        is_dry = bool((body.get("deleteOptions") or {}).get("dryRun"))
        if (kind.get("apiVersion"), kind.get("kind")) == POD and not is_dry:
            key = key_of(metadata.get("namespace") or "default", metadata.get("name") or "")
            pod = self._store.read(POD).get(key)
            if pod is not None:
                self._watch.pod_record(pod).deletion_reported = True

    def _live(self, spec: Spec, step: int, start_ns: int) -> Iterator[None]:
        """Let time pass, with all components running, until the next step that has events."""
        duration_ns, watch = spec.step_duration_ns, self._watch
        later = spec.next_step(step)
        last = step if self.is_done or later is None else later - 1
        self._scheduling.go_on()
        self._status.report(step, phases.SCHEDULING_FINISHED, phases.SCHEDULER_RUNNING)
        end_ns = start_ns + (last - step + 1) * duration_ns
        while (due_ns := self._settling.due_ns) is not None and due_ns < end_ns:
            # What happens in the moment in which a step ends belongs to it.
            passed = max(due_ns - start_ns - 1, 0) // duration_ns
            self._move_on(step + passed, start_ns + (watch.step + 1 - step) * duration_ns)
            yield from self._settling.run_until(
                min(start_ns + (passed + 1) * duration_ns, end_ns - 1)
            )
            watch.check_writes()
        self._move_on(last, start_ns + (watch.step + 1 - step) * duration_ns)
        self._scheduling.stop()
        yield from self._settling.run_until(end_ns)
        self._status.report(last, phases.SCHEDULING_FINISHED, phases.SCHEDULER_STOPPED)

    def _move_on(self, step: int, over_ns: int) -> None:
        """Time has come to another step: pods that found no node before are reported there."""
        before = self._watch.step
        if step != before:
            self._attempts.report_unscheduled()
            self._report_end(before, over_ns)
            self._enter(step)

    def _enter(self, step: int) -> None:
        """What happens from now on belongs to this step."""
        self._watch.step = step
        if self._attempts.measuring is not None:
            self._attempts.measuring.step = step

    def _finish(self, step: int) -> None:
        self._attempts.report_unscheduled()
        self.finished = step
        self._report_end(step, self._settling.now_ns)
        self._status.finish_step(step, self._watch.timeline)
        self._show()

    def _report_end(self, step: int, at_ns: int) -> None:
        sink, measuring = self._watch.timeline.sink, self._attempts.measuring
        if measuring is not None:
            measuring.step_ended(step, at_ns)
            if sink is not None:
                sink.measured(measuring.latest)
        if sink is not None:
            sink.step_finished(step, at_ns)

    def _show(self) -> None:
        if self._attempts.progress is not None:
            self._attempts.progress()


@contextlib.contextmanager
def _lenient(store: Store) -> Iterator[None]:
    """Create namespaces as they are needed, and collect garbage if no controller does it.

    Some servers do neither for their clients; a Scenario runs alike on all of them.
    """
    before, store.implicit_namespaces = store.implicit_namespaces, True
    try:
        yield
    finally:
        store.implicit_namespaces = before
    if store.garbage.queue and store.garbage.collector is None:
        garbage.collect(store)
