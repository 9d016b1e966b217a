"""Loops that are loaded when there is something for them to do."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, ClassVar

from kubestage.controllers.controller import Controller

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.controller import Cluster, Handlers
    from kubestage.store.core import KindRef
    from kubestage.store.log import Change


class Later(Controller):
    """Stands in the place of a loop until an object comes up that concerns it.

    `place` is where the loop is. `kinds` are the kinds that it waits for; without any it is needed
    as soon as loops start. While there is no such object, the loop must have nothing to do or to
    remember. `reads` is what it reads when it is made: kinds are kept in the order in which they
    were first read.

    NOTE: to load the code of all loops takes 100 ms, a third of the start of a command, and
    clusters without Jobs, Services, claims or KWOK's Stages are common (benchmarks/startup.py).
    """

    place: ClassVar[str]
    kinds: ClassVar[tuple[tuple[str, str], ...]] = ()
    reads: ClassVar[tuple[KindRef, ...]] = ()

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self._loop: Controller | None = None
        for kind in self.reads:
            cluster.store.read(kind)

    @classmethod
    def load(cls) -> type[Controller]:
        """The loop's own class."""
        module, _, name = cls.place.partition(":")
        loop: type[Controller] = getattr(
            importlib.import_module(f"kubestage.controllers.{module}"), name
        )
        return loop

    def concerns(self, kind: tuple[str, str], obj: Json) -> bool:
        """Whether an object of the kinds waited for is one that the loop must hear of."""
        del kind, obj
        return True

    @property
    def is_needed(self) -> bool:
        """Whether there is an object that concerns the loop."""
        if not self.kinds:
            return True
        for collection in self.cluster.store.ledger.collections():
            kind = (collection.kind.group, collection.kind.kind)
            if kind in self.kinds and any(
                self.concerns(kind, obj) for obj in collection.objects.values()
            ):
                return True
        return False

    def wake(self) -> Controller:
        """The loop itself, which takes over from here."""
        if self._loop is None:
            self._loop = self.load()(self.cluster)
            self.cluster.replace(self, self._loop)
        return self._loop

    def handlers(self) -> Handlers:
        """The kinds waited for."""
        return dict.fromkeys(self.kinds, self._hear)

    def _hear(self, change: Change) -> None:
        kind = (change.kind.group, change.kind.kind)
        if self._loop is not None or self.concerns(kind, change.new):
            handler = self.wake().handlers().get(kind)
            if handler is not None:
                handler(change)

    def sync(self, key: str) -> None:
        """Whoever asks for the loop wakes it."""
        self.wake().sync(key)
