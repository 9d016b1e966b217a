"""Prometheuses by hand: one that answers by script, and one over series that are written out."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from kubestage.errors import InputError
from kubestage.measure import params as typing_of_params
from kubestage.measure.facilities import Facilities, QueryAnswer, Sample
from kubestage.measure.measurement import Context
from kubestage.measure.prometheus.rules import RULES
from kubestage.measure.registry import Registry
from kubestage.promql import queries
from kubestage.promql.evaluation import VERSION_2
from kubestage.promql.recording import RuleBook
from kubestage.promql.series import SeriesStore
from kubestage.sim.streams import Streams

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.measure.facilities import Queries
    from kubestage.measure.measurement import Measurement
    from kubestage.measure.results import MeasurementResult
    from tests.measure.fake_cluster import FakeCluster

Rows = list[tuple[dict[str, str], float]]


class ScriptedQueries:
    """Answers the first word of its script that a query contains; nothing to all others."""

    def __init__(self, cluster: FakeCluster, script: dict[str, Rows | str] | None = None) -> None:
        self.script = {} if script is None else script
        self.asked: list[tuple[str, int]] = []
        self._moments = cluster.moments

    def query(self, expression: str, at_ns: int, done: Callable[[QueryAnswer], None]) -> None:
        """Answer at this instant, but not from here."""
        self.asked.append((expression, at_ns))
        found = next((rows for word, rows in self.script.items() if word in expression), [])
        if isinstance(found, str):
            answered = QueryAnswer(error=found)
        else:
            answered = QueryAnswer(tuple(Sample(labels, value) for labels, value in found))
        self._moments.at(self._moments.now_ns, functools.partial(done, answered))


class WrittenQueries:
    """Answers from series that are given as one value per minute, the first at time zero."""

    def __init__(self, cluster: FakeCluster, series: dict[str, list[float]]) -> None:
        self.store = SeriesStore()
        self._moments = cluster.moments
        begin_ms = cluster.moments.unix_ns // 1_000_000
        for text, values in series.items():
            name, _, rest = text.partition("{")
            pairs = [pair.split("=") for pair in rest.rstrip("}").split(",") if pair]
            labels = {"__name__": name, **{key: value.strip('"') for key, value in pairs}}
            for index, value in enumerate(values):
                self.store.append(labels, begin_ms + index * 60_000, value)
        self._book = RuleBook(
            self.store, RULES, interval_ms=60_000, begin_ms=begin_ms, settings=VERSION_2
        )

    def query(self, expression: str, at_ns: int, done: Callable[[QueryAnswer], None]) -> None:
        """Answer at this instant, but not from here."""
        unix_ns = self._moments.unix_ns - self._moments.now_ns + at_ns
        try:
            self._book.catch_up(expression, unix_ns // 1_000_000)
            answer = queries.evaluate(self.store, expression, unix_ns, settings=VERSION_2)
        except InputError as problem:
            answered = QueryAnswer(error=str(problem))
        else:
            assert isinstance(answer, tuple)
            answered = QueryAnswer(tuple(Sample(dict(each.labels), each.value) for each in answer))
        self._moments.at(self._moments.now_ns, functools.partial(done, answered))


class Bench:
    """A measurement of a name, with a cluster and whatever it is to ask."""

    def __init__(self, method: str, cluster: FakeCluster, **facilities: Any) -> None:
        self.cluster = cluster
        chance = Streams(1).stream("measure")
        context = Context(method, "own-name", cluster, chance, Facilities(**facilities))
        self.measurement: Measurement[Any] = Registry().find(method)(context)

    def perform(self, **raw: Any) -> MeasurementResult:
        """Do as parameters say that a configuration writes, and let all answers come."""
        typed, warnings = typing_of_params.typed(self.measurement.params_type, raw)
        assert not warnings
        result = self.measurement.perform(typed)
        description: list[MeasurementResult] = []
        if hasattr(result, "then"):
            result.then(description.append)
            self.cluster.moments.run()
            return description[0]
        return result


def measured(
    method: str, asked: Queries, cluster: FakeCluster, minutes: float = 10, **params: Any
) -> MeasurementResult:
    """What a measurement gathers that was started some minutes ago with the same parameters."""
    bench = Bench(method, cluster, queries=asked)
    bench.perform(action="start", **params)
    cluster.moments.run(60 * minutes)
    return bench.perform(action="gather", **params)
