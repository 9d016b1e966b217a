"""Writing down how pods are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.controllers.kubelet import ephemeral, phases, statuses
from kubestage.controllers.pods import POD
from kubestage.store.deletion import DeleteOptions

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.kubelet.admission import Refusal
    from kubestage.controllers.kubelet.events import Events
    from kubestage.controllers.kubelet.pod import Pod
    from kubestage.controllers.kubelet.reporting_pace import ReportingPace
    from kubestage.store.store import Store


class Reports:
    """The statuses of pods in the store."""

    def __init__(self, store: Store, events: Events, pace: ReportingPace) -> None:
        self._pace = None if pace.is_instant else pace
        pace.report = self._write
        self._store = store
        self._events = events
        self._kind = store.kind(POD)
        self._objects = store.read(self._kind)

    def stored(self, pod: Pod) -> Json | None:
        """The object of a pod, unless it is gone."""
        found = self._objects.get(pod.name)
        return found if found is not None and found["metadata"]["uid"] == pod.uid else None

    def write(self, pod: Pod) -> None:
        """Report a pod as it is; what has not changed is not written again.

        A pod that is to end keeps its phase until its last container has ended.
        """
        obj = self.stored(pod)
        if obj is None:
            return
        if not (pod.is_over or pod.cause):
            pod.phase = phases.phase_of(pod)
        if self._pace is None or not self._pace.puts_off(pod):
            self._report(pod, obj)

    def _write(self, pod: Pod) -> None:
        """Report a pod of which that was put off."""
        obj = self.stored(pod)
        if obj is not None and not pod.is_over:
            self._report(pod, obj)

    def _report(self, pod: Pod, obj: Json) -> None:
        pod.generation = obj["metadata"].get("generation") or 0
        stamp = self._events.stamp()
        if pod.ephemerals and pod.phase in (phases.SUCCEEDED, phases.FAILED):
            ephemeral.end(pod, stamp)
        pod.status = statuses.build(pod, obj.get("status") or {}, stamp)
        self._store.record_status(self._kind, pod.name, pod.status)

    def refuse(self, pod: Pod, refusal: Refusal) -> None:
        """Report a pod that its node does not take."""
        obj = self.stored(pod)
        assert obj is not None
        pod.phase = phases.FAILED
        pod.status = statuses.rejected(pod, obj.get("status") or {}, *refusal)
        self._store.record_status(self._kind, pod.name, pod.status)

    def remove(self, pod: Pod) -> None:
        """Remove a pod that was deleted and has ended."""
        if self.stored(pod) is not None:
            options = DeleteOptions(grace_period_seconds=0, uid=pod.uid)
            self._store.delete(self._kind, pod.pod_name, pod.namespace, options)
