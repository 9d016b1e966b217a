"""What all measurements have in common that ask a Prometheus over the time of a test."""

from __future__ import annotations

import abc
import math
from typing import TYPE_CHECKING, Final, TypeVar

import msgspec

from kubestage.errors import InputError
from kubestage.measure.facilities import Answered
from kubestage.measure.measurement import Measurement
from kubestage.measure.outcome import NOTHING, Later, Outcome, Summary
from kubestage.measure.params import Params
from kubestage.measure.prometheus import api_version
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from kubestage.cluster.access import Cluster, Page
    from kubestage.measure.facilities import Queries, Sample
    from kubestage.measure.measurement import Context
    from kubestage.measure.outcome import Result, Verdict

_CLIENTS: Final = ("inCluster", "managed")
_RETRY_NS: Final = 30_000_000_000
_RETRY_FOR_NS: Final = 900_000_000_000


class AskingParams(Params, frozen=True, kw_only=True):
    """`enable_violations` has a missed threshold fail the test; without it that is only told."""

    prometheus_client: str = "inCluster"
    enable_violations: bool = False


P = TypeVar("P", bound=AskingParams)


class Span(msgspec.Struct, frozen=True):
    """The time that is measured, and the words of the cluster's version for its metrics."""

    began_ns: int
    ended_ns: int
    words: api_version.Words = api_version.NEWEST

    @property
    def seconds(self) -> str:
        """Its length as a query writes it, in whole seconds."""
        return span_text(self.ended_ns - self.began_ns)


def span_text(duration_ns: int) -> str:
    """A time as a query writes it: whole seconds, the rest left off."""
    return f"{duration_ns // SECOND_NS}s"


class Question(msgspec.Struct, frozen=True):
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
    """Notes when it is started; asks about the time since then when it is to gather."""

    needs_version = False

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._began_ns = 0

    def perform(self, params: P) -> Result:
        """Start or gather, unless there is nobody to ask."""
        if params.prometheus_client not in _CLIENTS:
            raise InputError(
                "unknown Prometheus client",
                path="params.prometheusClient",
                fix="use inCluster or managed",
            )
        if self.context.facilities.queries is None:
            return Outcome(skipped="Prometheus is disabled")
        reason = self.disabled(params)
        return Outcome(skipped=reason) if reason else super().perform(params)

    def start(self, params: P) -> Result:
        """From now on."""
        self.configure(params)
        self._began_ns = self.now_ns
        return NOTHING

    def gather(self, params: P) -> Result:
        """Ask, and say what came of it."""
        queries = self.context.facilities.queries
        assert queries is not None, "without it the measurement is skipped"
        return _Gathering(self, params, queries, Span(self._began_ns, self.now_ns)).later

    def disabled(self, params: P) -> str:
        """Why the measurement makes no sense here; empty if it does."""
        del params
        return ""

    def configure(self, params: P) -> None:
        """Keep what only the start is told."""

    @abc.abstractmethod
    def questions(self, params: P, span: Span) -> list[Question]:
        """What to ask."""

    @abc.abstractmethod
    def concluded(self, params: P, span: Span, answers: list[Answered]) -> Outcome:
        """What the answers, in the order of the questions, come to."""

    def outcome(
        self,
        params: P,
        summaries: list[tuple[str, str]],
        verdicts: tuple[Verdict, ...],
        violation: Violation | None = None,
    ) -> Outcome:
        """Summaries by name, verdicts, and a violation as an error where violations are on."""
        unix_ns = self.cluster.moments.unix_ns
        is_error = violation is not None and params.enable_violations
        return Outcome(
            summaries=tuple(Summary(name, content, unix_ns) for name, content in summaries),
            verdicts=verdicts,
            errors=(str(violation),) if is_error else (),
            warnings=(str(violation),) if violation is not None and not is_error else (),
        )


class _Gathering:
    """Questions that are asked one after another."""

    def __init__(
        self, measurement: PrometheusMeasurement[P], params: P, queries: Queries, span: Span
    ) -> None:
        self.later = Later()
        self._measurement = measurement
        self._params = params
        self._queries = queries
        self._span = span
        self._questions: list[Question] = []
        self._answers: list[Answered] = []
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
        self._span = msgspec.structs.replace(self._span, words=api_version.words_of(page))
        self._begin()

    def _begin(self) -> None:
        self._questions = self._measurement.questions(self._params, self._span)
        self._ask_next()

    def _ask_next(self) -> None:
        if len(self._answers) == len(self._questions):
            self.later.resolve(self._concluded())
            return
        self._until_ns = self._cluster.moments.now_ns + _RETRY_FOR_NS
        self._ask()

    def _concluded(self) -> Outcome:
        try:
            return self._measurement.concluded(self._params, self._span, self._answers)
        except InputError as problem:
            return Outcome(errors=(str(problem),))

    def _ask(self) -> None:
        question = self._questions[len(self._answers)]
        self._queries.query(question.expression, question.at_ns, self._answered)

    def _answered(self, answered: Answered) -> None:
        now_ns = self._cluster.moments.now_ns
        # A real Prometheus may be overloaded for a while; the stage's own never is.
        if answered.error and not self._cluster.is_stage and now_ns < self._until_ns:
            self._cluster.moments.at(now_ns + _RETRY_NS, self._ask)
            return
        self._answers.append(_numbers_only(answered))
        self._ask_next()


def _numbers_only(answered: Answered) -> Answered:
    kept = tuple(each for each in answered.samples if not math.isnan(each.value))
    return Answered(kept, answered.error)


def first_error(answers: list[Answered]) -> Outcome | None:
    """The first question that was not answered, as an outcome."""
    for answered in answers:
        if answered.error:
            return Outcome(errors=(f"query error: {answered.error}",))
    return None


def labels_text(sample: Sample, names: tuple[str, ...]) -> tuple[str, ...]:
    """Some labels of a row; one that is missing is empty."""
    return tuple(sample.labels.get(name, "") for name in names)
