"""SystemPodMetrics: how often the containers of the system's pods were restarted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import yaml

from kubestage.cluster.access import Call, Resource
from kubestage.errors import InputError
from kubestage.golang import times
from kubestage.measure import perf_data
from kubestage.measure.measurement import Measurement
from kubestage.measure.params import Params
from kubestage.measure.results import (
    NOTHING,
    MeasurementResult,
    PendingResult,
    Summary,
    Verdict,
    empty_verdict,
)
from kubestage.objects import timestamps

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.cluster.access import Answer
    from kubestage.measure.measurement import Context
    from kubestage.measure.results import Result

NAME: Final = "SystemPodMetrics"
NAMESPACE: Final = "kube-system"
_PODS: Final = Resource("v1", "Pod")
_DEFAULT: Final = "default"


class SystemPodParams(Params, frozen=True, kw_only=True):
    """`restart_count_threshold_overrides` is YAML: containers, and how many restarts each may have.

    The key ``default`` stands for all others.
    """

    system_pod_metrics_enabled: bool = False
    restart_count_threshold_overrides: str = ""
    enable_restart_count_check: bool = False
    system_pods_failure_enabled: bool = True

    @property
    def is_off(self) -> bool:
        """It has to be switched on."""
        return not self.system_pod_metrics_enabled

    def problems(self) -> Iterator[InputError]:
        """The overrides are YAML."""
        try:
            allowed_restarts(self)
        except InputError as error:
            yield error


class SystemPodMetrics(Measurement[SystemPodParams]):
    """Lists the pods of kube-system twice, and counts the restarts in between."""

    params_type = SystemPodParams
    actions = ("start", "gather", "pause", "unpause")
    needs_start = True

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._before: list[Json] | None = None

    def perform(self, params: SystemPodParams) -> Result:
        """Start, gather, pause, or unpause: what happened in a pause does not count."""
        if params.action == "pause" or (params.action == "unpause" and self._before is None):
            return NOTHING
        if params.action not in ("start", "gather", "unpause"):
            return super().perform(params)
        if params.action != "unpause" and not params.system_pod_metrics_enabled:
            return MeasurementResult(skipped="systemPodMetricsEnabled is not set")
        return _Listing(self, params, allowed_restarts(params)).pending

    def done(
        self, params: SystemPodParams, allowed: dict[str, int], pods: list[Json]
    ) -> MeasurementResult:
        """Perform the action with the pods of now."""
        metrics = [_metrics(pod) for pod in pods]
        if params.action != "gather":
            self._before = metrics
            return NOTHING
        if self._before is None:
            return MeasurementResult(errors=("start needs to be executed before gather",))
        metrics = _since(metrics, self._before)
        summary = Summary(NAME, perf_data.pretty({"pods": metrics}), self.cluster.moments.unix_ns)
        is_empty = not any(pod["containers"] for pod in metrics)
        verdicts = (empty_verdict(NAME),) if is_empty else ()
        result = MeasurementResult(summaries=(summary,), verdicts=verdicts)
        return (
            _with_restart_check(result, params, metrics, allowed)
            if params.enable_restart_count_check
            else result
        )


class _Listing:
    """The request of the list of pods."""

    def __init__(
        self, measurement: SystemPodMetrics, params: SystemPodParams, allowed: dict[str, int]
    ) -> None:
        self.pending = PendingResult()
        self._measurement = measurement
        self._params = params
        self._allowed = allowed
        measurement.cluster.call(
            Call(verb="list", resource=_PODS, namespace=NAMESPACE), self._answered
        )

    def _answered(self, answer: Answer) -> None:
        if answer.error is not None:
            self.pending.resolve(MeasurementResult(errors=(answer.error.message,)))
            return
        pods = (answer.object or {}).get("items") or []
        self.pending.resolve(self._measurement.done(self._params, self._allowed, pods))


def allowed_restarts(params: SystemPodParams) -> dict[str, int]:
    """How many restarts each container may have, by the parameters."""
    path = "params.restartCountThresholdOverrides"
    text = params.restart_count_threshold_overrides
    if not text.strip():
        return {}
    try:
        value: Any = yaml.safe_load(text) or {}
    except (yaml.YAMLError, ValueError) as error:
        raise InputError(f"no YAML: {error}", path=path) from error
    if not isinstance(value, dict) or not all(
        isinstance(count, int) and not isinstance(count, bool) for count in value.values()
    ):
        raise InputError(
            "no map of containers to numbers", path=path, fix='write it as "etcd: 2", one a line'
        )
    return value


def _with_restart_check(
    result: MeasurementResult, params: SystemPodParams, metrics: list[Json], allowed: dict[str, int]
) -> MeasurementResult:
    violations = []
    worst, most, count = 0, 0, 0
    for pod in metrics:
        for container in pod["containers"]:
            name, restarts = container["name"], container["restartCount"]
            limit = allowed.get(name, allowed.get(_DEFAULT, 0))
            count += 1
            if restarts - limit > worst - most or count == 1:
                worst, most = restarts, limit
            if restarts > limit:
                violations.append(
                    f"RestartCount({pod['name']}, {name})={restarts}, want <= {limit}"
                )
    joined = "; ".join(violations)
    is_enforced = params.system_pods_failure_enabled
    verdict = Verdict(
        name="restarts of system containers",
        passed=not violations,
        value=float(worst),
        threshold=float(most),
        unit="restarts",
        samples=count,
        is_enforced=is_enforced,
    )
    problem = f"restart counts violation: {joined}"
    return MeasurementResult(
        summaries=result.summaries,
        verdicts=(verdict,),
        errors=(problem,) if violations and is_enforced else (),
        warnings=(problem,) if violations and not is_enforced else (),
    )


def _since(metrics: list[Json], before: list[Json]) -> list[Json]:
    """The same with what had been restarted before taken off."""
    known = {
        (pod["name"], container["name"]): container["restartCount"]
        for pod in before
        for container in pod["containers"]
    }
    return [
        {
            **pod,
            "containers": [
                {
                    **each,
                    "restartCount": each["restartCount"]
                    - known.get((pod["name"], each["name"]), 0),
                }
                for each in pod["containers"]
            ],
        }
        for pod in metrics
    ]


def _metrics(pod: Json) -> Json:
    images = {
        container.get("name"): container.get("image", "")
        for container in (pod.get("spec") or {}).get("containers") or ()
    }
    statuses = (pod.get("status") or {}).get("containerStatuses") or ()
    return {
        "name": pod["metadata"]["name"],
        "containers": [
            {
                "name": status.get("name", ""),
                "image": image_name(images.get(status.get("name"), status.get("image", ""))),
                "restartCount": status.get("restartCount", 0),
                "lastRestartReason": _last_reason(status),
            }
            for status in statuses
        ],
    }


def image_name(image: str) -> str:
    """An image without its registry, tag and digest."""
    first, slash, rest = image.partition("/")
    if slash and ("." in first or ":" in first):
        image = rest
    path, slash, last = image.rpartition("/")
    return path + slash + last.partition(":")[0].partition("@")[0]


def _last_reason(status: Json) -> str:
    """How a container ended before, in the words of the API's generated types."""
    ended = (status.get("lastState") or {}).get("terminated")
    if ended is None:
        return ""
    return (
        f"&ContainerStateTerminated{{ExitCode:{ended.get('exitCode', 0)},"
        f"Signal:{ended.get('signal', 0)},Reason:{ended.get('reason', '')},"
        f"Message:{ended.get('message', '')},StartedAt:{_time(ended.get('startedAt'))},"
        f"FinishedAt:{_time(ended.get('finishedAt'))},"
        f"ContainerID:{ended.get('containerID', '')},}}"
    )


def _time(text: str | None) -> str:
    return times.in_text(timestamps.parse_time(text) if text else None)
