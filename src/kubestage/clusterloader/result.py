"""What a run came to: its steps, its verdicts, and all that it measured."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

import msgspec

from kubestage.clusterloader.call_log import CallLog
from kubestage.measure import registry

if TYPE_CHECKING:
    from kubestage.measure.results import Latencies, MeasurementResult, Series, Summary, Verdict


class Outcome(enum.StrEnum):
    """What a run came to, in a word or two."""

    PASSED = "passed"
    FAILED = "failed"
    INTERRUPTED = "interrupted"
    NOTHING_MEASURED = "nothing measured"


class Substep(msgspec.Struct, frozen=True):
    """A measurement of a step, or all its phases together: how long it took, what went wrong.

    `skipped` is why the measurement did nothing, if it did nothing.
    """

    name: str
    took_ns: int
    errors: tuple[str, ...]
    skipped: str = ""


class StepResult(msgspec.Struct, frozen=True):
    """One step: when it began and ended, and what it consisted of.

    `is_named` is whether the configuration names the step: such a step is timed.
    """

    number: int
    name: str
    began_ns: int
    took_ns: int
    is_named: bool
    substeps: tuple[Substep, ...]

    @property
    def errors(self) -> list[str]:
        """All that went wrong."""
        return [error for substep in self.substeps for error in substep.errors]


class Measured(msgspec.Struct, frozen=True):
    """What one measurement found, and at which step."""

    method: str
    identifier: str
    step: int
    outcome: MeasurementResult


class LoadResult(msgspec.Struct, kw_only=True):
    """A whole run. It passed if there is no error and something was measured, if anything was to
    be.
    """

    name: str
    identifier: str
    path: str
    began_unix_ns: int
    began_ns: int
    took_ns: int = 0
    steps: list[StepResult] = msgspec.field(default_factory=list)
    measured: list[Measured] = msgspec.field(default_factory=list)
    errors: list[str] = msgspec.field(default_factory=list)
    warnings: list[str] = msgspec.field(default_factory=list)
    chaos: str = ""
    calls: CallLog = msgspec.field(default_factory=CallLog)
    is_interrupted: bool = False
    is_fatal: bool = False

    @property
    def passed(self) -> bool:
        """Whether nothing failed, it was not interrupted, and not all measurements are empty."""
        return self.outcome is Outcome.PASSED

    @property
    def outcome(self) -> Outcome:
        """What it came to."""
        if self.is_interrupted:
            return Outcome.INTERRUPTED
        if self.errors:
            return Outcome.FAILED
        return Outcome.NOTHING_MEASURED if self._measures_nothing() else Outcome.PASSED

    def _measures_nothing(self) -> bool:
        """Whether there are measurements, and each was skipped or had no sample."""
        empty: dict[tuple[str, str], bool] = {}
        for each in self.measured:
            outcome, key = each.outcome, (each.method, each.identifier)
            if each.method not in registry.ACTING or outcome.skipped:
                empty[key] = empty.get(key, False) or bool(outcome.skipped) or outcome.is_empty
        return bool(empty) and all(empty.values())

    @property
    def test_name(self) -> str:
        """What the run is called in reports: the scenario of a suite, or the configuration."""
        return self.identifier or self.name

    def chaos_events(self) -> list[str]:
        """What the chaos monkey did, a line for each; there is a line even if it did nothing."""
        if not self.chaos:
            return []
        found = [line.removeprefix("NodeKiller: ") for line in self.chaos.splitlines()[2:]]
        return found or ["no node was made to fail"]

    def summaries(self) -> list[Summary]:
        """The files that measurements have written, in order."""
        return [each for measured in self.measured for each in measured.outcome.summaries]

    def verdicts(self) -> list[tuple[Measured, Verdict]]:
        """All verdicts, and whose they are."""
        return [(each, verdict) for each in self.measured for verdict in each.outcome.verdicts]

    def latencies(self) -> list[tuple[Measured, Latencies]]:
        """What was observed of each object, and by which measurement."""
        return [(each, found) for each in self.measured for found in each.outcome.latencies]

    def series(self) -> list[tuple[Measured, Series]]:
        """What was observed over time, and by which measurement."""
        return [(each, found) for each in self.measured for found in each.outcome.series]

    def skipped(self) -> list[tuple[Measured, str]]:
        """Measurements without a result, and why; each once."""
        found: dict[tuple[str, str, str], tuple[Measured, str]] = {}
        for each in self.measured:
            if each.outcome.skipped:
                key = (each.method, each.identifier, each.outcome.skipped)
                found.setdefault(key, (each, each.outcome.skipped))
        return list(found.values())
