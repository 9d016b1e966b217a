"""When the change began that a set of endpoints follows, for those who measure how long it took."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers import pods
from kubestage.objects import timestamps

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kubestage.aliases import Json


ANNOTATION: Final = "endpoints.kubernetes.io/last-change-trigger-time"


class TriggerTimes:
    """The times of what was last seen of one Service and its pods."""

    __slots__ = ("_pods", "_service_ns")

    def __init__(self) -> None:
        self._service_ns: int | None = None
        self._pods: dict[str, int] = {}

    def take(self, service: Json, changed: Mapping[str, Json | None]) -> str | None:
        """The earliest time of what is new since the last sync, as text for the annotation.

        `changed` are the pods to examine by key, None for those that are gone. Of a Service that
        is seen for the first time it is when that was created.
        """
        created_ns = timestamps.parse_time(service["metadata"]["creationTimestamp"])
        was_known, before_ns = self._service_ns is not None, self._service_ns or 0
        times_ns = [created_ns] if created_ns > before_ns else []
        self._service_ns = created_ns
        for key, pod in changed.items():
            ready = None if pod is None else pods.condition(pod.get("status"), "Ready")
            since = None if ready is None else ready.get("lastTransitionTime")
            if not since:
                self._pods.pop(key, None)
                continue
            at_ns = timestamps.parse_time(since)
            if at_ns > self._pods.get(key, 0):
                times_ns.append(at_ns)
            self._pods[key] = at_ns
        if not was_known:
            return timestamps.format_time(created_ns)
        return timestamps.format_time(min(times_ns)) if times_ns else None


def annotated(annotations: Mapping[str, str] | None, trigger: str | None) -> dict[str, str]:
    """Annotations with another trigger time, or without one."""
    others = {key: value for key, value in (annotations or {}).items() if key != ANNOTATION}
    if trigger is not None:
        others[ANNOTATION] = trigger
    return others
