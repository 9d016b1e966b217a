"""Scheduling attempts, as the timeline and the ledger record them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.scenario.pod_watch import POD
from kubestage.scenario.settings import Detail
from kubestage.scenario.timeline import SCHEDULED, UNSCHEDULED
from kubestage.scheduler import explanation
from kubestage.scheduler.preemption import report

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.aliases import Json
    from kubestage.scenario.pod_watch import PodWatch
    from kubestage.scenario.sink import Sink
    from kubestage.scheduler.attempt import AnyAttempt
    from kubestage.scheduler.measuring import Measuring
    from kubestage.scheduler.record import Decision
    from kubestage.store.store import Store


_OFTEN: Final = 100


class Attempts:
    """Listens to a scheduler's record.

    Pods that were tried in a step and have no node at its end are reported once, then. `progress`
    is called now and then.
    """

    def __init__(self, store: Store, watch: PodWatch, detail: Detail) -> None:
        self.count = 0
        # Attempts of a scheduler that was there before this one.
        self.before = 0
        self.scheduled = 0
        self.progress: Callable[[], None] | None = None
        self.detail = detail
        self.measuring: Measuring | None = None
        self._store = store
        self._watch = watch

    def attempted(self, decision: Decision, attempt: AnyAttempt, details: Json | None) -> None:
        """An attempt has ended."""
        watch, key, uid = self._watch, decision.pod, attempt.pod.uid
        if self.before:
            decision = decision._replace(number=self.before + decision.number)
        self.count += 1
        if self.progress is not None and self.count % _OFTEN == 0:
            self.progress()
        watch.ledger.tried(key)
        pod = self._store.read(POD).get(key)
        if pod is None or pod["metadata"]["uid"] != uid:
            pod = attempt.pod.raw
        record = watch.pod_record(pod)
        account: report.Report | None = attempt.state.get(report.KEY)
        if self.detail is not Detail.SUMMARY:
            record.attempts += (self._row(decision, account, details),)
        sink: Sink | None = watch.timeline.sink
        if sink is not None:
            sink.attempt(watch.step, decision, uid, details)
            if self.measuring is not None:
                sink.measured(self.measuring.latest)
        if account is not None and account.evicted and account.chosen is not None:
            for victim in account.chosen.victims:
                current = self._store.read(POD).get(victim.key)
                if current is None or "deletionTimestamp" in current["metadata"]:
                    watch.preempted(current or victim.raw, key)
        if decision.node:
            self.scheduled += 1
            watch.unschedulable.pop(key, None)
            watch.timeline.happened(watch.step, SCHEDULED, record.result(pod))
        else:
            watch.unschedulable[key] = None

    def report_unscheduled(self) -> None:
        """A step ends: report the pods that were tried in it and have no node."""
        watch, pods = self._watch, self._store.read(POD)
        for key in watch.unschedulable:
            pod = pods.get(key)
            if pod is not None and not pod["spec"].get("nodeName"):
                watch.timeline.happened(watch.step, UNSCHEDULED, watch.pod_record(pod).result(pod))
        watch.unschedulable.clear()

    def _row(self, decision: Decision, account: report.Report | None, details: Json | None) -> Json:
        row: Json = {
            "step": self._watch.step,
            "attempt": decision.number,
            "result": decision.result,
            "profile": decision.profile,
            "evaluatedNodes": decision.evaluated,
            "feasibleNodes": decision.feasible,
        }
        if decision.node:
            row["node"] = decision.node
        if decision.message:
            row["message"] = decision.message
        if account is not None and account.chosen is not None:
            row["preemption"] = {
                "nominatedNode": account.chosen.node_name,
                "victims": [victim.key for victim in account.chosen.victims],
            }
        sink: Sink | None = self._watch.timeline.sink
        # A sink may store attempts in full: then the status need not have them.
        goes_elsewhere = sink is not None and sink.stores_details
        if details is not None and self.detail is Detail.FULL and not goes_elsewhere:
            row.update(explanation.schedule_result(details))
        return row
