"""What the measurements have in common that query a Prometheus over the time of a test."""

from __future__ import annotations

import abc
import json
import math
from http import HTTPStatus
from typing import TYPE_CHECKING, Final, TypeVar

import msgspec

from kubestage.errors import InputError
from kubestage.measure.facilities import QueryAnswer
from kubestage.measure.measurement import Measurement
from kubestage.measure.params import Params
from kubestage.measure.results import (
    NOTHING,
    MeasurementResult,
    PendingResult,
    Summary,
    Verdict,
)
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.cluster.access import Cluster, Page
    from kubestage.measure.facilities import Queries, Sample
    from kubestage.measure.measurement import Context
    from kubestage.measure.results import Result


class MetricNames(msgspec.Struct, frozen=True):
    """The histogram of latencies, and the quantiles that a rule records of it."""

    histogram: str
    quantiles: str


def _metric_names(word: str) -> MetricNames:
    return MetricNames(
        f"apiserver_request_{word}duration_seconds",
        f"apiserver:apiserver_request_{word}latency_1m:histogram_quantile",
    )


NEWEST: Final = _metric_names("sli_")


def metric_names(page: Page) -> MetricNames:
    """The names of the version of ``/version``; the newest where that is unknown."""
    if page.code != HTTPStatus.OK:
        return NEWEST
    try:
        version = json.loads(page.text)
        major, minor = version["major"], version["minor"]
    except (ValueError, KeyError, TypeError):
        return NEWEST
    # Compared as text, as ClusterLoader2 does: a minor version may end with a plus sign.
    if major == "1" and minor < "23":
        return _metric_names("")
    return _metric_names("slo_") if major == "1" and minor < "26" else NEWEST


_CLIENTS: Final = ("inCluster", "managed")
_RETRY_NS: Final = 30_000_000_000
_RETRY_FOR_NS: Final = 900_000_000_000
_UNANSWERED: Final = Verdict(name="samples of its queries", passed=True, samples=0)


class QueryParams(Params, frozen=True, kw_only=True):
    """With `enable_violations` a missed threshold fails the test; without it that is a warning."""

    prometheus_client: str = "inCluster"
    enable_violations: bool = False

    def problems(self) -> Iterator[InputError]:
        """The client is one of the known ones."""
        yield from _client_problems(self)


def _client_problems(params: QueryParams) -> Iterator[InputError]:
    if params.prometheus_client not in _CLIENTS:
        yield InputError(
            "unknown Prometheus client",
            path="params.prometheusClient",
            fix="use inCluster or managed",
        )


P = TypeVar("P", bound=QueryParams)


class MeasuredTime(msgspec.Struct, frozen=True):
    """The time that is measured, and the names of metrics in the cluster's version."""

    began_ns: int
    ended_ns: int
    names: MetricNames = NEWEST

    @property
    def seconds(self) -> str:
        """Its length as a query writes it, in whole seconds."""
        return duration_text(self.ended_ns - self.began_ns)


def duration_text(duration_ns: int) -> str:
    """A duration as a query writes it: whole seconds, rounded down."""
    return f"{duration_ns // SECOND_NS}s"


class InstantQuery(msgspec.Struct, frozen=True):
    """A query and the moment at which it is to be evaluated."""

    expression: str
    at_ns: int


class Violation(msgspec.Struct, frozen=True):
    """A threshold that was missed: of which metric, and how."""

    metric: str
    reason: str

    def __str__(self) -> str:
        return f"{self.metric}: {self.reason}"


