"""GenericPrometheusQuery: any queries, with thresholds, as one file for perfdash."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

import msgspec

from kubestage.errors import InputError
from kubestage.golang import floats
from kubestage.measure.perf_data import DataItem, PerfData
from kubestage.measure.prometheus.query_measurement import (
    InstantQuery,
    PrometheusMeasurement,
    QueryParams,
    Violation,
    first_error,
    labels_text,
)
from kubestage.measure.results import Verdict
from kubestage.promql import parser
from kubestage.promql.query_errors import QueryError, UnknownFunctionError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.measure.facilities import QueryAnswer, Sample
    from kubestage.measure.measurement import Context
    from kubestage.measure.prometheus.query_measurement import MeasuredTime
    from kubestage.measure.results import MeasurementResult

NAME: Final = "GenericPrometheusQuery"
_WINDOW: Final = "%v"


class GenericQuery(msgspec.Struct, frozen=True, rename="camel"):
    """A query, what its value is called, and what that may be at most (or at least)."""

    name: str = ""
    query: str = ""
    threshold: float | None = None
    lower_bound: bool = False
    require_samples: bool = False


class GenericParams(QueryParams, frozen=True, kw_only=True):
    """All but the action is for ``start``; ``%v`` in a query stands for the time measured."""

    ignores_case: ClassVar[bool] = True

    metric_name: str = ""
    metric_version: str = ""
    unit: str = ""
    dimensions: tuple[str, ...] = ()
    queries: tuple[GenericQuery, ...] = ()

    def problems(self) -> Iterator[InputError]:
        """What ``start`` requires, in upstream's order and words."""
        yield from super().problems()
        if self.action != "start":
            return
        required = (
            ("metricName", self.metric_name),
            ("metricVersion", self.metric_version),
            ("unit", self.unit),
        )
        for key, text in required:
            if not text:
                yield InputError(f"{key} is required", path=f"params.{key}")
        for index, query in enumerate(self.queries):
            place = f"params.queries[{index}]"
            for key, text in (("name", query.name), ("query", query.query)):
                if not text:
                    problem = f"{place} validation failed: {key} is required"
                    yield InputError(problem, path=f"{place}.{key}")

    def later_problems(self) -> Iterator[InputError]:
        """Queries can be read; a newer Prometheus may know functions that are not known here."""
        for index, query in enumerate(self.queries if self.action == "start" else ()):
            try:
                parser.parse(query.query.replace("%v", "1m") or "0")
            except UnknownFunctionError:
                continue
            except QueryError as error:
                yield InputError(str(error), path=f"params.queries[{index}].query")


class GenericPrometheusQuery(PrometheusMeasurement[GenericParams]):
    """One row for each combination of dimensions, with the value of each query."""

    params_type = GenericParams

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._started = GenericParams()

    def configure(self, params: GenericParams) -> None:
        """Store the queries, if they are complete."""
        self._started = params

    def instant_queries(self, params: GenericParams, measured: MeasuredTime) -> list[InstantQuery]:
        """The queries, over the time measured."""
        del params
        return [
            InstantQuery(each.query.replace(_WINDOW, measured.seconds), measured.ended_ns)
            for each in self._started.queries
        ]

    def conclude(
        self, params: GenericParams, measured: MeasuredTime, answers: list[QueryAnswer]
    ) -> MeasurementResult:
        """The rows, and which of their values are beyond a threshold."""
        del measured
        failed = first_error(answers)
        if failed is not None:
            return failed
        rows: dict[tuple[str, ...], dict[str, float]] = {}
        problems: list[Violation] = []
        verdicts: list[Verdict] = []
        for query, answered in zip(self._started.queries, answers, strict=True):
            problems += self._filled(rows, query, answered.samples)
            verdicts += _verdicts(query, answered.samples, is_enforced=params.enable_violations)
        metric = self._started.metric_name
        violation = None
        if problems:
            violation = Violation(metric, f"[{' '.join(map(str, problems))}]")
        content = self._content(rows)
        return self.build_result(
            params, [(f"{NAME} {metric}", content)], tuple(verdicts), violation
        )

    def _filled(
        self,
        rows: dict[tuple[str, ...], dict[str, float]],
        query: GenericQuery,
        samples: tuple[Sample, ...],
    ) -> list[Violation]:
        """Add a query's values to their rows."""
        if not samples and query.require_samples:
            reason = f"query returned no samples for {self._started.metric_name}"
            return [Violation(query.name, reason)]
        problems = []
        for sample in samples:
            key = labels_text(sample, self._started.dimensions)
            row = rows.setdefault(key, {})
            if query.name in row:
                got, before = floats.text(sample.value), floats.text(row[query.name])
                reason = (
                    f"too many samples for [{' '.join(key)}]: query returned {got} and {before}, "
                    "expected single value."
                )
                problems.append(Violation(query.name, reason))
            else:
                row[query.name] = sample.value
            problem = _problem(query, sample.value)
            if problem is not None:
                problems.append(problem)
        return problems

    def _content(self, rows: dict[tuple[str, ...], dict[str, float]]) -> str:
        started = self._started
        items = tuple(
            DataItem(data, started.unit, dict(zip(started.dimensions, key, strict=True)))
            for key, data in rows.items()
        )
        try:
            return PerfData(started.metric_version, items).to_json()
        except ValueError as error:
            raise InputError(f"building encoder error: {error}") from error


def _problem(query: GenericQuery, value: float) -> Violation | None:
    most = query.threshold
    if most is None:
        return None
    got, want = floats.text(value), floats.text(most)
    if query.lower_bound and value < most:
        reason = f"sample below threshold: want: greater or equal than {want}, got: {got}"
        return Violation(query.name, reason)
    if not query.lower_bound and value > most:
        reason = f"sample above threshold: want: less or equal than {want}, got: {got}"
        return Violation(query.name, reason)
    return None


def _verdicts(
    query: GenericQuery, samples: tuple[Sample, ...], *, is_enforced: bool
) -> list[Verdict]:
    """One verdict per query that has a threshold or no samples, on its worst value."""
    values = [sample.value for sample in samples]
    if query.threshold is None and not query.require_samples and values:
        return []
    worst = None
    if values:
        worst = min(values) if query.lower_bound else max(values)
    is_missing = query.require_samples and not values
    return [
        Verdict(
            name=query.name,
            passed=not is_missing and (worst is None or _problem(query, worst) is None),
            value=worst,
            threshold=query.threshold,
            samples=len(values),
            is_upper=not query.lower_bound,
            is_enforced=is_enforced,
        )
    ]
