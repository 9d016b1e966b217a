"""Records runs as they are made: the whole past of each stage, and its scheduler's attempts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.results.history.attempt_rows import AttemptRecorder
from kubestage.results.history.cluster_history import ClusterHistory
from kubestage.runs.opening import naming
from kubestage.runs.opening.opened_run import OpenedRun

if TYPE_CHECKING:
    from kubestage.runs.opening.opened_run import RunKind
    from kubestage.stage import Stage


class RunRecorder:
    """Hand `watch` to a run as its ``on_stage``; `opened` is each of its clusters afterwards::

    recorder = RunRecorder()
    run("scenario.yaml", on_stage=recorder.watch)
    [opened] = recorder.opened("scenario", ["my scenario"])
    """

    def __init__(self) -> None:
        self._watched: list[tuple[Stage, ClusterHistory, AttemptRecorder]] = []

    def watch(self, stage: Stage) -> None:
        """Record a stage on which nothing has happened yet."""
        history = ClusterHistory(stage.store, stage.clock)
        history.start()
        attempts = AttemptRecorder(stage.clock)
        if stage.scheduler is not None:
            attempts.attach(stage.scheduler.record)
        self._watched.append((stage, history, attempts))

    def opened(self, kind: RunKind, titles: list[str]) -> list[OpenedRun]:
        """The clusters that were recorded, in order; nothing is recorded from now on."""
        found = []
        for (stage, history, attempts), title in zip(self._watched, titles, strict=False):
            attempts.close()
            opened = OpenedRun(
                name="",
                title=title,
                kind=kind,
                stage=stage,
                history=history,
                attempts=attempts,
                plugins={} if stage.scheduler is None else stage.scheduler.user_plugins,
                has_controllers=stage.controllers is not None,
            )
            found.append(naming.named(opened, title))
        self._watched = []
        naming.make_distinct(found)
        return found
