"""What tests of health have in common: how containers live, how a run ends, what it marked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.results.life import living

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.results.life.life import Life
    from kubestage.results.life.recorder import LifeRecorder
    from kubestage.stage import Stage


def annotated(workload: Json, **notes: str) -> Json:
    """A workload whose containers live as the annotations say."""
    named = {f"kubestage.dev/{name.replace('_', '-')}": value for name, value in notes.items()}
    workload["spec"]["template"]["metadata"]["annotations"] = named
    return workload


def lived(stage: Stage, recorder: LifeRecorder, span: str) -> Life:
    """The record of a run that goes on for so long, and then ends."""
    stage.run(span)
    return living.ended(recorder)


def marks(life: Life) -> list[tuple[float, str, str, str]]:
    """Time, kind, subject and text of all marks."""
    return [
        (row["atSeconds"], row["mark"], row["subject"], row["text"]) for row in life.rows("marks")
    ]
