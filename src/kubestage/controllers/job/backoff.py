"""How long a Job waits before it replaces a pod that failed: longer with every failure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.controllers import pods
from kubestage.objects import timestamps
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kubestage.aliases import Json


FIRST_NS: Final = 10 * SECOND_NS
LAST_NS: Final = 600 * SECOND_NS


class Backoff(NamedTuple):
    """The failures of a Job since its last success, and when the last of them was."""

    failures: int = 0
    last_failure_ns: int = 0

    def remaining_ns(self, now_unix_ns: int) -> int:
        """How long no pod may be created yet."""
        if not self.failures:
            return 0
        waiting_ns = min(FIRST_NS << min(self.failures - 1, 40), LAST_NS)
        return max(0, waiting_ns - (now_unix_ns - self.last_failure_ns))

    def after(self, succeeded: Sequence[Json], failed: Sequence[Json]) -> Backoff:
        """The backoff once more pods have ended: only what failed after a success counts on."""
        if not succeeded:
            if not failed:
                return self
            return Backoff(self.failures + len(failed), max(map(finished_ns, failed)))
        success_ns = max(map(finished_ns, succeeded))
        since_success = [at_ns for at_ns in map(finished_ns, failed) if at_ns > success_ns]
        return Backoff(len(since_success), max(since_success)) if since_success else NO_BACKOFF


NO_BACKOFF: Final = Backoff()


def finished_ns(pod: Json) -> int:
    """When a pod ended, if that is known: by its containers, its condition or its deletion."""
    status = pod.get("status") or {}
    by_containers = _containers_finished_ns(pod, status)
    if by_containers is not None:
        return by_containers
    ready = pods.condition(status, "Ready")
    if ready is not None and ready["status"] == "False" and ready.get("lastTransitionTime"):
        return timestamps.parse_time(ready["lastTransitionTime"])
    metadata = pod["metadata"]
    deleted = metadata.get("deletionTimestamp")
    if deleted is not None:
        grace_seconds: int = metadata.get("deletionGracePeriodSeconds") or 0
        return timestamps.parse_time(deleted) - grace_seconds * SECOND_NS
    return timestamps.parse_time(metadata["creationTimestamp"])


def _containers_finished_ns(pod: Json, status: Json) -> int | None:
    """When the last container ended; None unless all have. Sidecars end after the others."""
    latest_ns = _latest_ns(status.get("containerStatuses") or ())
    sidecars = {
        container["name"]
        for container in pod["spec"].get("initContainers") or ()
        if container.get("restartPolicy") == "Always"
    }
    if not sidecars:
        return latest_ns
    watched = [
        each for each in status.get("initContainerStatuses") or () if each["name"] in sidecars
    ]
    if not watched:
        return latest_ns
    sidecars_ns = _latest_ns(watched)
    if sidecars_ns is None:
        return None
    return sidecars_ns if latest_ns is None else max(latest_ns, sidecars_ns)


def _latest_ns(statuses: Iterable[Json]) -> int | None:
    latest_ns = None
    for container in statuses:
        terminated = (container.get("state") or {}).get("terminated") or {}
        finished = terminated.get("finishedAt")
        if finished is None:
            return None
        at_ns = timestamps.parse_time(finished)
        latest_ns = at_ns if latest_ns is None else max(latest_ns, at_ns)
    return latest_ns
