"""The directory that the report of a load is written to, as a whole.

::

    DIR/junit.xml                                  what passed, for CI
    DIR/<Summary>_<test>_<time>.json               what was measured, for perfdash
    DIR/generatedConfig_<test>.yaml                what was run, after templates and modules
    DIR/cl2-metadata.json                          facts for CI
    DIR/report.html                                the report for people
    DIR/history.jsonl.gz                           every change of a stage, for kubestage open
    DIR/load.sqlite                                every call, latency and verdict as rows
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from kubestage.errors import InputError
from kubestage.golang import json_encoding
from kubestage.results.history import history_directory
from kubestage.results.load import database, database_rows, file_names, junit, page
from kubestage.results.load.claimed_place import ClaimedPlace

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Iterator, Sequence

    from kubestage.clusterloader.result import LoadResult
    from kubestage.results.history.spooled_history import SpooledHistory
    from kubestage.results.load.about import About

JUNIT: Final = "junit.xml"
METADATA: Final = "cl2-metadata.json"
REPORT: Final = "report.html"
DATABASE: Final = "load.sqlite"


class ReportDirectory(ClaimedPlace):
    """A place for one report, claimed before the load starts; use it as a context manager.

    Call `write` when all tests are over. Without that call, the directory stays as it
    was.
    """

    fixed: ClassVar[tuple[str, ...]] = (JUNIT, METADATA, REPORT, DATABASE)

    def write(
        self,
        results: Sequence[LoadResult],
        configs: Sequence[str],
        about: About,
        history: SpooledHistory | None = None,
    ) -> list[pathlib.Path]:
        """Keep all tests that were run, in their order; the files that are there now.

        `configs` are the texts of ``generatedConfig_*.yaml``, one for each result.
        """
        files: list[database_rows.FileRow] = [(name, None, None) for name in self.fixed]
        files += self._write_files(results, configs)
        if history is not None:
            with self.place(history_directory.NAME).open("wb") as file:
                file.writelines(history.pieces())
            files.append((history_directory.NAME, None, None))
        self.put(JUNIT, junit.render(results))
        facts = {**about.facts(), **about.metadata}
        self.place(METADATA).write_bytes(json_encoding.encode(facts))
        self.put(REPORT, page.render(results, about))
        database_rows.write(self.place(DATABASE), results, about, files)
        self.move([name for name, _, _ in files])
        return [self.path / name for name, _, _ in files]

    def earlier(self) -> list[str]:
        """The files of the report that is there."""
        try:
            connection = database.open_for_reading(self.path / DATABASE)
        except InputError:
            return []
        try:
            found = connection.execute("SELECT name FROM files").fetchall()
        finally:
            connection.close()
        return [name for (name,) in found if file_names.is_plain(name)]

    def _write_files(
        self, results: Sequence[LoadResult], configs: Sequence[str]
    ) -> Iterator[database_rows.FileRow]:
        names = file_names.FileNames(frozenset({*self.fixed, history_directory.NAME}))
        for test, (result, config) in enumerate(zip(results, configs, strict=True), 1):
            name = names.config(result)
            self.put(name, config)
            yield name, test, None
            for summary in result.summaries():
                name = names.summary(result, summary)
                self.put(name, summary.content)
                yield name, test, summary.name
