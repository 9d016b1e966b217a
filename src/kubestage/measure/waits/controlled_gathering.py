"""What WaitForControlledPodsRunning does when it gathers, and its result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.cluster.access import Call, Resource
from kubestage.golang import durations
from kubestage.measure import perf_data
from kubestage.measure.informer import key_of
from kubestage.measure.results import NOTHING, Latencies, MeasurementResult, PendingResult, Summary
from kubestage.measure.waits import pod_status
from kubestage.measure.waits.controlled_object import (
    DELETE_TIMEOUT,
    POLL_NS,
    RUNNING,
    TIMEOUT,
    ControlledObject,
)

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.cluster.access import Answer
    from kubestage.measure.waits.controlled_pods import WaitForControlledPodsRunning


_POD: Final = Resource("v1", "Pod")
_NOT_SYNCED: Final = (
    "timed out while waiting for controlled pods: timed out waiting for the condition"
)
_MOST_REPORTED: Final = 20


class Gathering:
    """Lists the controllers, waits until the wait for each has ended, and evaluates."""

    def __init__(self, measurement: WaitForControlledPodsRunning, sync_timeout_ns: int) -> None:
        self.pending = PendingResult()
        self._measurement = measurement
        self._sync_timeout_ns = sync_timeout_ns
        self._keys: set[str] = set()
        self._newest = 0
        self._is_waiting = False

    def begin(self) -> None:
        """List the controllers."""
        params = self._measurement.params
        call = Call(
            verb="list",
            resource=Resource(params.api_version, params.kind),
            namespace=params.namespace,
            label_selector=params.label_selector,
            field_selector=params.field_selector,
        )
        self._measurement.cluster.call(call, self._listed)

    def check(self) -> None:
        """Evaluate, if nothing is waited for any longer."""
        if self._is_waiting and self._measurement.is_idle:
            self._is_waiting = False
            self.pending.resolve(self._evaluate())

    def _listed(self, answer: Answer) -> None:
        if answer.error is not None:
            self.pending.resolve(
                MeasurementResult(errors=(f"listing objects error: {answer.error}",))
            )
            return
        for obj in (answer.object or {}).get("items") or ():
            self._keys.add(key_of(obj))
            version = str((obj.get("metadata") or {}).get("resourceVersion") or "")
            self._newest = max(self._newest, int(version) if version.isdecimal() else 0)
        waited = self._measurement.wait(
            self._is_known,
            _known,
            every_ns=POLL_NS,
            timeout_ns=self._sync_timeout_ns,
            at_once=False,
        )
        waited.then(self._wait)

    def _is_known(self) -> bool:
        """Whether the watch has delivered all objects of the list."""
        measurement = self._measurement
        if measurement.informer is None or measurement.newest < self._newest:
            return False
        return measurement.informer.objects.keys() == self._keys

    def _wait(self, result: MeasurementResult) -> None:
        if result.errors:
            self.pending.resolve(result)
            return
        self._is_waiting = True
        self.check()

    def _evaluate(self) -> MeasurementResult:
        ended = list(self._measurement.objects.values())
        late = [each for each in ended if each.status in (TIMEOUT, DELETE_TIMEOUT)]
        running = sum(each.status == RUNNING for each in ended)
        latencies = self._latencies(ended)
        if not late and running == len(self._keys):
            return MeasurementResult(latencies=latencies)
        kind = self._measurement.params.kind
        if late:
            late.sort(key=_key)
            if any(each.status == DELETE_TIMEOUT for each in late):
                self._force_deletion()
            names = ", ".join(each.key for each in late)
            errors = [f"{len(late)} objects timed out: {kind}s: {names}"]
            errors += [each.error for each in late[:_MOST_REPORTED]]
        else:
            count = f"{running}/{len(self._keys)} {kind}s"
            errors = [f"incorrect objects number: {count} are running with all pods"]
        problems = sorted(self._measurement.problems.items())
        errors += [f"{key} cannot be waited for: {why}" for key, why in problems[:_MOST_REPORTED]]
        return MeasurementResult(
            errors=tuple(errors), summaries=self._failed(late), latencies=latencies
        )

    def _latencies(self, ended: list[ControlledObject]) -> tuple[Latencies, ...]:
        """How long each took that came to run since the last report."""
        measurement = self._measurement
        since_ns, measurement.reported_ns = measurement.reported_ns, measurement.now_ns
        new = [
            each
            for each in ended
            if each.status == RUNNING and each.began_ns + each.took_ns > since_ns
        ]
        if not new:
            return ()
        kind = measurement.params.kind.lower()
        return (
            Latencies(
                f"{kind}_running",
                [each.key for each in new],
                [each.began_ns for each in new],
                [each.took_ns for each in new],
            ),
        )

    def _failed(self, late: list[ControlledObject]) -> tuple[Summary, ...]:
        rows = [_row(pod, each.key) for each in late for pod in each.bad]
        if not rows:
            return ()
        unix_ns = self._measurement.cluster.moments.unix_ns
        seconds = unix_ns // durations.SECOND
        name = f"{self._measurement.context.method}_{seconds}_failedpods"
        return (Summary(name, perf_data.pretty(rows), unix_ns),)

    def _force_deletion(self) -> None:
        """Delete pods that are stuck, without waiting for kubelets."""
        params = self._measurement.params
        if not params.namespace:
            # No cluster deletes from all namespaces at once.
            return
        call = Call(
            verb="deletecollection",
            resource=_POD,
            namespace=params.namespace,
            label_selector=params.label_selector,
            field_selector=params.field_selector,
            body={"gracePeriodSeconds": 0, "propagationPolicy": "Background"},
            propagation="Background",
        )
        self._measurement.cluster.call(call, _ignore_answer)


def _known(is_known: bool) -> MeasurementResult:
    return NOTHING if is_known else MeasurementResult(errors=(_NOT_SYNCED,))


def _key(waited: ControlledObject) -> str:
    return waited.key


def _row(pod: Json, controlled_by: str) -> Json:
    meta = pod.get("metadata") or {}
    return {
        "namespace": meta.get("namespace", ""),
        "controlledBy": controlled_by,
        "name": meta.get("name", ""),
        "host": (pod.get("spec") or {}).get("nodeName") or "",
        "status": pod_status.state_of(pod),
    }


def _ignore_answer(answer: Answer) -> None:
    """Ignored: whether pods were deleted shows soon enough."""
    del answer
