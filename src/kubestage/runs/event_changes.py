"""Changes of Events, as a run reports them while it goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kubestage.runs.living import EventListener
    from kubestage.stage import Stage
    from kubestage.store.log import Change


class EventChanges:
    """Passes changes of Events on, together with the stage; it can be pickled."""

    def __init__(self, stage: Stage, listener: EventListener) -> None:
        self._stage = stage
        self._listener = listener

    def __call__(self, change: Change) -> None:
        """Pass it on if it is one of an Event."""
        if change.kind.kind == "Event":
            self._listener(self._stage, change)
