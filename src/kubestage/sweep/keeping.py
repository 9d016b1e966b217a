"""The directory of many runs: claimed by one process, with the file of rows in it."""

from __future__ import annotations

import contextlib
import pathlib
from typing import TYPE_CHECKING, NamedTuple

from kubestage.errors import InputError
from kubestage.files import claiming, writing
from kubestage.sweep import frames, results, store

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kubestage.runs.observer import Observer
    from kubestage.sweep.rows import Table
    from kubestage.sweep.store import RowStore


class Contents(NamedTuple):
    """What a directory of many runs has."""

    noun: str
    """What it is called in messages: a sweep, or a search."""
    marker: str
    """The file that only such a directory has."""
    file: str
    """The file that says what is run, and its text."""
    text: str


@contextlib.contextmanager
def kept(
    out: str | None, contents: Contents, about: Mapping[str, str], *, resume: bool
) -> Iterator[RowStore | None]:
    """The file of rows of a directory, for this process alone; None without a directory."""
    if out is None:
        if resume:
            raise InputError("nothing says what to resume", path="--resume", fix="add --out DIR")
        yield None
        return
    place = pathlib.Path(out)
    with claiming.Claim(place):
        _check_state(place, contents, resume=resume)
        rows = store.RowStore(place / store.FILE)
        try:
            writing.write(place / contents.file, contents.text)
            rows.start(about)
            yield rows
        finally:
            rows.close()


def _check_state(place: pathlib.Path, contents: Contents, *, resume: bool) -> None:
    """Refuse a directory with something else in it, or with what is to be resumed first."""
    is_there = (place / contents.marker).is_file()
    if resume and not is_there:
        problem = f"there is no {contents.noun} to resume"
        raise InputError(problem, file=str(place), fix="leave out --resume")
    if is_there:
        if not resume and not results.is_complete(place):
            fix = "add --resume to complete it, or name another directory"
            problem = f"has a {contents.noun} that is not complete"
            raise InputError(problem, file=str(place), path="--out", fix=fix)
        return
    others = [each.name for each in place.iterdir() if not each.name.startswith(writing.WRITING)]
    if others:
        problem = f"has other files, such as {min(others)}"
        raise InputError(problem, file=str(place), path="--out", fix="name a new directory")


def write_parquet(table: Table, place: pathlib.Path, observer: Observer) -> None:
    """Write the rows as Parquet; a note says so if what writes it is not installed."""
    try:
        frames.write_parquet(table, place / results.PARQUET)
    except InputError as error:
        observer.note(f"{results.PARQUET} is not written: {error.problem}; {error.fix}")
