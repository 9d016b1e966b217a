"""Detects from its attempts that a scheduler can schedule no more pods.

The document's rule: every unscheduled pod has been tried twice or more, and meanwhile no pod was
scheduled and none preempted. Twice, because a pod may still be on its way to its node when its
scheduler asks for the next one.
"""

from __future__ import annotations

from typing import Final

ENOUGH: Final = 2


class Ledger:
    """Counts how often each unscheduled pod was tried since the last change.

    Pods are identified by any name that does not change, such as the uid.
    """

    def __init__(self) -> None:
        # The order is kept, so that what is read from here is the same in every run.
        self._unscheduled: dict[str, None] = {}
        self._tries: dict[str, int] = {}
        self._done = 0

    @property
    def is_exhausted(self) -> bool:
        """Whether nothing more can be scheduled."""
        return self._done == len(self._unscheduled)

    @property
    def unscheduled(self) -> int:
        """How many pods have no node."""
        return len(self._unscheduled)

    @property
    def untried(self) -> list[str]:
        """The pods that have not been tried often enough, in the order in which they came."""
        return [pod for pod in self._unscheduled if self._tries.get(pod, 0) < ENOUGH]

    def tries(self, pod: str) -> int:
        """How often a pod was tried since the last change."""
        return self._tries.get(pod, 0)

    def appeared(self, pod: str) -> None:
        """There is one more pod without a node."""
        self._unscheduled[pod] = None

    def left(self, pod: str) -> None:
        """A pod needs no node any more, or has one."""
        if pod in self._unscheduled:
            del self._unscheduled[pod]
            self._done -= self._tries.pop(pod, 0) >= ENOUGH

    def tried(self, pod: str) -> None:
        """A pod is being tried; what its scheduler tries uncalled for does not count."""
        if pod in self._unscheduled:
            tries = self._tries[pod] = self._tries.get(pod, 0) + 1
            self._done += tries == ENOUGH

    def changed(self) -> None:
        """A pod was scheduled or preempted: unschedulable pods may fit now."""
        self._tries.clear()
        self._done = 0
