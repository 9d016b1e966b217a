"""Saving runs: a directory for each, or temporary files for the details of a result.

What writes and reads records is loaded when a run is saved: most runs are not.
"""

from __future__ import annotations

import contextlib
import pathlib
import shutil
import tempfile
import weakref
from typing import TYPE_CHECKING, Self

from kubestage.runs import interruption

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.aliases import Json
    from kubestage.results.repeat import Repeat
    from kubestage.results.run_directory import RunDirectory
    from kubestage.results.run_record import RunRecord
    from kubestage.results.run_record_reader import RecordReader
    from kubestage.results.timings import RecordedTimings
    from kubestage.runs.observer import Observer
    from kubestage.stage import Stage


class RunSaver:
    """Writes the record of each Scenario while it runs, and the rest when it has ended.

    Without an `out` directory, records are written to temporary files if details are needed
    (`spools`), and deleted with `close`. Directories are created at once: a run that could not be
    saved is not started.
    """

    def __init__(
        self,
        out: str | None,
        names: Sequence[str],
        repeat: Repeat,
        observer: Observer,
        *,
        spools: bool,
    ) -> None:
        self.saved: dict[str, pathlib.Path] = {}
        self._names = names
        self._observer = observer
        self._repeat = repeat
        self._stack = contextlib.ExitStack()
        self._directories: dict[str, RunDirectory] = {}
        self._records: dict[str, RunRecord] = {}
        self._spool: pathlib.Path | None = None
        with contextlib.ExitStack() as stack:
            if out is not None:
                self._claim(pathlib.Path(out), names, stack)
            elif spools:
                self._spool = pathlib.Path(tempfile.mkdtemp(prefix="kubestage-"))
                stack.callback(weakref.finalize(self, shutil.rmtree, self._spool))
            self._stack = stack.pop_all()

    def sink_for(self, name: str) -> RunRecord | None:
        """The record of a Scenario that is about to begin."""
        path = self._path_of(name)
        if path is None:
            return None
        from kubestage.results import run_record

        record = self._records[name] = run_record.RunRecord(path, {"scenario": name})
        return record

    def save(
        self, scenario: Json, timings: RecordedTimings | None = None, stage: Stage | None = None
    ) -> None:
        """Save a Scenario that has ended; its report has what would make pods of the stage fit."""
        name = scenario["metadata"]["name"]
        if name in self._records:
            self._records.pop(name).close()
        directory = self._directories.get(name)
        if directory is not None:
            from kubestage.runs.fit import waiting

            advice = [] if stage is None else waiting.paragraphs(stage)
            with interruption.deferred(self._observer):
                directory.write(scenario, self._repeat, timings, advice)
                self.saved[name] = directory.path

    def interrupt_report(self) -> str:
        """What an interrupt leaves: the runs that had ended, and those that are missing."""
        if not self._directories:
            return "nothing was kept, as there is no --out"
        paths = {name: str(each.path) for name, each in self._directories.items()}
        missing = [path for name, path in paths.items() if name not in self.saved]
        saved = f"kept: {', '.join(map(str, self.saved.values()))}" if self.saved else ""
        lost = f"not written: {', '.join(missing)}" if missing else ""
        return "; ".join(part for part in (saved, lost) if part)

    def reader(self, name: str) -> RecordReader | None:
        """What was recorded of a Scenario that has ended."""
        from kubestage.results import run_directory, run_record

        if name in self.saved:
            return run_record.open(self.saved[name] / run_directory.RECORD)
        path = self._path_of(name)
        return None if path is None or not path.exists() else run_record.open(path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def has_temporary_files(self) -> bool:
        """Whether there is something to read until `close`."""
        return self._spool is not None

    def close(self) -> None:
        """Delete temporary files, and what was written of runs that have not ended."""
        for record in self._records.values():
            record.discard()
        self._stack.close()

    def _claim(self, out: pathlib.Path, names: Sequence[str], stack: contextlib.ExitStack) -> None:
        from kubestage.results import run_directory

        for name in names:
            path = out if len(names) == 1 else out / name
            self._directories[name] = stack.enter_context(run_directory.RunDirectory(path))

    def _path_of(self, name: str) -> pathlib.Path | None:
        if name in self._directories:
            return self._directories[name].record_path
        # A name may be as long as a file's.
        return None if self._spool is None else self._spool / f"{self._names.index(name)}.sqlite"
