"""Which of several active pods a Job gives up first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.controllers import pods
from kubestage.objects import timestamps

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.aliases import Json


_PHASES: Final = {"Pending": 0, "Unknown": 1, "Running": 2}


def least_useful_first(active: Iterable[Json]) -> list[Json]:
    """Unassigned, pending, unready, lately ready, often restarted and young pods go first."""
    return sorted(active, key=_usefulness)


def _usefulness(pod: Json) -> tuple[Any, ...]:
    status = pod.get("status") or {}
    ready = pods.condition(status, "Ready")
    is_ready = ready is not None and ready["status"] == "True"
    ready_since = ready.get("lastTransitionTime") if ready is not None and is_ready else None
    restarts, sidecar_restarts = _restarts(pod, status)
    return (
        bool(pod["spec"].get("nodeName")),
        _PHASES.get(status.get("phase", ""), 0),
        is_ready,
        _age(ready_since),
        -restarts,
        -sidecar_restarts,
        _age(pod["metadata"].get("creationTimestamp")),
    )


def _age(since: str | None) -> tuple[bool, int]:
    """Orders moments so that none comes first, then the latest."""
    return (True, -timestamps.parse_time(since)) if since else (False, 0)


def _restarts(pod: Json, status: Json) -> tuple[int, int]:
    """The most restarts of any container, and of any sidecar."""
    sidecars = {
        container["name"]
        for container in pod["spec"].get("initContainers") or ()
        if container.get("restartPolicy") == "Always"
    }
    regular = [each.get("restartCount", 0) for each in status.get("containerStatuses") or ()]
    beside = [
        each.get("restartCount", 0)
        for each in status.get("initContainerStatuses") or ()
        if each["name"] in sidecars
    ]
    return max(regular, default=0), max(beside, default=0)
