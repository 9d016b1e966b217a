"""Loops that are loaded when there is something for them to do."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from kubestage import lazy
from kubestage.controllers.controller import Controller

with lazy.imports():
    from kubestage.controllers import registry

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.aliases import Json
    from kubestage.controllers.controller import Cluster, Handlers
    from kubestage.store.log import Change

    GroupKind = tuple[str, str]


@dataclasses.dataclass(frozen=True, slots=True)
class LazyController:
    """A loop by name, to be listed among loops; a `Placeholder` stands for it at first.

    NOTE: to load the code of all loops takes 100 ms, a third of the start of a command, and
    clusters without Jobs, Services, claims or KWOK's Stages are common (benchmarks/startup.py).
    """

    name: str
    """The name of the loop's class."""

    load: Callable[[], type[Controller]]
    """Loads the loop's class."""

    kinds: tuple[GroupKind, ...] = ()
    """The kinds whose objects the loop waits for; without any it is needed at the start."""

    concerns: Callable[[GroupKind, Json], bool] | None = None
    """Which objects of these kinds the loop handles, if not all. Without such an object the loop
    must have nothing to do and nothing to remember."""

    is_enabled: Callable[[Cluster], bool] | None = None
    """For a loop without kinds: whether the settings call for it."""

    def __call__(self, cluster: Cluster) -> Controller:
        """Stand for the loop in a cluster."""
        return Placeholder(self, cluster)

    def __reduce__(self) -> tuple[Callable[[str], LazyController], tuple[str]]:
        # A fork of a stage finds the entry again by its name: functions cannot be pickled.
        return registry.lazy_controller, (self.name,)


class Placeholder(Controller):
    """Takes the place of a loop until an object comes up that concerns it."""

    ignores_rewordings = True

    def __init__(self, loop: LazyController, cluster: Cluster) -> None:
        self.name = loop.name
        self.cluster = cluster
        self._lazy = loop
        self._loop: Controller | None = None

    @property
    def is_needed(self) -> bool:
        """Whether there is an object that concerns the loop."""
        kinds, is_enabled = self._lazy.kinds, self._lazy.is_enabled
        if not kinds:
            return is_enabled is None or is_enabled(self.cluster)
        for collection in self.cluster.store.collections():
            kind = (collection.kind.group, collection.kind.kind)
            if kind in kinds and any(
                self._concerns(kind, obj) for obj in collection.objects.values()
            ):
                return True
        return False

    def wake(self) -> Controller:
        """Load the loop and put it in this place."""
        if self._loop is None:
            self._loop = self._lazy.load()(self.cluster)
            self.cluster.replace(self, self._loop)
        return self._loop

    def handlers(self) -> Handlers:
        """The kinds that the loop waits for."""
        return dict.fromkeys(self._lazy.kinds, self._on_change)

    def sync(self, key: str) -> None:
        """Load the loop for a key."""
        self.wake().sync(key)

    def _concerns(self, kind: GroupKind, obj: Json) -> bool:
        concerns = self._lazy.concerns
        return concerns is None or concerns(kind, obj)

    def _on_change(self, change: Change) -> None:
        kind = (change.kind.group, change.kind.kind)
        if self._loop is not None or self._concerns(kind, change.new):
            handler = self.wake().handlers().get(kind)
            if handler is not None:
                handler(change)
