"""The stage's own Prometheus: scrapes its components in virtual time and answers PromQL."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Final, Protocol

from kubestage.errors import InputError
from kubestage.measure.facilities import QueryAnswer, Sample
from kubestage.measure.prometheus import rules as own_rules
from kubestage.measure.prometheus.scraping import SYSTEM, Scrape
from kubestage.promql import queries
from kubestage.promql.evaluation import VERSION_2
from kubestage.promql.recording import RuleBook
from kubestage.promql.series import SeriesStore
from kubestage.units import MILLISECOND_NS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from kubestage.cluster.access import Moments, Timer
    from kubestage.measure.prometheus.scraping import Target
    from kubestage.metrics.families import Family
    from kubestage.promql.recording import Rule

INTERVAL_NS: Final = 5_000_000_000
"""How often ClusterLoader2's Prometheus scrapes the control plane."""


class Scraped(Protocol):
    """A cluster whose metrics can be read directly."""

    @property
    def moments(self) -> Moments:
        """The time, and callbacks at times."""

    def families(self, component: str) -> Iterable[Family]:
        """The metrics of a component, up to date."""


class MetricsStore:
    """Scrapes targets from now on, and answers queries of the samples.

    It answers as the Prometheus 2 of ClusterLoader2, and has its recording rules by default.
    """

    def __init__(
        self,
        cluster: Scraped,
        *,
        interval_ns: int = INTERVAL_NS,
        targets: Sequence[Target] = SYSTEM,
        rules: Sequence[Rule] = own_rules.RULES,
    ) -> None:
        self.series = SeriesStore()
        self._cluster = cluster
        self._moments = cluster.moments
        self._interval_ns = interval_ns
        self._scrapes = [Scrape(target, self.series) for target in targets]
        self._book = RuleBook(
            self.series,
            rules,
            interval_ms=own_rules.INTERVAL_MS,
            begin_ms=self._moments.unix_ns // MILLISECOND_NS,
            settings=VERSION_2,
        )
        self._timer: Timer | None = self._moments.at(self._moments.now_ns, self._scrape)

    def stop(self) -> None:
        """Stop scraping; queries still work."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def query(self, expression: str, at_ns: int, done: Callable[[QueryAnswer], None]) -> None:
        """Evaluate at a moment of the run; the answer comes at this instant, but not from here."""
        answered = self._answered(expression, at_ns)
        self._moments.at(self._moments.now_ns, functools.partial(done, answered))

    def _scrape(self) -> None:
        now_ns, at_ms = self._moments.now_ns, self._moments.unix_ns // MILLISECOND_NS
        for scrape in self._scrapes:
            if scrape.due_ns <= now_ns:
                scrape.take(self._cluster.families(scrape.target.component), at_ms)
                scrape.due_ns = now_ns + scrape.target.interval_ns
        next_ns = now_ns + self._interval_ns
        self._timer = self._moments.at(next_ns, self._scrape)

    def _answered(self, expression: str, at_ns: int) -> QueryAnswer:
        unix_ns = self._moments.unix_ns - self._moments.now_ns + at_ns
        try:
            self._book.catch_up(expression, unix_ns // MILLISECOND_NS)
            answer = queries.evaluate(self.series, expression, unix_ns, settings=VERSION_2)
        except InputError as problem:
            return QueryAnswer(error=str(problem))
        if not isinstance(answer, tuple):
            kind = "string" if isinstance(answer, str) else "scalar"
            return QueryAnswer(error=f"extracting error: incorrect response type: {kind}")
        return QueryAnswer(tuple(Sample(dict(point.labels), point.value) for point in answer))
