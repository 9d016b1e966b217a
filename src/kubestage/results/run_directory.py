"""The run directory: what is kept of a run, written as a whole and opened again.

::

    DIR/scenario.json   the Scenario with its status
    DIR/run.json        how to repeat the run
    DIR/record.sqlite   every attempt and event
    DIR/report.html     the report for people

The run of a living cluster has instead of the first and the third

::

    DIR/life.json       all that was recorded of it
    DIR/tables/         the same as CSV
    DIR/inputs/         the manifests that it began with, and those that came later

With durations of the scheduler there are, besides,

::

    DIR/timings.json    how long attempts, extension points and plugins took
    DIR/timings.html    the same for people; these two exist if times were measured

Files are written beside and moved when all are whole, the Scenario or the life last: a directory
with neither is no run. Other files in the directory of a run are left alone.
"""

from __future__ import annotations

import contextlib
import functools
import pathlib
import shutil
from typing import TYPE_CHECKING, Final, Self

import msgspec

from kubestage.errors import InputError
from kubestage.files import reading
from kubestage.files.claiming import Claim
from kubestage.results import (
    analysis,
    report,
    run_place,
    run_record,
    scenario_file,
    scenario_rows,
    timings,
)
from kubestage.results.life import life as lives
from kubestage.results.repeat import LifeRepeat, Repeat
from kubestage.results.report import life_page, timings_page
from kubestage.results.run_place import LIFE, MARKERS, REPEAT, SCENARIO

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kubestage.aliases import Json
    from kubestage.results.life.life import Life
    from kubestage.results.run_record_reader import RecordReader
    from kubestage.results.timings import RecordedTimings


__all__ = [
    "FILES", "INPUTS", "LIFE", "RECORD", "REPEAT", "REPORT", "SCENARIO", "TABLES", "Run",
    "RunDirectory", "is_life", "open_life", "open_run",
]  # fmt: skip

RECORD: Final = "record.sqlite"
REPORT: Final = "report.html"
INPUTS: Final = "inputs"
TABLES: Final = "tables"
FILES: Final = (
    REPEAT, RECORD, REPORT, INPUTS, TABLES, timings.FILE, timings.PAGE, SCENARIO, LIFE,
)  # fmt: skip
_FIX: Final = (
    "name a directory that `kubestage run --out DIR` has written, or a Scenario with its status"
)


class RunDirectory:
    """A place for one run, claimed before it starts; use it as a context manager.

    Have the record of the run written to `record_path`, then call `write`. Without
    that call, the directory stays as it was.
    """

    def __init__(self, path: str | pathlib.Path) -> None:
        self.path = pathlib.Path(path)
        run_place.refuse_foreign(self.path)
        self._claim = Claim(self.path)
        self._beside = self._claim.beside

    @property
    def record_path(self) -> pathlib.Path:
        """Where the record is to be written while the run goes on."""
        return self._beside / RECORD

    def write(
        self, scenario: Json, repeat: Repeat, recorded: RecordedTimings | None = None
    ) -> None:
        """Keep a run that has ended: all its files, in place of those of an earlier run.

        `recorded` are the durations of its scheduler.
        """
        record = run_record.open(self.record_path) if self.record_path.exists() else None
        try:
            with (self._beside / SCENARIO).open("wb") as out:
                scenario_file.write_scenario(scenario, out, record)
        finally:
            if record is not None:
                record.close()
        encoded = msgspec.json.format(msgspec.json.encode(repeat), indent=2)
        (self._beside / REPEAT).write_bytes(encoded + b"\n")
        modelled = self._write_timings(recorded, scenario["metadata"]["name"])
        report.write(self._beside / REPORT, scenario, repeat, modelled)
        self._move()

    def write_life(
        self,
        life: Life,
        repeat: LifeRepeat,
        inputs: Mapping[str, str],
        recorded: RecordedTimings | None = None,
    ) -> None:
        """Keep the run of a living cluster; `inputs` are the texts of manifests by file name."""
        for folder, texts in ((INPUTS, inputs), (TABLES, _tables(life))):
            (self._beside / folder).mkdir()
            for name, text in texts.items():
                (self._beside / folder / name).write_text(text, encoding="utf-8")
        encoded = msgspec.json.format(msgspec.json.encode(repeat), indent=2)
        (self._beside / REPEAT).write_bytes(encoded + b"\n")
        modelled = self._write_timings(recorded, self.path.name)
        life_page.write(self._beside / REPORT, life, repeat, modelled)
        (self._beside / LIFE).write_bytes(lives.encode(life))
        self._move()

    def discard(self) -> None:
        """Leave the directory as it was found, or as `write` has left it."""
        self._claim.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.discard()

    def _write_timings(self, recorded: RecordedTimings | None, name: str) -> RecordedTimings | None:
        """Keep durations; those that may be in the report, because they are the same every time."""
        if recorded is None:
            return None
        (self._beside / timings.FILE).write_bytes(timings.encode(recorded))
        if recorded.source == timings.MODELLED:
            return recorded
        timings_page.write(self._beside / timings.PAGE, recorded, name)
        return None

    def _move(self) -> None:
        # In between there is no run here, rather than a mixture of two.
        for marker in MARKERS:
            (self.path / marker).unlink(missing_ok=True)
        for name in FILES:
            if (self.path / name).is_dir():
                shutil.rmtree(self.path / name)
            if (self._beside / name).exists():
                (self._beside / name).replace(self.path / name)
            else:
                (self.path / name).unlink(missing_ok=True)


