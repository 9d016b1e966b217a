"""Which devices of its node a pod gets: those that its plugin picks, or the fullest with room."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.scheduler.contract import answers
from kubestage.scheduler.status import SUCCESS, unschedulable

if TYPE_CHECKING:
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.cache import Cache
    from kubestage.scheduler.cycle_state import CycleState
    from kubestage.scheduler.status import Status

_NO_ROOM: Final = unschedulable("node(s) had too little room on their devices")


def reserve(plugin: Any, cache: Cache, state: CycleState, pod: PodView, node_name: str) -> Status:
    """Assign a pod that is counted in on a node to devices of it.

    They are released when the pod is counted out, for whatever reason.
    """
    columns = cache.columns
    table, row = columns.devices(type(plugin).devices.name), columns.row_of.get(node_name)
    request = table.definition.request_of(pod)
    if request is None or row is None:
        return SUCCESS
    if not hasattr(plugin, "pick_devices"):
        return SUCCESS if table.assigned(pod) else _NO_ROOM
    free = table.free_without(row, pod)
    picked = plugin.pick_devices(state, pod, node_name, free.copy())
    if picked is None:
        return _NO_ROOM
    table.assign(row, pod, answers.indexes(plugin, picked, free, *request))
    return SUCCESS
