"""Keeping the runs that a comparison has made: a run directory for each, and which they are."""

from __future__ import annotations

import contextlib
import pathlib
from typing import TYPE_CHECKING, Self

from kubestage.results import run_directory, run_record
from kubestage.runs import interruption, repeat_record
from kubestage.runs.compare import keeping
from kubestage.scenario.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.aliases import Json
    from kubestage.results.run_directory import RunDirectory
    from kubestage.results.run_record import RunRecord
    from kubestage.results.timings import RecordedTimings
    from kubestage.runs.inputs.scenario_inputs import Inputs
    from kubestage.runs.observer import Observer
    from kubestage.runs.run_settings import RunSettings, SchedulerInputs


class KeptContenders:
    """Writes each run when it has ended; without a directory, does nothing.

    Directories are created at once: runs that could not be kept are not started.
    """

    def __init__(
        self, out: str | None, names: Sequence[str], inputs: Inputs, observer: Observer
    ) -> None:
        self._inputs, self._observer = inputs, observer
        self._place = None if out is None else pathlib.Path(out)
        self._directories: dict[str, RunDirectory] = {}
        self._records: dict[str, RunRecord] = {}
        self._stack = contextlib.ExitStack()
        if self._place is None:
            return
        keeping.refuse(self._place)
        with contextlib.ExitStack() as stack:
            for name in names:
                # A configuration may be named by a path.
                path = self._place / name.replace("/", "-")
                self._directories[name] = stack.enter_context(run_directory.RunDirectory(path))
            self._stack = stack.pop_all()

    def sink(self, name: str) -> RunRecord | None:
        """What receives the record of a run."""
        directory = self._directories.get(name)
        if directory is None:
            return None
        scenario = str(self._inputs.scenarios[0]["metadata"]["name"])
        self._records[name] = run_record.RunRecord(directory.record_path, {"scenario": scenario})
        return self._records[name]

    def keep(
        self,
        name: str,
        scenario: Json,
        settings: RunSettings,
        scheduler: SchedulerInputs,
        timings: RecordedTimings | None,
    ) -> None:
        """Keep a run that has ended."""
        directory = self._directories.get(name)
        if directory is None:
            return
        self._records.pop(name).close()
        rules = Settings(as_written=settings.as_written)
        repeat = repeat_record.scenario_repeat(self._inputs, settings, scheduler, rules)
        with interruption.deferred(self._observer):
            directory.write(scenario, repeat, timings)

    def write(self) -> None:
        """Say which runs were compared."""
        if self._place is not None:
            found = [(name, each.path) for name, each in self._directories.items()]
            keeping.write(self._place, found)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for record in self._records.values():
            record.discard()
        self._stack.close()
