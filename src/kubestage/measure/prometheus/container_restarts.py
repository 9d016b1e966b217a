"""ContainerRestarts: how often containers were restarted, by their start times."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import msgspec
import yaml

from kubestage.errors import InputError
from kubestage.measure import perf_data
from kubestage.measure.prometheus.api_calls import rounded
from kubestage.measure.prometheus.query_measurement import (
    InstantQuery,
    PrometheusMeasurement,
    QueryParams,
    Violation,
    first_error,
    labels_text,
)
from kubestage.measure.results import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.measure.facilities import QueryAnswer
    from kubestage.measure.prometheus.query_measurement import MeasuredTime
    from kubestage.measure.results import MeasurementResult

NAME: Final = "ContainerRestarts"
_LABELS: Final = ("container", "pod", "namespace")
_PATH: Final = "params.customAllowedRestarts"


class RestartParams(QueryParams, frozen=True, kw_only=True):
    """`custom_allowed_restarts` is YAML in a text: pods, with ``*``, and what they are allowed."""

    default_allowed_restarts: int = 0
    failure_enabled: bool = True
    custom_allowed_restarts: str = ""

    def problems(self) -> Iterator[InputError]:
        """What is allowed is YAML, which ``gather`` reads."""
        yield from super().problems()
        if self.action != "gather":
            return
        try:
            _allowances(self.custom_allowed_restarts)
        except InputError as error:
            yield error


class Allowance(msgspec.Struct, frozen=True):
    """How often the containers of some pods may restart."""

    pods: re.Pattern[str]
    restarts: int

    def covers(self, pod: str) -> bool:
        """Whether a pod is among them."""
        return self.pods.fullmatch(pod) is not None


class ContainerRestarts(PrometheusMeasurement[RestartParams]):
    """Counts the changes of each container's start time."""

    params_type = RestartParams

    def instant_queries(self, params: RestartParams, measured: MeasuredTime) -> list[InstantQuery]:
        """How often start times changed."""
        del params
        query = f"changes(container_start_time_seconds[{measured.seconds}])"
        return [InstantQuery(query, measured.ended_ns)]

    def conclude(
        self, params: RestartParams, measured: MeasuredTime, answers: list[QueryAnswer]
    ) -> MeasurementResult:
        """The counts, and which are higher than allowed."""
        del measured
        allowances = _allowances(params.custom_allowed_restarts)
        failed = first_error(answers)
        if failed is not None:
            return failed
        rows, bad, most = [], [], 0
        for sample in answers[0].samples:
            container, pod, namespace = labels_text(sample, _LABELS)
            count = rounded(sample.value)
            most = max(most, count)
            rows.append(
                {"Container": container, "Pod": pod, "Namespace": namespace, "RestartCount": count}
            )
            covering = [each.restarts for each in allowances if each.covers(pod)]
            allowed = max([params.default_allowed_restarts, *covering])
            if count > allowed:
                which = f"{{Container:{container} Pod:{pod} Namespace:{namespace}}}"
                bad.append(f"restartCount({which}) = {count}, expected <= {allowed}")
        verdict = Verdict(
            name="container restarts",
            passed=not bad,
            value=most if rows else None,
            threshold=params.default_allowed_restarts,
            samples=len(rows),
            is_enforced=params.enable_violations and params.failure_enabled,
        )
        violation = None
        if bad and params.failure_enabled:
            reason = f"container restart count validation: [{' '.join(bad)}]"
            violation = Violation("container restarts", reason)
        return self.build_result(params, [(NAME, perf_data.pretty(rows))], (verdict,), violation)


def _allowances(text: str) -> list[Allowance]:
    try:
        entries = yaml.safe_load(text) or []
    except (yaml.YAMLError, ValueError) as error:
        raise InputError(f"no YAML: {error}", path=_PATH) from error
    if not isinstance(entries, list) or not all(isinstance(each, dict) for each in entries):
        raise InputError("must be a list of pods, written as YAML", path=_PATH)
    return [_allowance(entry, f"{_PATH}[{index}]") for index, entry in enumerate(entries)]


def _allowance(entry: dict[Any, Any], path: str) -> Allowance:
    pods, restarts = str(entry.get("pod") or ""), entry.get("allowedRestarts") or 0
    if not isinstance(restarts, int):
        raise InputError(f"{restarts!r} is not a whole number", path=f"{path}.allowedRestarts")
    try:
        return Allowance(re.compile(pods.replace(".", r"\.").replace("*", ".*")), restarts)
    except re.error as error:
        raise InputError(f"{pods!r} is not a pattern: {error}", path=f"{path}.pod") from error
