"""Runs that were kept, opened again."""

from __future__ import annotations

import contextlib
import functools
import pathlib
from typing import TYPE_CHECKING, Final, Self

import msgspec

from kubestage.errors import InputError
from kubestage.files import reading
from kubestage.results import run_record, scenario_file, scenario_rows
from kubestage.results.life import life as lives
from kubestage.results.repeat import LifeRepeat, Repeat
from kubestage.results.run_place import LIFE, REPEAT, SCENARIO

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.results.life.life import Life
    from kubestage.results.run_record_reader import RecordReader

RECORD: Final = "record.sqlite"
_REPORT: Final = "report.html"
_FIX: Final = (
    "name a directory that `kubestage run --out DIR` has written, or a Scenario with its status"
)


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


def _in_directory(place: pathlib.Path) -> Run:
    if (place / LIFE).is_file():
        raise InputError(
            "is the run of a living cluster, which has no steps",
            file=str(place),
            fix=f"ask `kubestage analyze {place}`, or open {place / _REPORT}",
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
