"""Living runs side by side: the figures of their summaries."""

from __future__ import annotations

import dataclasses
import pathlib
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.errors import InputError
from kubestage.objects import prices
from kubestage.results import charts, run_directory, timings
from kubestage.results.analysis.table import Kind, Table, columns
from kubestage.results.comparison import packed_ends, verdicts
from kubestage.results.life import comparison, cost_summary, node_steps, wording
from kubestage.results.statistics import verdicts as chances
from kubestage.runs.compare import spare_nodes
from kubestage.runs.notebook import TableResult
from kubestage.runs.observer import SILENT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from altair.typing import ChartType

    from kubestage.aliases import Json
    from kubestage.results.agreement import ReplayAgreement
    from kubestage.results.comparison import Measure, Worse
    from kubestage.results.comparison.packed_ends import PackedEnd
    from kubestage.results.comparison.verdicts import MeasureWords
    from kubestage.results.life.life import Life
    from kubestage.results.life.node_steps import NodeDivergence
    from kubestage.results.life.paired import PairedDifference
    from kubestage.results.verdict.verdict import Verdict
    from kubestage.runs.observer import Observer

_TABLE: Final = columns(
    measure=Kind.TEXT,
    subject=Kind.TEXT,
    run=Kind.TEXT,
    value=Kind.FLOAT,
    delta=Kind.FLOAT,
    best=Kind.INT,
)


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class ComparedLives(TableResult):
    """Living runs side by side; the first is the one that the others are measured by."""

    names: tuple[str, ...]
    """The names of the runs."""

    measures: list[Measure]
    """The figures of all runs."""

    durations: Table | None
    """How long scheduling took, run by run, if that is known of all."""

    notes: list[str]
    """What the runs do not have in common."""

    currency: str = prices.DEFAULT_CURRENCY
    """That of costs; what another run has in another one is not compared."""

    agreement: ReplayAgreement | None = None
    """Of a recording: how far a replay under the recorded settings agrees with it."""

    divergences: tuple[NodeDivergence | None, ...] = ()
    """Where each run but the first buys or removes another node first; of the first seed."""

    seeds: tuple[int, ...] = ()
    """Where every run is one of several seeds: the measures are means over them."""

    differences: tuple[PairedDifference, ...] = ()
    """Of several seeds: how each run differs from the first, seed by seed."""

    lives: tuple[Life, ...] = ()
    """The runs themselves; of several seeds, those with the first."""

    checks: tuple[str, ...] = ()
    """What must not get worse unless measures are named; else the measures of requests."""

    def worse(self, metrics: Sequence[str] | None = None) -> list[Worse]:
        """The measures, the default ones or these, in which a run is worse than the first.

        Of several seeds, those of which that is more than chance.
        """
        found = comparison.worse(self.names, self.measures, metrics or self._checks())
        if not self.differences:
            return found
        sure = {
            (each.measure, each.run) for each in self.differences if each.verdict == chances.WORSE
        }
        return [each for each in found if (each.measure.key, each.run) in sure]

    def _checks(self) -> list[str] | None:
        known = {each.name for each in self.measures}
        return [each for each in self.checks if each in known] or None

    def verdict(self, words: MeasureWords, metrics: Sequence[str] = ()) -> Verdict:
        """What got worse than in the first run, by these measures or the default ones."""
        checked = comparison.checked(self.measures, metrics or self._checks())
        worse = self.worse(metrics or None)
        return verdicts.of(self.names, self.measures, checked, worse, words, self.notes)

    def spending(self) -> list[tuple[str, str, tuple[float | None, ...]]]:
        """What was paid in each run, by pool, capacity type, instance type, namespace, workload.

        Of several seeds, with the first.
        """
        return cost_summary.side_by_side([each.summary for each in self.lives])

    def table(self) -> Table:
        """All figures: a row for each run and measure."""
        rows: list[tuple[Any, ...]] = [
            (
                each.name,
                each.resource,
                name,
                each.values[at],
                each.delta(at) if at else None,
                int(at in each.best),
            )
            for each in self.measures
            for at, name in enumerate(self.names)
        ]
        return Table(_TABLE, rows)

    def chart(self) -> ChartType:
        """The nodes of all runs as they live; without any that moves, the pods that wait."""
        drawn = self.charts()
        return drawn.get("lifetimes") or drawn["pending"]

    def charts(self) -> dict[str, ChartType]:
        """The runs side by side, by name: nodes, money, pods that wait, evictions."""
        remark = ""
        if len(self.seeds) > 1:
            remark = f"With seed {self.seeds[0]}, the first of {len(self.seeds)}"
        return charts.compared_lives(self.names, self.lives, remark)

    def to_dict(self) -> Json:
        """All figures; docs/compare.md describes it."""
        measures = [
            {
                "measure": each.name,
                "subject": each.resource,
                "better": each.better,
                "values": list(each.values),
                "deltas": [each.delta(at) for at in range(len(self.names))],
                "best": [self.names[at] for at in sorted(each.best)],
            }
            for each in self.measures
        ]
        known: Json = {"runs": list(self.names), "measures": measures, "currency": self.currency}
        if self.durations is not None:
            known["timings"] = list(self.durations.records())
        if self.agreement is not None:
            known["agreement"] = msgspec.to_builtins(self.agreement)
        spending = self.spending()
        if spending:
            known["spending"] = [
                {"by": by, "name": name, "costs": list(costs)} for by, name, costs in spending
            ]
        if self.divergences:
            known["divergences"] = msgspec.to_builtins(self.divergences)
        if self.seeds:
            known["seeds"] = list(self.seeds)
            known["differences"] = msgspec.to_builtins(self.differences)
        return known


