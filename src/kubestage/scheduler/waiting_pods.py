"""Pods that have a node and wait for permission to be bound to it."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from kubestage.golang import durations
from kubestage.scheduler.status import SUCCESS, Code, Status

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from kubestage.objects.views.pod import PodView


@dataclasses.dataclass(slots=True, eq=False)
class WaitingPod:
    """One pod, and the deadline of each plugin that has it wait.

    The first decision counts: all plugins allow it, one of them rejects it, or its time is up.
    """

    pod: PodView
    node_name: str
    timeouts_ns: Mapping[str, int]
    since_ns: int
    pending_plugins: list[str] = dataclasses.field(default_factory=list)
    decision: Status | None = None
    changed: Callable[[], None] | None = None

    @property
    def deadline_ns(self) -> int:
        """When the first plugin's time is up."""
        return self.since_ns + min(self.timeouts_ns[name] for name in self.pending_plugins)

    def allow(self, plugin: str) -> None:
        """A plugin has nothing against it any more."""
        if plugin in self.pending_plugins:
            self.pending_plugins.remove(plugin)
        if not self.pending_plugins:
            self._decide(SUCCESS)

    def reject(self, plugin: str, message: str) -> bool:
        """A plugin refuses it; False if that was decided before."""
        return self._decide(Status(Code.UNSCHEDULABLE, (message,), plugin))

    def preempt(self, plugin: str, message: str) -> bool:
        """It must give way; unlike a pod that was rejected it is tried again without an event."""
        return self._decide(Status(Code.ERROR, (message,), plugin))

    def expire(self, now_ns: int) -> None:
        """Refuse it if a plugin's time is up."""
        for plugin in self.pending_plugins:
            timeout_ns = self.timeouts_ns[plugin]
            if self.since_ns + timeout_ns <= now_ns:
                waited = durations.go_string(timeout_ns)
                message = f"rejected due to timeout after waiting {waited} at plugin {plugin}"
                self.reject(plugin, message)
                return

    def _decide(self, decision: Status) -> bool:
        if self.decision is not None:
            return False
        self.decision = decision
        if self.changed is not None:
            self.changed()
        return True


class WaitingPods:
    """All pods that wait, of whichever profile; what permit plugins work with.

    `changed` is called when one begins to wait, and when that is decided.
    """

    def __init__(self) -> None:
        self.changed: Callable[[], None] | None = None
        self._pods: dict[str, WaitingPod] = {}

    def __len__(self) -> int:
        return len(self._pods)

    def __iter__(self) -> Iterator[WaitingPod]:
        return iter(tuple(self._pods.values()))

    def get(self, uid: str) -> WaitingPod | None:
        """The pod of a uid, if it waits."""
        return self._pods.get(uid)

    def add(
        self, pod: PodView, node_name: str, timeouts_ns: Mapping[str, int], now_ns: int
    ) -> WaitingPod:
        """Let a pod wait for the plugins named."""
        waiting = WaitingPod(pod, node_name, timeouts_ns, now_ns, list(timeouts_ns))
        waiting.changed = self.changed
        self._pods[pod.uid] = waiting
        if self.changed is not None:
            self.changed()
        return waiting

    def remove(self, uid: str) -> None:
        """A pod waits no longer."""
        self._pods.pop(uid, None)

    @property
    def due_ns(self) -> int | None:
        """When the next pod's time is up."""
        waiting = [each.deadline_ns for each in self._pods.values() if each.decision is None]
        return min(waiting, default=None)
