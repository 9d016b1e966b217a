"""Stages with a recorder, for tests of what it records."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.results.life.recorder import LifeRecorder
from kubestage.stage import Stage

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.results.life.life import Life

SECOND_NS = 1_000_000_000


def recorded(*objects: Json, seed: int = 1) -> tuple[Stage, LifeRecorder]:
    """A living stage with these objects; it is looked at every second."""
    stage = Stage(seed)
    stage.add_scheduler()
    stage.load(objects)
    stage.add_controllers()
    recorder = LifeRecorder(stage.store, stage.environment, SECOND_NS, stage)
    recorder.start()
    return stage, recorder


def ended(recorder: LifeRecorder) -> Life:
    return recorder.end(version="test", seed=1)


def named(rows: list[Json], field: str, value: str) -> Json:
    """The one row of a summary that is about something."""
    [found] = [row for row in rows if row[field] == value]
    return found
