"""The directory that the report of a load is written to, as a whole.

::

    DIR/junit.xml                                  what passed, for CI
    DIR/<Summary>_<test>_<time>.json               what was measured, for perfdash
    DIR/generatedConfig_<test>.yaml                what was run, after templates and modules
    DIR/cl2-metadata.json                          facts for CI
    DIR/load.sqlite                                every call, latency and verdict as rows
    DIR/report.html                                the report for people

Files are written beside and moved when all are whole, ``load.sqlite`` last. Those of an earlier
report in the same directory go; files of others stay.
"""

from __future__ import annotations

import contextlib
import pathlib
import shutil
import tempfile
from typing import TYPE_CHECKING, Final, Self

from kubestage.errors import InputError
from kubestage.objects import go_json
from kubestage.results.load import database, database_rows, file_names, junit, page

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kubestage.load.result import LoadResult
    from kubestage.results.load.about import About

JUNIT: Final = "junit.xml"
METADATA: Final = "cl2-metadata.json"
REPORT: Final = "report.html"
DATABASE: Final = "load.sqlite"
_FIXED: Final = (JUNIT, METADATA, REPORT, DATABASE)
_WRITING: Final = ".writing-"


class ReportDirectory:
    """A place for one report, claimed before the load starts; use it as a context manager.

    Call `write` when all tests are over. Whoever leaves before that leaves the directory as it
    was.
    """

    def __init__(self, path: str | pathlib.Path) -> None:
        self.path = pathlib.Path(path)
        _refuse_foreign(self.path)
        self._made = [each for each in (self.path, *self.path.parents) if not each.exists()]
        with _blaming(self.path):
            self.path.mkdir(parents=True, exist_ok=True)
            for left_over in self.path.glob(f"{_WRITING}*"):
                shutil.rmtree(left_over)
            self._beside = pathlib.Path(tempfile.mkdtemp(prefix=_WRITING, dir=self.path))

    def write(
        self, results: Sequence[LoadResult], configs: Sequence[str], about: About
    ) -> list[pathlib.Path]:
        """Keep all tests that were run, in their order; the files that are there now.

        `configs` are the texts of ``generatedConfig_*.yaml``, one for each result.
        """
        files: list[database_rows.FileRow] = [(name, None, None) for name in _FIXED]
        files += self._write_files(results, configs)
        self._put(JUNIT, junit.render(results))
        facts = {**about.facts(), **about.metadata}
        (self._beside / METADATA).write_bytes(go_json.encode(facts))
        self._put(REPORT, page.render(results, about))
        database_rows.write(self._beside / DATABASE, results, about, files)
        self._move([name for name, _, _ in files])
        return [self.path / name for name, _, _ in files]

    def discard(self) -> None:
        """Leave the directory as it was found, or as `write` has left it."""
        shutil.rmtree(self._beside, ignore_errors=True)
        for made in self._made:
            if not made.is_dir() or any(made.iterdir()):
                break
            made.rmdir()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.discard()

    def _write_files(
        self, results: Sequence[LoadResult], configs: Sequence[str]
    ) -> Iterator[database_rows.FileRow]:
        names = file_names.FileNames(frozenset(_FIXED))
        for test, (result, config) in enumerate(zip(results, configs, strict=True), 1):
            name = names.config(result)
            self._put(name, config)
            yield name, test, None
            for summary in result.summaries():
                name = names.summary(result, summary)
                self._put(name, summary.content)
                yield name, test, summary.name

    def _put(self, name: str, text: str) -> None:
        (self._beside / name).write_bytes(text.encode(errors="replace"))

    def _move(self, names: Sequence[str]) -> None:
        # In between there is no report here, rather than a mixture of two.
        earlier = _files_of_earlier(self.path)
        (self.path / DATABASE).unlink(missing_ok=True)
        for name in earlier:
            (self.path / name).unlink(missing_ok=True)
        for name in sorted(names, key=DATABASE.__eq__):
            (self._beside / name).replace(self.path / name)


def _files_of_earlier(place: pathlib.Path) -> list[str]:
    """What the report that is here consists of; nothing if there is none."""
    try:
        connection = database.open_for_reading(place / DATABASE)
    except InputError:
        return []
    try:
        found = connection.execute("SELECT name FROM files").fetchall()
    finally:
        connection.close()
    return [name for (name,) in found if file_names.is_plain(name)]


def _refuse_foreign(place: pathlib.Path) -> None:
    """InputError if a report would replace what another program has written."""
    fix = "name another directory with --report-dir"
    if place.exists() and not place.is_dir():
        raise InputError("is a file", file=str(place), fix=fix)
    there = [name for name in _FIXED if (place / name).exists()]
    if there and not _files_of_earlier(place):
        problem = f"holds {', '.join(there)}, and not from a load of kubestage"
        raise InputError(problem, file=str(place), fix=fix)


@contextlib.contextmanager
def _blaming(place: pathlib.Path) -> Iterator[None]:
    """Say of which directory it is that it cannot be written."""
    try:
        yield
    except OSError as error:
        problem = f"cannot be written: {error.strerror}"
        fix = "name another directory with --report-dir"
        raise InputError(problem, file=str(place), fix=fix) from error
