"""Runs side by side: their figures, what changed for pods, and the first decision that differs."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import msgspec

from kubestage.results import charts, timings
from kubestage.results.comparison import DEFAULT_CHECKS, verdicts
from kubestage.runs.notebook import TableResult

if TYPE_CHECKING:
    from collections.abc import Sequence

    from altair.typing import ChartType

    from kubestage.aliases import Json
    from kubestage.results.analysis import Table
    from kubestage.results.comparison import Changes, Comparison, Worse
    from kubestage.results.comparison.verdicts import MeasureWords
    from kubestage.results.timings import RecordedTimings
    from kubestage.results.verdict.verdict import Verdict
    from kubestage.runs.compare.divergence import ExplainedDivergence


@dataclasses.dataclass(frozen=True, slots=True)
class ComparedPair:
    """Two of the runs, by position: the pods that changed, and the first decision that differs."""

    first: int
    second: int
    changes: Changes
    divergence: ExplainedDivergence


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class ComparedRuns(TableResult):
    """Runs of Scenarios side by side; the first is the one that the others are measured by.

    >>> from kubestage import compare
    >>> compare(["runs/before", "runs/after"]).to_pandas()  # doctest: +SKIP
    """

    comparison: Comparison
    """The figures of all runs."""

    pairs: list[ComparedPair]
    """What changed, pair by pair; none unless differences were to be explained."""

    notes: list[str]
    """What the runs do not have in common."""

    timings: tuple[RecordedTimings, ...] | None
    """How long scheduling took in each run, if that is known of all."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the runs."""
        return self.comparison.names

    @property
    def durations(self) -> Table | None:
        """How long scheduling took, run by run, if that is known of all."""
        return None if self.timings is None else timings.side_by_side(self.names, self.timings)

    @property
    def explanation_notes(self) -> list[str]:
        """Notes about the explanations of attempts."""
        return [note for pair in self.pairs for note in pair.divergence.notes]

    def headline(self) -> str:
        """The runs, and how many pods changed between them."""
        parts = [
            f"{self.names[each.second]} against {self.names[each.first]}: "
            f"{len(each.changes.found)} of {each.changes.pods} pods ended differently"
            for each in self.pairs
        ]
        return "; ".join(parts)

    def table(self) -> Table:
        """All figures: a row for each run and measure."""
        return self.comparison.table()

    def chart(self) -> ChartType:
        """The runs side by side."""
        return charts.compared_runs(self.comparison)

    def charts(self) -> dict[str, ChartType]:
        """Every chart of the comparison, by name."""
        drawn = {"comparison": self.chart()}
        if self.timings is not None:
            drawn["timings"] = charts.compared_timings(self.names, self.timings)
        return drawn

    def verdict(self, words: MeasureWords, metrics: Sequence[str] = ()) -> Verdict:
        """What got worse than in the first run, by these measures or the default ones."""
        checks = metrics or DEFAULT_CHECKS
        figures = self.comparison
        known = [each for each in figures.measures if any(v is not None for v in each.values)]
        checked, worse = figures.checked(checks), figures.worse(checks)
        return verdicts.of(self.names, known, checked, worse, words, self.notes)

    def to_dict(self, worse: Sequence[Worse] = ()) -> Json:
        """All that is known; docs/compare.md describes it."""
        known = {
            "runs": [
                {"name": name, "summary": msgspec.to_builtins(summary)}
                for name, summary in zip(self.names, self.comparison.summaries, strict=True)
            ],
            "notes": list(self.notes),
            "measures": [
                {
                    "measure": each.name,
                    "resource": each.resource,
                    "better": each.better,
                    **({} if each.currency is None else {"currency": each.currency}),
                    "values": list(each.values),
                    "deltas": [each.delta(at) for at in range(len(self.names))],
                    "best": [self.names[at] for at in sorted(each.best)],
                }
                for each in self.comparison.measures
            ],
            "pairs": [self._pair(each) for each in self.pairs],
            "worse": [
                {
                    "run": each.run,
                    "measure": each.measure.key,
                    "first": each.measure.values[0],
                    "value": each.measure.values[each.at],
                }
                for each in worse
            ],
        }
        durations = self.durations
        return known if durations is None else {**known, "timings": list(durations.records())}

    def _pair(self, pair: ComparedPair) -> Json:
        found = pair.divergence.divergence
        divergence = None
        if found is not None:
            explanations = list(pair.divergence.explanations)
            divergence = {**msgspec.to_builtins(found), "explanations": explanations}
        return {
            "first": self.names[pair.first],
            "second": self.names[pair.second],
            "pods": pair.changes.pods,
            "changed": pair.changes.counts,
            "changes": msgspec.to_builtins(pair.changes.found),
            "divergence": divergence,
            "unknown": pair.divergence.unknown,
        }
