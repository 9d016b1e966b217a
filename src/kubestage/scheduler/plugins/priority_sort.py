"""PrioritySort: important pods first, then those that have waited longest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.handle import Handle


class PrioritySort:
    """Orders the active queue by priority, then by the time of entry."""

    name = "PrioritySort"

    def __init__(self, args: dict[str, Any], handle: Handle) -> None:
        del args, handle

    def sort_key(self, pod: PodView, queued_at_ns: int) -> tuple[int, ...]:
        return -pod.priority, queued_at_ns
