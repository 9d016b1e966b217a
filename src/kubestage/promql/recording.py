"""Recording rules: expressions whose results are stored as series.

Prometheus evaluates them as time goes by. Here they are evaluated when a query selects
their series: all instants since the last time at once, with the same result.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec
import numpy as np

from kubestage.promql import nodes, parser, queries
from kubestage.promql.evaluation import VERSION_3
from kubestage.promql.matchers import NAME
from kubestage.promql.series import STALE, Axis, labels_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kubestage.promql.evaluation import Settings
    from kubestage.promql.frames import Frame, Times
    from kubestage.promql.matchers import Matcher
    from kubestage.promql.nodes import Node
    from kubestage.promql.series import Labels, SeriesStore

_AT_ONCE: Final = 256
"""How many instants are evaluated together.

NOTE: all 1,100 of a load with 5,000 nodes took 80 MB at its end (benchmarks/load.py)."""


class Rule(msgspec.Struct, frozen=True):
    """An expression, the name of the series that it records, and labels that are added to them."""

    record: str
    expression: str
    labels: dict[str, str] = msgspec.field(default_factory=dict)


class RuleBook:
    """Rules over a store, evaluated at the multiples of an interval from a time on."""

    def __init__(
        self,
        store: SeriesStore,
        rules: Sequence[Rule],
        *,
        interval_ms: int,
        begin_ms: int,
        settings: Settings = VERSION_3,
    ) -> None:
        self._store = store
        self._settings = settings
        self._interval_ms = interval_ms
        self._pages = [_Page(rule, -(-begin_ms // interval_ms) * interval_ms) for rule in rules]

    def catch_up(self, expression: str, until_ms: int) -> None:
        """Evaluate the rules whose series an expression selects, and the rules that those use."""
        self._catch_up(list(_selectors(parser.parse(expression))), until_ms, frozenset())

    def _catch_up(
        self, selectors: list[tuple[Matcher, ...]], until_ms: int, busy: frozenset[str]
    ) -> None:
        for page in self._pages:
            record = page.rule.record
            if page.next_ms > until_ms or record in busy:
                continue
            if any(_may_name(matchers, record) for matchers in selectors):
                inner = list(_selectors(parser.parse(page.rule.expression)))
                self._catch_up(inner, until_ms, busy | {record})
                page.evaluate(self._store, until_ms, self._interval_ms, self._settings)


class _Page:
    """A rule and how far it has been evaluated."""

    def __init__(self, rule: Rule, next_ms: int) -> None:
        self.rule = rule
        self.next_ms = next_ms
        self._axis = Axis()
        self._lit: set[Labels] = set()

    def evaluate(
        self, store: SeriesStore, until_ms: int, interval_ms: int, settings: Settings
    ) -> None:
        """Add the results of the rule at every instant up to a time."""
        instants = np.arange(self.next_ms, until_ms + 1, interval_ms, dtype=np.int64)
        for first in range(0, len(instants), _AT_ONCE):
            times = instants[first : first + _AT_ONCE]
            frame = queries.evaluate_range(store, self.rule.expression, times, settings=settings)
            self.next_ms = int(times[-1]) + interval_ms
            self._keep(store, times, frame)

    def _keep(self, store: SeriesStore, times: Times, frame: Frame) -> None:
        labels = [self._named(each) for each in frame.labels]
        for column, at_ms in enumerate(times.tolist()):
            self._axis.append(at_ms)
            present = np.flatnonzero(frame.present[:, column])
            lit = {labels[row] for row in present}
            for row in present:
                series = store.series(labels[row], self._axis)
                series.put(float(frame.values[row, column]))
            for gone in sorted(self._lit - lit):
                store.series(gone, self._axis).put(STALE)
            self._lit = lit

    def _named(self, labels: Labels) -> Labels:
        return labels_of({**dict(labels), **self.rule.labels, NAME: self.rule.record})


def _selectors(node: Node) -> Iterator[tuple[Matcher, ...]]:
    """The matchers of all selectors of an expression."""
    if isinstance(node, nodes.Selector):
        yield node.matchers
    for name in node.__struct_fields__:
        child = getattr(node, name)
        for each in child if isinstance(child, tuple) else (child,):
            if isinstance(each, nodes.Node):
                yield from _selectors(each)


def _may_name(matchers: tuple[Matcher, ...], record: str) -> bool:
    return all(each.matches(record) for each in matchers if each.name == NAME)
