"""What the path of a kept run names: which kind of run, and how many clusters."""

from __future__ import annotations

import pathlib
from typing import TYPE_CHECKING, Final

from kubestage.errors import InputError
from kubestage.results import run_place
from kubestage.results.load import limit_directory, report_directory
from kubestage.runs import recorded_files
from kubestage.runs.compare import keeping
from kubestage.runs.inputs import file_kinds
from kubestage.runs.observer import SILENT
from kubestage.runs.opening import differing, naming, recorded, repeating
from kubestage.stage import few_collections

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.runs.observer import Observer
    from kubestage.runs.opening.opened_run import OpenedRun

_FIX: Final = (
    "name a directory that `kubestage run --out DIR`, `rehearse --out DIR`, `compare --out DIR`, "
    "`load --report-dir DIR` or `pytest --kubestage-keep DIR` has written"
)
_PARTS: Final = (
    run_place.SCENARIO, run_place.LIFE, run_place.REHEARSAL, run_place.TEST, run_place.REPEAT,
    report_directory.DATABASE, keeping.COMPARISON,
)  # fmt: skip


def open_runs(paths: Sequence[str | pathlib.Path], observer: Observer = SILENT) -> list[OpenedRun]:
    """All clusters of kept runs, in order, each at its end and with its whole past.

    A directory may hold several runs. InputError if one is missing or cannot be opened. What has
    changed since runs were made is noted.
    """
    if not paths:
        raise InputError("no run is named", fix=_FIX)
    found: list[OpenedRun] = []
    with few_collections():
        for path in paths:
            with recorded_files.error_context(str(path)):
                found += _open(pathlib.Path(path), observer)
        naming.make_distinct(found)
        differing.explain_first(found, observer)
    for each in found:
        for note in each.notes:
            observer.note(f"{each.title}: {note}")
    return found


def _open(path: pathlib.Path, observer: Observer) -> list[OpenedRun]:
    place = _directory(path)
    found = _open_directory(place, observer)
    if found is not None:
        return found
    below = sorted(each.parent for part in _PARTS for each in place.glob(f"*/{part}"))
    several = [
        run for each in dict.fromkeys(below) for run in _open_directory(each, observer) or ()
    ]
    if not several:
        raise InputError("is not a run", file=str(path), fix=_FIX)
    return several


def _open_directory(place: pathlib.Path, observer: Observer) -> list[OpenedRun] | None:
    """The clusters of one run; None if there is no run in this directory itself."""
    if (place / keeping.COMPARISON).is_file():
        runs = keeping.runs_of(place)
        opened = [(name, _open(path, observer)) for name, path in runs]
        return [naming.as_contender(run, name) for name, found in opened for run in found]
    if (place / run_place.REHEARSAL).is_file():
        rehearsed = recorded.open_rehearsals(place, observer)
        return [naming.named(each, each.title) for each in rehearsed]
    if (place / run_place.TEST).is_file():
        return [naming.named(recorded.open_test(place), place.name)]
    if (place / report_directory.DATABASE).is_file():
        return [naming.named(recorded.open_load(place), place.name)]
    if (place / run_place.LIFE).is_file():
        return [naming.named(repeating.open_life(place, observer), place.name)]
    if (place / run_place.SCENARIO).is_file():
        return [naming.named(repeating.open_scenario(place, observer), place.name)]
    _refuse_without_history(place)
    return None


def _refuse_without_history(place: pathlib.Path) -> None:
    if (place / run_place.COST).is_file():
        fix = f"open {place / 'report.html'}"
        raise InputError("is a cost, in which nothing happens", file=str(place), fix=fix)
    if (place / limit_directory.DATA).is_file():
        fix = f"open {place / limit_directory.PAGE}, or run the load once: load --report-dir DIR"
        problem = "is a search for a limit, of which no history is kept"
        raise InputError(problem, file=str(place), fix=fix)


def _directory(path: pathlib.Path) -> pathlib.Path:
    if path.is_dir():
        return path.resolve()
    if not path.exists():
        raise InputError("no such run", file=str(path), fix=_FIX)
    if path.name in _PARTS and _is_directory_of_run(path.resolve().parent):
        return path.resolve().parent
    file_kinds.expect_run(str(path))
    fix = "run it with --out DIR, and open DIR"
    problem = "is a file by itself, which does not say how to repeat a run"
    raise InputError(problem, file=str(path), fix=fix)


def _is_directory_of_run(place: pathlib.Path) -> bool:
    """Whether a file is one of a run, not a Scenario that has the same name."""
    others = (
        run_place.REPEAT, run_place.REHEARSAL, run_place.TEST, report_directory.DATABASE,
        keeping.COMPARISON,
    )  # fmt: skip
    return any((place / each).is_file() for each in others)
