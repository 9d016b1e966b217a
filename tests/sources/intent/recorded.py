"""Everything that happens on a stage, as a recording of a cluster would have it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.sources.imported import Change, reference_of
from kubestage.store.log import ADDED, DELETED

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.stage import Stage
    from kubestage.store.log import Change as Stored


class Recorder:
    """The objects of a stage, and all changes from now on."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        kinds = stage.store.kinds
        self.objects: list[Json] = [obj for row in kinds for obj in stage.store.read(row).values()]
        self.changes: list[Change] = []
        stage.store.subscribe(self._on_change)

    def _on_change(self, change: Stored) -> None:
        verb = "create" if change.type == ADDED else "update"
        self.changes.append(
            Change(
                at_ns=self._stage.clock.unix_ns,
                verb="delete" if change.type == DELETED else verb,  # type: ignore[arg-type]
                reference=reference_of(change.new),
                object=None if change.type == DELETED else change.new,
            )
        )
