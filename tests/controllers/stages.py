"""Small stages for tests of loops."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.stage import Stage

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.aliases import Json
    from kubestage.controllers.controller import Loop
    from kubestage.controllers.settings import Settings


def stage_with(
    *loops: Loop,
    settings: Settings | None = None,
    objects: Iterable[Json] = (),
) -> Stage:
    """A stage on which these loops are at work; the objects are there from the start."""
    stage = Stage()
    stage.apply(objects)
    stage.add_controllers(settings, loops=loops)
    return stage


def events(stage: Stage, reason: str | None = None) -> list[tuple[str, str, int]]:
    """Reason, message and count of the Events, in the order of their names."""
    found = stage.store.list(("v1", "Event")).items
    return [
        (each["reason"], each["message"], each["count"])
        for each in found
        if reason in (None, each["reason"])
    ]
