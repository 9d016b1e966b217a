"""What is read off a stage, so that a copy of it can be made later or in another thread."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kubestage.scheduler import config
from kubestage.scheduler.selection import TieBreak
from kubestage.store.restoring import ObjectKey

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kubestage.aliases import Json
    from kubestage.scheduler.config import SchedulerConfiguration
    from kubestage.scheduler.extender import Transport
    from kubestage.scheduler.scheduler import Scheduler
    from kubestage.stage import Stage

_LEFT_OUT: Final = frozenset({"Event", "Lease", "Scenario"})
"""Kinds that no scheduler reads, of which there may be many or large objects."""


class ClusterImage(NamedTuple):
    """All that a copy is made of; reading it off a stage is quick, and changes nothing."""

    seed: int
    unix_ns: int
    revision: int
    objects: list[tuple[ObjectKey, Json]]
    configuration: SchedulerConfiguration
    plugins: Mapping[str, type[Any]]
    tie_break: TieBreak
    transport: Transport | None


def image_of(stage: Stage, scheduler: Scheduler | None = None) -> ClusterImage:
    """The objects of a stage at this moment, and what its scheduler, or another, is made of."""
    objects = [
        (ObjectKey(collection.kind.group, collection.kind.plural, key), obj)
        for collection in stage.store.collections()
        if collection.kind.kind not in _LEFT_OUT
        for key, obj in collection.objects.items()
    ]
    scheduler, store = scheduler or stage.scheduler, stage.store
    return ClusterImage(
        stage.seed,
        store.clock.unix_ns,
        store.revision,
        objects,
        config.default() if scheduler is None else scheduler.configuration,
        {} if scheduler is None else scheduler.user_plugins,
        TieBreak.HEAP if scheduler is None else scheduler.tie_break,
        None if scheduler is None else scheduler.transport,
    )
