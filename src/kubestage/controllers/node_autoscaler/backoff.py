"""Groups that are left alone for a while after a failure, for longer the more often it happens."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from kubestage.controllers.node_autoscaler.cloud_provider import InstanceError
    from kubestage.controllers.node_autoscaler.settings import NodeAutoscalerSettings


class _Failure(msgspec.Struct):
    duration_ns: int
    until_ns: int
    failed_ns: int
    error: InstanceError


class Backoff:
    """Which groups are left alone, until when, and why."""

    def __init__(self, settings: NodeAutoscalerSettings) -> None:
        self._settings = settings
        self._failures: dict[str, _Failure] = {}

    def fail(self, name: str, error: InstanceError, now_ns: int) -> None:
        """Leave a group alone; several failures at once count as one."""
        settings = self._settings
        duration_ns = settings.initial_node_group_backoff_duration_ns
        before = self._failures.get(name)
        if before is not None:
            duration_ns = before.duration_ns
            if before.until_ns < now_ns:
                most_ns = settings.max_node_group_backoff_duration_ns
                duration_ns = min(2 * before.duration_ns, most_ns)
        self._failures[name] = _Failure(duration_ns, now_ns + duration_ns, now_ns, error)

    def error(self, name: str, now_ns: int) -> InstanceError | None:
        """Why a group is left alone at present; None if it is not."""
        found = self._failures.get(name)
        return None if found is None or found.until_ns < now_ns else found.error

    def drop_old(self, now_ns: int) -> None:
        """Forget failures that are so old that the next one counts as the first."""
        reset_ns = self._settings.node_group_backoff_reset_timeout_ns
        self._failures = {
            name: failure
            for name, failure in self._failures.items()
            if failure.failed_ns + reset_ns >= now_ns
        }

    def forget(self, name: str) -> None:
        """A group is no more."""
        self._failures.pop(name, None)