class PrometheusMeasurement(Measurement[P], abc.ABC):
    """Records when it is started; ``gather`` queries the time since then."""

    needs_version = False
    actions = ("start", "gather")
    needs_start = True

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._started_ns = 0

    def perform(self, params: P) -> Result:
        """Start or gather, if something answers queries."""
        for problem in _client_problems(params):
            raise problem
        if self.context.facilities.queries is None:
            return MeasurementResult(skipped="Prometheus is disabled")
        reason = self.disabled(params)
        if reason:
            return MeasurementResult(skipped=reason)
        return super().perform(params)

    def start(self, params: P) -> Result:
        """From now on."""
        params.check()
        self.configure(params)
        self._started_ns = self.now_ns
        return NOTHING

    def gather(self, params: P) -> Result:
        """Run the queries, and report the result."""
        queries = self.context.facilities.queries
        assert queries is not None, "without it the measurement is skipped"
        return _Gathering(
            self, params, queries, MeasuredTime(self._started_ns, self.now_ns)
        ).pending

    def disabled(self, params: P) -> str:
        """Why the measurement is skipped here; empty if it is not."""
        del params
        return ""

    def configure(self, params: P) -> None:
        """Store the parameters of ``start``."""

    @abc.abstractmethod
    def instant_queries(self, params: P, measured: MeasuredTime) -> list[InstantQuery]:
        """The queries."""

    @abc.abstractmethod
    def conclude(
        self, params: P, measured: MeasuredTime, answers: list[QueryAnswer]
    ) -> MeasurementResult:
        """The result of the answers, which are in the order of the queries."""

    def build_result(
        self,
        params: P,
        summaries: list[tuple[str, str]],
        verdicts: tuple[Verdict, ...],
        violation: Violation | None = None,
    ) -> MeasurementResult:
        """Summaries by name, verdicts, and a violation as an error where violations are on."""
        unix_ns = self.cluster.moments.unix_ns
        is_error = violation is not None and params.enable_violations
        return MeasurementResult(
            summaries=tuple(Summary(name, content, unix_ns) for name, content in summaries),
            verdicts=verdicts,
            errors=(str(violation),) if is_error else (),
            warnings=(str(violation),) if violation is not None and not is_error else (),
        )


class _Gathering:
    """Queries that are run one after another."""

    def __init__(
        self,
        measurement: PrometheusMeasurement[P],
        params: P,
        queries: Queries,
        measured: MeasuredTime,
    ) -> None:
        self.pending = PendingResult()
        self._measurement = measurement
        self._params = params
        self._queries = queries
        self._measured = measured
        self._instant_queries: list[InstantQuery] = []
        self._answers: list[QueryAnswer] = []
        self._until_ns = 0
        cluster = measurement.cluster
        if measurement.needs_version:
            cluster.raw("/version", self._versioned)
        else:
            cluster.moments.at(cluster.moments.now_ns, self._begin)

    @property
    def _cluster(self) -> Cluster:
        return self._measurement.cluster

    def _versioned(self, page: Page) -> None:
        self._measured = msgspec.structs.replace(self._measured, names=metric_names(page))
        self._begin()

    def _begin(self) -> None:
        self._instant_queries = self._measurement.instant_queries(self._params, self._measured)
        self._request_next()

    def _request_next(self) -> None:
        if len(self._answers) == len(self._instant_queries):
            self.pending.resolve(self._conclude())
            return
        self._until_ns = self._cluster.moments.now_ns + _RETRY_FOR_NS
        self._request()

    def _conclude(self) -> MeasurementResult:
        try:
            result = self._measurement.conclude(self._params, self._measured, self._answers)
        except InputError as problem:
            return MeasurementResult(errors=(str(problem),))
        if result.errors or result.verdicts or any(each.samples for each in self._answers):
            return result
        return msgspec.structs.replace(result, verdicts=(_UNANSWERED,))

    def _request(self) -> None:
        query = self._instant_queries[len(self._answers)]
        self._queries.query(query.expression, query.at_ns, self._answered)

    def _answered(self, answered: QueryAnswer) -> None:
        now_ns = self._cluster.moments.now_ns
        # A real Prometheus may be overloaded for a while; the stage's own never is.
        if answered.error and not self._cluster.is_stage and now_ns < self._until_ns:
            self._cluster.moments.at(now_ns + _RETRY_NS, self._request)
            return
        self._answers.append(_numbers_only(answered))
        self._request_next()


def _numbers_only(answered: QueryAnswer) -> QueryAnswer:
    remaining = tuple(each for each in answered.samples if not math.isnan(each.value))
    return QueryAnswer(remaining, answered.error)


def first_error(answers: list[QueryAnswer]) -> MeasurementResult | None:
    """The first query that failed, as a result."""
    for answered in answers:
        if answered.error:
            return MeasurementResult(errors=(f"query error: {answered.error}",))
    return None


def labels_text(sample: Sample, names: tuple[str, ...]) -> tuple[str, ...]:
    """Some labels of a row; one that is missing is empty."""
    return tuple(sample.labels.get(name, "") for name in names)
