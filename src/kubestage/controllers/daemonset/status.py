"""The status of a DaemonSet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.daemonset.fleet import Fleet


_KEPT: Final = ("collisionCount", "conditions")
_REQUIRED: Final = (
    "currentNumberScheduled",
    "numberMisscheduled",
    "desiredNumberScheduled",
    "numberReady",
)


def of(daemon_set: Json, fleet: Fleet, before: Json) -> Json:
    """The status of a set, from how it stands on the nodes that there are."""
    desired = current = misscheduled = ready = updated = available = 0
    for standing, names in fleet.groups.items():
        count = len(names)
        if not standing.is_wanted:
            misscheduled += count if standing.is_known else 0
            continue
        desired += count
        if standing.has_pod:
            current += count
            ready += count if standing.is_ready else 0
            available += count if standing.is_available else 0
            updated += count if standing.is_updated else 0
    counts = {
        "currentNumberScheduled": current,
        "numberMisscheduled": misscheduled,
        "desiredNumberScheduled": desired,
        "numberReady": ready,
        "observedGeneration": daemon_set["metadata"].get("generation"),
        "updatedNumberScheduled": updated,
        "numberAvailable": available,
        "numberUnavailable": desired - available,
    }
    status: Json = {name: n for name, n in counts.items() if n or name in _REQUIRED}
    status.update((name, before[name]) for name in _KEPT if name in before)
    return status
