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
    DIR/agreement.json  how far it agrees with the recording, if it is a replay

A rehearsal has, instead of how to repeat it,

::

    DIR/rehearsal.json  the answer
    DIR/rehearsal.md    the same for people
    DIR/junit.xml       the same for a CI system
    DIR/cost.json       the answer of kubestage cost, and cost.md for people
    DIR/history.jsonl.gz  every change, for kubestage open; of several rehearsals in histories/

The cluster of a test that failed has

::

    DIR/test.json         which test it was, and how it failed
    DIR/history.jsonl.gz  every change, for kubestage open and explain

With durations of the scheduler there are, besides,

::

    DIR/timings.json    how long attempts, extension points and plugins took
    DIR/timings.html    the same for people; these two exist if times were measured

Files are written beside and moved when all are whole, the Scenario or the life last: a directory
with neither is no run. Other files in the directory of a run are left alone.
"""

from __future__ import annotations

import pathlib
import shutil
from typing import TYPE_CHECKING, Final, Self

import msgspec

from kubestage.files.claiming import Claim
from kubestage.results import (
    agreement,
    analysis,
    report,
    run_place,
    run_record,
    scenario_file,
    timings,
)
from kubestage.results.history import history_directory
from kubestage.results.kept_runs import RECORD, Run, is_life, open_life, open_run
from kubestage.results.life import life as lives
from kubestage.results.report import life_page, timings_page
from kubestage.results.run_place import COST, LIFE, MARKERS, REHEARSAL, REPEAT, SCENARIO, TEST

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kubestage.aliases import Json
    from kubestage.results.agreement import ReplayAgreement
    from kubestage.results.kept_test import KeptTest
    from kubestage.results.life.life import Life
    from kubestage.results.repeat import LifeRepeat, Repeat
    from kubestage.results.report.fit import FitParagraph
    from kubestage.results.timings import RecordedTimings


__all__ = [
    "COST", "FILES", "INPUTS", "LIFE", "RECORD", "REHEARSAL", "REPEAT", "REPORT", "SCENARIO",
    "TABLES", "TEST", "Run", "RunDirectory", "is_life", "open_life", "open_run",
]  # fmt: skip

REPORT: Final = "report.html"
INPUTS: Final = "inputs"
TABLES: Final = "tables"
FILES: Final = (
    REHEARSAL, "rehearsal.md", "junit.xml", COST, "cost.md", REPEAT, RECORD, REPORT, INPUTS, TABLES,
    agreement.FILE, timings.FILE, timings.PAGE, history_directory.NAME, history_directory.FOLDER,
    TEST, SCENARIO, LIFE,
)  # fmt: skip
_NONE: Final[Mapping[str, bytes]] = {}


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
        self,
        scenario: Json,
        repeat: Repeat,
        recorded: RecordedTimings | None = None,
        advice: Sequence[FitParagraph] = (),
    ) -> None:
        """Keep a run that has ended: all its files, in place of those of an earlier run.

        `recorded` are the durations of its scheduler, `advice` is what would make pods fit.
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
        report.write(self._beside / REPORT, scenario, repeat, modelled, advice)
        self._move()

    def write_life(
        self,
        life: Life,
        repeat: LifeRepeat,
        inputs: Mapping[str, str],
        recorded: RecordedTimings | None = None,
        advice: Sequence[FitParagraph] = (),
        agreed: ReplayAgreement | None = None,
    ) -> None:
        """Keep the run of a living cluster; `inputs` are the texts of manifests by file name.

        Of a replay, `agreed` is how far it agrees with its recording.
        """
        for folder, texts in ((INPUTS, inputs), (TABLES, _tables(life))):
            (self._beside / folder).mkdir()
            for name, text in texts.items():
                (self._beside / folder / name).write_text(text, encoding="utf-8")
        encoded = msgspec.json.format(msgspec.json.encode(repeat), indent=2)
        (self._beside / REPEAT).write_bytes(encoded + b"\n")
        modelled = self._write_timings(recorded, self.path.name)
        if agreed is not None:
            (self._beside / agreement.FILE).write_bytes(agreement.encode(agreed))
        life_page.write(self._beside / REPORT, life, repeat, modelled, advice, agreed)
        (self._beside / LIFE).write_bytes(lives.encode(life))
        self._move()

    def write_rehearsal(
        self, texts: Mapping[str, str], life: Life | None, histories: Mapping[str, bytes] = _NONE
    ) -> None:
        """Keep a rehearsal: texts by file name, and all that was recorded, if there is any.

        `histories` are those of the cluster, by file name.
        """
        for name, packed in histories.items():
            (self._beside / name).parent.mkdir(exist_ok=True)
            (self._beside / name).write_bytes(packed)
        for name, text in texts.items():
            (self._beside / name).write_text(text, encoding="utf-8")
        if life is not None:
            (self._beside / TABLES).mkdir()
            for name, text in _tables(life).items():
                (self._beside / TABLES / name).write_text(text, encoding="utf-8")
            (self._beside / LIFE).write_bytes(lives.encode(life))
        self._move()

    def write_test(self, test: KeptTest, histories: Mapping[str, bytes]) -> None:
        """Keep the cluster of a test, of which `histories` has every change."""
        for name, packed in histories.items():
            (self._beside / name).write_bytes(packed)
        encoded = msgspec.json.format(msgspec.json.encode(test), indent=2)
        (self._beside / TEST).write_bytes(encoded + b"\n")
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


def _tables(life: Life) -> dict[str, str]:
    return {f"{name}.csv": analysis.as_csv(table) for name, table in life.tables.items()}