def are_lives(inputs: Sequence[str]) -> bool:
    """Whether all inputs are living runs; InputError if only some are."""
    lives = [run_directory.is_life(each) for each in inputs if pathlib.Path(each).exists()]
    if len(lives) < len(inputs):
        # An input that does not exist is refused when it is opened.
        return False
    if any(lives) and not all(lives):
        odd = inputs[lives.index(not lives[0])]
        raise InputError(
            "living runs and runs of Scenarios cannot be compared",
            file=str(odd),
            fix="name runs of one sort",
        )
    return all(lives)


def compare(inputs: Sequence[str], observer: Observer | None = SILENT) -> ComparedLives:
    """Compare living runs that were kept.

    What is left over on their nodes at the end is left out without an `observer`.
    """
    ends = [] if observer is None else [spare_nodes.of_life(each, observer) for each in inputs]
    names = _short(inputs)
    lives = [run_directory.open_life(each)[0] for each in inputs]
    return side_by_side(names, lives, _durations(inputs, names), ends)


def side_by_side(
    names: Sequence[str],
    lives: Sequence[Life],
    durations: Table | None = None,
    ends: Sequence[PackedEnd] = (),
) -> ComparedLives:
    """Compare living runs, and what is left over on their nodes at the end."""
    notes = []
    currencies = {_currency(each) for each in lives if each.summary["cost"] is not None}
    if len(currencies) > 1:
        notes.append(f"costs are in {', '.join(sorted(currencies))}: they cannot be compared")
    for name, each in zip(names[1:], lives[1:], strict=True):
        if each.seconds != lives[0].seconds:
            first, other = (wording.moment(one.seconds) for one in (lives[0], each))
            notes.append(f"{names[0]} lived for {first}, {name} for {other}")
    return ComparedLives(
        names=tuple(names),
        measures=[
            *comparison.measures([each.summary for each in lives]),
            *packed_ends.figures(ends),
        ],
        durations=durations,
        notes=notes,
        currency=_currency(lives[0]),
        divergences=divergences(lives),
        lives=tuple(lives),
    )


def divergences(lives: Sequence[Life]) -> tuple[NodeDivergence | None, ...]:
    """Where the nodes of each run part from those of the first; none if no node ever moves."""
    if not any(each.rows("lifetimes") for each in lives):
        return ()
    return tuple(node_steps.divergence(lives[0], each) for each in lives[1:])


def _currency(life: Life) -> str:
    """That of a run; one that an earlier version has kept has none."""
    found: str = life.summary.get("currency") or prices.DEFAULT_CURRENCY
    return found


def _durations(inputs: Sequence[str], names: Sequence[str]) -> Table | None:
    known = [found for each in inputs if (found := timings.beside(each)) is not None]
    return timings.side_by_side(names, known) if len(known) == len(inputs) else None


def _short(inputs: Sequence[str]) -> list[str]:
    """The names of directories, if these distinguish the runs."""
    last = [pathlib.Path(each).name for each in inputs]
    return last if len(set(last)) == len(last) else list(inputs)
