"""Several runs compared: the first is the one that the others are measured by."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kubestage.errors import InputError
from kubestage.results.analysis.digest import digest
from kubestage.results.analysis.overview import summary
from kubestage.results.analysis.table import Kind, Table, columns
from kubestage.results.comparison import measures, packed_ends, placements
from kubestage.results.comparison.divergence import first_divergence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.results.analysis.digest import Run
    from kubestage.results.comparison.divergence import Divergence
    from kubestage.results.comparison.measures import Measure, Worse
    from kubestage.results.comparison.packed_ends import PackedEnd
    from kubestage.results.comparison.placements import Changes

_TABLE: Final = columns(
    measure=Kind.TEXT,
    resource=Kind.TEXT,
    run=Kind.TEXT,
    value=Kind.FLOAT,
    delta=Kind.FLOAT,
    best=Kind.INT,
)


class Named(NamedTuple):
    """A run and what to call it; the run is a Scenario, its status, or a digest."""

    name: str
    run: Run


class Comparison:
    """Runs side by side. Runs go by their position; their names are `names`."""

    def __init__(self, runs: Sequence[Named], ends: Sequence[PackedEnd | None] = ()) -> None:
        self.names = tuple(each.name for each in runs)
        self.digests = tuple(digest(each.run) for each in runs)
        self.summaries = tuple(summary(each) for each in self.digests)
        self.measures = measures.measures(self.summaries, packing=packed_ends.figures(ends))

    def changes(self, first: int, second: int) -> Changes:
        """The pods of which not the same became in two runs."""
        return placements.changes(self.digests[first], self.digests[second])

    def first_divergence(self, first: int, second: int) -> Divergence | None:
        """The first decision in which two runs part."""
        return first_divergence(self.digests[first], self.digests[second])

    def worse(self, metrics: Sequence[str] = measures.DEFAULT_CHECKS) -> list[Worse]:
        """Those of these measures in which a run is worse than the first."""
        return [
            measures.Worse(name, measure, at)
            for measure in self.checked(metrics)
            for at, name in enumerate(self.names)
            if measure.is_worse(at)
        ]

    def checked(self, metrics: Sequence[str] = measures.DEFAULT_CHECKS) -> list[Measure]:
        """The measures of these names."""
        return measures.chosen(self.measures, metrics)

    def table(self) -> Table:
        """All measures: a row for each run; `best` is 1 where no run has a better value."""
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


def compare(runs: Sequence[Named], ends: Sequence[PackedEnd | None] = ()) -> Comparison:
    """Put runs side by side; needs nothing but their statuses.

    What is left over on nodes at the end of each run is not in a status: `ends`, if that is known.
    """
    if not runs:
        raise InputError("there is no run to compare")
    return Comparison(runs, ends)
