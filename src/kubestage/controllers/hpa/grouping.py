"""Which pods count: the ready, those not ready yet, those without a metric, those that go."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from kubestage.controllers import pods
from kubestage.objects import timestamps

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from kubestage.aliases import Json
    from kubestage.controllers.hpa.metrics_client import PodMetric
    from kubestage.controllers.hpa.settings import HpaSettings


class Groups(NamedTuple):
    """Names of pods, save that of the ready ones only the number matters."""

    ready_count: int
    unready: set[str]
    missing: set[str]
    ignored: set[str]


def group(
    found: Iterable[Json],
    metrics: Mapping[str, PodMetric],
    resource: str,
    settings: HpaSettings,
    now_ns: int,
) -> Groups:
    """Sort pods by what their metric is worth; `resource` is empty for what is no resource."""
    ready_count = 0
    unready: set[str] = set()
    missing: set[str] = set()
    ignored: set[str] = set()
    for pod in found:
        name = pod["metadata"]["name"]
        phase = pods.phase(pod)
        if pods.is_terminating(pod) or phase == "Failed":
            ignored.add(name)
        elif phase == "Pending":
            unready.add(name)
        elif name not in metrics:
            missing.add(name)
        elif resource == "cpu" and _is_initializing(pod, metrics[name], settings, now_ns):
            unready.add(name)
        else:
            ready_count += 1
    return Groups(ready_count, unready, missing, ignored)


def _is_initializing(pod: Json, metric: PodMetric, settings: HpaSettings, now_ns: int) -> bool:
    """Whether the CPU usage of a pod is that of its start and not of its work."""
    status = pod["status"]
    ready = pods.condition(status, "Ready")
    started = status.get("startTime")
    if ready is None or not started:
        return True
    started_ns = timestamps.parse_time(started)
    is_false = ready["status"] == "False"
    if started_ns + settings.cpu_initialization_period_ns > now_ns:
        since_ns = _since_ns(ready)
        return is_false or (since_ns is not None and metric.unix_ns < since_ns + metric.window_ns)
    if not is_false:
        return False
    since_ns = _since_ns(ready)
    # Without a transition time it has been unready from the start.
    return since_ns is None or started_ns + settings.initial_readiness_delay_ns > since_ns


def _since_ns(condition: Json) -> int | None:
    since = condition.get("lastTransitionTime")
    return timestamps.parse_time(since) if since else None
