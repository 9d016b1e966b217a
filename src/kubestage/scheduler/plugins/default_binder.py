"""DefaultBinder: assigns the pod to its node through the API."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage import errors
from kubestage.scheduler.status import SUCCESS, Status, error

if TYPE_CHECKING:
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.cycle_state import CycleState
    from kubestage.scheduler.handle import Handle


class DefaultBinder:
    """Binds every pod; what the API refuses is an error of the plugin."""

    name = "DefaultBinder"

    def __init__(self, args: dict[str, Any], handle: Handle) -> None:
        del args
        self._client = handle.client

    def bind(self, state: CycleState, pod: PodView, node_name: str) -> Status:
        del state
        try:
            self._client.bind(pod, node_name)
        except errors.ApiError as refusal:
            return error(refusal.message)
        return SUCCESS
