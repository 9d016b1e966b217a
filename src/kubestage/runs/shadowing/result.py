"""What was predicted, and how often it came true."""

from __future__ import annotations

from typing import Any

import msgspec

from kubestage.results.analysis.table import Column, Kind, Table
from kubestage.runs import notebook
from kubestage.wording import plural

_COLUMNS = (
    Column("predicted", Kind.TEXT), Column("count", Kind.INT), Column("hits", Kind.INT),
    Column("share", Kind.TEXT),
)  # fmt: skip


class PlacementCounts(msgspec.Struct, kw_only=True):
    """Pods that got a node."""

    predicted: int = 0
    same_node: int = 0
    best: int = 0
    """On one of the nodes that are equally good by the state just before."""
    possible: int = 0
    """The same, for a scheduler that evaluates a part of many nodes."""
    feasible: int = 0
    first_best: int = 0
    """On one of the best nodes as they were when the pod was first seen."""
    unseen: int = 0
    """That had a node when they were first seen, so that nothing could be predicted."""
    others: int = 0
    """Of schedulers without a profile, or put on a node by no scheduler."""


class StepCounts(msgspec.Struct, kw_only=True):
    """Changes of the replicas that an HPA desires."""

    steps: int = 0
    exact: int = 0
    direction: int = 0
    """Up or down as predicted, the exact ones included."""
    unknown: int = 0
    """Of HPAs whose metrics cannot be read here."""
    false_alarms: int = 0
    """Steps that were predicted and did not come."""


class ArrivalCounts(msgspec.Struct, kw_only=True):
    """New nodes."""

    arrivals: int = 0
    expected: int = 0
    """Of a pool in which pods would fit that fitted nowhere."""
    unexpected: int = 0
    """Although no pod waited for one, or of another pool."""


class ShadowStatus(msgspec.Struct, frozen=True, kw_only=True):
    """How far a shadow is, and how well it does."""

    elapsed_s: float
    nodes: int
    objects: int
    pending: int
    """Pods with a prediction, and without a node."""
    placements: PlacementCounts
    steps: StepCounts
    arrivals: ArrivalCounts
    behind_s: float
    problems: list[str]

    def text(self) -> str:
        """One line."""
        found = self.placements
        parts = [f"{plural(found.predicted, 'placement')}"]
        if found.predicted:
            parts[0] += (
                f": {share(found.possible, found.predicted)} among the best nodes, "
                f"{share(found.feasible, found.predicted)} among those that fit"
            )
        if self.steps.steps:
            parts.append(f"{plural(self.steps.steps, 'HPA step')}, {self.steps.exact} exact")
        if self.arrivals.arrivals:
            arrived = plural(self.arrivals.arrivals, "new node")
            parts.append(f"{arrived}, {self.arrivals.expected} expected")
        parts.append(f"{self.pending} pending on {plural(self.nodes, 'node')}")
        if self.problems:
            parts.append(f"interrupted for {self.behind_s:.0f} s: {self.problems[0]}")
        return "; ".join(parts)


class ShadowResult(notebook.TableResult, msgspec.Struct, frozen=True, kw_only=True):
    """The end of a shadow: its hit rates, the last misses, and answers to questions."""

    status: ShadowStatus
    misses: list[dict[str, Any]]
    """The last hundred; `ShadowOptions.out` has all."""
    answers: list[dict[str, Any]]
    notes: list[str]

    def headline(self) -> str:
        """The hit rates."""
        return self.status.text()

    def table(self) -> Table:
        """One row for each sort of prediction."""
        found, steps, arrivals = self.status.placements, self.status.steps, self.status.arrivals
        rows: list[tuple[object, ...]] = [
            _row("placement on the very node", found.predicted, found.same_node),
            _row("placement among the best nodes", found.predicted, found.best),
            _row("the same, of a sample of nodes", found.predicted, found.possible),
            _row("placement on a node that fits", found.predicted, found.feasible),
            _row("placement as first predicted", found.predicted, found.first_best),
            _row("HPA step", steps.steps - steps.unknown, steps.exact),
            _row("direction of an HPA step", steps.steps - steps.unknown, steps.direction),
            _row("new node", arrivals.arrivals, arrivals.expected),
        ]
        return Table(_COLUMNS, rows)


def _row(name: str, count: int, hits: int) -> tuple[object, ...]:
    return name, count, hits, share(hits, count)


def share(hits: int, count: int) -> str:
    """A percentage; a dash of nothing."""
    return f"{100 * hits / count:.1f}%" if count else "-"
