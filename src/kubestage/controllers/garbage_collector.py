"""The garbage collector: dependents follow their owners, one object a turn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.controller import Controller

if TYPE_CHECKING:
    from kubestage.controllers.controller import Cluster, Handlers

_ALL: Final = "garbage"


class GarbageCollectorController(Controller):
    """Does in its turn what the store has noticed to be due.

    Objects that were there from the start are left alone even if their owners are not: a part of
    a cluster is rehearsed more often than the whole of it.
    """

    name = "garbage-collector-controller"

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self.store.garbage.collector = self

    def handlers(self) -> Handlers:
        """None: the store itself sees which of all changes matter."""
        return {}

    def start(self) -> None:
        """Continue with what an earlier collector had not yet processed."""
        if self.store.garbage.queue:
            self.noticed()

    def noticed(self) -> None:
        """There is something to process."""
        self.queue.add(_ALL)

    def sync(self, key: str) -> None:
        """Process the next object, or as many as a paced collector's client allows."""
        garbage = self.store.garbage
        more = garbage.collect_one(self.store)
        if self.budget is not None:
            for _ in range(self.allowance(len(garbage.queue) + 1) - 1):
                more = garbage.collect_one(self.store)
        self.store.settle()
        if more:
            self.queue.add(key)
