"""What loads came to: a result for each test, and all of them as plain data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.clusterloader.result import Outcome
from kubestage.results.analysis.table import Kind, Table, columns
from kubestage.runs.load import freeing, report_files, user_measures
from kubestage.runs.notebook import TableResult
from kubestage.units import SECOND_NS
from kubestage.wording import plural

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.clusterloader.config_loading import LoadedConfig
    from kubestage.clusterloader.result import LoadResult, Measured
    from kubestage.measure.results import Verdict
    from kubestage.results.history.spooled_history import SpooledHistory
    from kubestage.results.load.cost import LoadCost
    from kubestage.results.load.report_directory import ReportDirectory
    from kubestage.runs.load.load_test import LoadTest
    from kubestage.runs.load.options import LoadOptions
    from kubestage.runs.load.targets import TargetInfo


_COLUMNS: Final = columns(
    test=Kind.TEXT,
    method=Kind.TEXT,
    identifier=Kind.TEXT,
    name=Kind.TEXT,
    value=Kind.FLOAT,
    threshold=Kind.FLOAT,
    unit=Kind.TEXT,
    samples=Kind.INT,
    verdict=Kind.TEXT,
)


class CompletedTest(msgspec.Struct, frozen=True):
    """A test that was run."""

    test: LoadTest
    loaded: LoadedConfig
    result: LoadResult


class LoadResults(TableResult, msgspec.Struct, frozen=True):
    """What came of all tests of a load."""

    completed: tuple[CompletedTest, ...]
    """The tests that were run; after an interrupt there are fewer than requested."""
    requested: int
    """How many tests were requested."""
    options: LoadOptions
    target: TargetInfo
    cost: LoadCost | None = None
    """What nodes cost meanwhile; None if none had a price."""
    history: SpooledHistory | None = None
    """Every change, if `LoadOptions.keeps_history` says so: for ``kubestage open``."""

    @property
    def results(self) -> list[LoadResult]:
        """The result of each test that was run."""
        return [each.result for each in self.completed]

    @property
    def passed(self) -> bool:
        """Whether all tests passed; one that measured nothing did not."""
        return all(each.passed for each in self.results)

    @property
    def failed(self) -> bool:
        """Whether a test failed; one that measured nothing has neither passed nor failed."""
        return any(each.outcome is Outcome.FAILED for each in self.results)

    @property
    def is_interrupted(self) -> bool:
        """Whether the user stopped a test."""
        return any(each.is_interrupted for each in self.results)

    def headline(self) -> str:
        """How many tests passed, and how many measured nothing."""
        passed = sum(each.passed for each in self.results)
        idle = sum(each.outcome is Outcome.NOTHING_MEASURED for each in self.results)
        nothing = f", {idle} measured nothing" if idle else ""
        return f"{passed} of {plural(self.requested, 'test')} passed{nothing}"

    def table(self) -> Table:
        """A row for each verdict of a measurement."""
        return Table(
            _COLUMNS,
            [
                (
                    result.test_name or result.path,
                    measured.method,
                    measured.identifier,
                    verdict.name,
                    verdict.value,
                    verdict.threshold,
                    verdict.unit,
                    verdict.samples,
                    verdict_word(verdict),
                )
                for result in self.results
                for measured, verdict in result.verdicts()
            ],
        )

    def as_data(self) -> Json:
        """All tests as plain values."""
        data = {"passed": self.passed, "tests": [_data(each) for each in self.results]}
        return data if self.cost is None else {**data, "cost": msgspec.to_builtins(self.cost)}

    def save(self, directory: str) -> None:
        """Write the report: what was measured, report.html, and load.sqlite."""
        with report_files.claim(directory) as claimed:
            assert claimed is not None
            self.write(claimed)

    def write(self, directory: ReportDirectory, command: str = "") -> None:
        """Write the report into a directory that was claimed before the load started.

        `command` is what to type to get the same result.
        """
        freeing.give_back(freeing.MANY)
        report_files.write(
            directory,
            self.results,
            [each.loaded.config for each in self.completed],
            report_files.about(self.options, self.target, command, self.cost),
            self.history,
        )


def _data(result: LoadResult) -> Json:
    measures = user_measures.of_result(result)
    return {
        "name": result.name,
        "identifier": result.identifier,
        "path": result.path,
        "passed": result.passed,
        "outcome": str(result.outcome),
        "interrupted": result.is_interrupted,
        "fatal": result.is_fatal,
        "seconds": result.took_ns / SECOND_NS,
        "calls": len(result.calls),
        "steps": [
            {
                "name": each.name,
                "named": each.is_named,
                "beganSeconds": (each.began_ns - result.began_ns) / SECOND_NS,
                "seconds": each.took_ns / SECOND_NS,
                "errors": each.errors,
            }
            for each in result.steps
        ],
        "verdicts": [_verdict_data(*each) for each in result.verdicts()],
        "errors": list(result.errors),
        "warnings": list(dict.fromkeys(result.warnings)),
        "skipped": [
            {"method": each.method, "identifier": each.identifier, "reason": reason}
            for each, reason in result.skipped()
        ],
        "chaos": result.chaos_events(),
        **({"measures": msgspec.to_builtins(measures)} if measures else {}),
    }


def _verdict_data(measured: Measured, verdict: Verdict) -> Json:
    return {
        "method": measured.method,
        "identifier": measured.identifier,
        "name": verdict.name,
        "value": verdict.value,
        "threshold": verdict.threshold,
        "unit": verdict.unit,
        "upper": verdict.is_upper,
        "samples": verdict.samples,
        "verdict": verdict_word(verdict),
        "enforced": verdict.is_enforced,
    }


def verdict_word(verdict: Verdict) -> str:
    """A verdict in a word or two, as in ``pass`` or ``no samples``."""
    if verdict.is_empty:
        return "no samples"
    if verdict.passed:
        return "pass"
    return "FAIL" if verdict.is_enforced else "missed"