class Run:
    """A run that was kept; each part is read at its first use.

    `repeat` and `record` are None if all that there is is the Scenario.
    """

    def __init__(self, scenario_path: pathlib.Path, name: str) -> None:
        self.name = name
        self._scenario_path = scenario_path

    @functools.cached_property
    def scenario(self) -> Json:
        """The Scenario with its status; the details of attempts are left to the record."""
        if self._beside(RECORD) is not None:
            with contextlib.suppress(msgspec.DecodeError, UnicodeDecodeError):
                return scenario_rows.read(self._scenario_path)
        return scenario_file.read_scenario(self._scenario_path)

    @functools.cached_property
    def repeat(self) -> Repeat | None:
        """How to repeat the run."""
        path = self._beside(REPEAT)
        if path is None:
            return None
        try:
            found = msgspec.json.decode(reading.read(path), type=Repeat)
            found.check()
        except ValueError as error:
            raise InputError(
                f"does not say how to repeat a run: {error}", file=str(path), fix="run it again"
            ) from error
        return found

    @functools.cached_property
    def record(self) -> RecordReader | None:
        """Every attempt and event of the run; open until `close`."""
        path = self._beside(RECORD)
        return None if path is None else run_record.open(path)

    def close(self) -> None:
        """Close the record, if it was opened."""
        reader = self.__dict__.pop("record", None)
        if reader is not None:
            reader.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _beside(self, name: str) -> pathlib.Path | None:
        """A file of the same run; a Scenario by itself has none."""
        path = self._scenario_path.with_name(name)
        return path if self._scenario_path.name == SCENARIO and path.is_file() else None


def open_run(path: str | pathlib.Path) -> Run:
    """The run that a path names: a run directory, or a Scenario with its status in a file."""
    place = pathlib.Path(path)
    if place.is_dir():
        return _in_directory(place)
    if not place.exists():
        raise InputError("no such file or directory", file=str(path), fix=_FIX)
    run = Run(place, str(path))
    # A file may be anything; what it is must be known before work is based on it.
    _ = run.scenario
    return run


def is_life(path: str | pathlib.Path) -> bool:
    """Whether a path names the run of a living cluster."""
    place = pathlib.Path(path)
    return (place / LIFE).is_file() or (place.name == LIFE and place.is_file())


def open_life(path: str | pathlib.Path) -> tuple[Life, LifeRepeat | None]:
    """The run of a living cluster that a path names, and how to repeat it, if that is known."""
    place = pathlib.Path(path)
    found = place / LIFE if place.is_dir() else place
    try:
        life = lives.decode(reading.read(found))
    except FileNotFoundError:
        raise InputError("no such run", file=str(path), fix=_FIX) from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        problem = f"is not the run of a living cluster: {error}"
        raise InputError(problem, file=str(found), fix="run it again") from error
    beside = found.with_name(REPEAT)
    if not beside.is_file():
        return life, None
    try:
        return life, msgspec.json.decode(reading.read(beside), type=LifeRepeat)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return life, None


def _tables(life: Life) -> dict[str, str]:
    return {f"{name}.csv": analysis.as_csv(table) for name, table in life.tables.items()}


def _in_directory(place: pathlib.Path) -> Run:
    if (place / LIFE).is_file():
        raise InputError(
            "is the run of a living cluster, which has no steps",
            file=str(place),
            fix=f"ask `kubestage analyze {place}`, or open {place / REPORT}",
        )
    if (place / SCENARIO).is_file():
        return Run(place / SCENARIO, str(place))
    below = sorted(path.parent for path in place.glob(f"*/{SCENARIO}"))
    if len(below) == 1:
        return Run(below[0] / SCENARIO, str(below[0]))
    if below:
        names = ", ".join(str(each) for each in below)
        raise InputError(
            f"holds {len(below)} runs: {names}", file=str(place), fix=f"name one: {below[0]}"
        )
    raise InputError("is not a run", file=str(place), fix=_FIX)
