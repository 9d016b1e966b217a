"""A VerticalPodAutoscaler that sees what was measured, interval by interval."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.backtesting.outcome import VPA, BacktestDecision, BacktestOutcome
from kubestage.controllers.vpa import backtest, policies, priority
from kubestage.controllers.vpa.settings import VpaSettings
from kubestage.objects import defaulting, quantity
from kubestage.units import HOUR_NS, SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.backtesting.series import MetricFrame, MetricSeries
    from kubestage.backtesting.target import BacktestTarget

Requests = dict[str, dict[str, str]]

_RESOURCES: Final = ("cpu", "memory")


def run(
    name: str,
    vpa: Json,
    series: MetricSeries,
    target: BacktestTarget,
    *,
    settings: VpaSettings | None = None,
) -> BacktestOutcome:
    """What a VPA would have recommended, and when it would have had pods updated.

    Pods are updated as a whole, as soon as a request is outside of its bounds, or is off by a tenth
    after twelve hours; limits of how many pods are updated at once are ignored. A container that
    requests nothing at the beginning gets the first recommendation.
    """
    return _Run(vpa, series, target, settings or VpaSettings()).outcome(name)


class _Run:
    def __init__(
        self, vpa: Json, series: MetricSeries, target: BacktestTarget, settings: VpaSettings
    ) -> None:
        self._vpa = defaulting.stored(vpa)
        self._series = series
        self._target = target
        self._settings = settings
        self._is_updating = policies.update_mode(self._vpa) in policies.UPDATING
        self._requests: Requests = {}
        self._since_ns = series.start_ns
        self._last_ns = series.start_ns
        self._rows: list[Json] = []
        self._decisions: list[BacktestDecision] = []
        self._sums = {name: [0.0, 0.0, 0.0] for name in _RESOURCES}
        self._updates = 0

    def outcome(self, name: str) -> BacktestOutcome:
        """Run until the series ends."""
        for step in backtest.run(self._vpa, self._usage(), self._settings):
            recommended = {
                each["containerName"]: self._measured(each) for each in step.recommendation
            }
            if recommended:
                self._on_recommendation(step.at_ns, recommended)
        return BacktestOutcome(name, VPA, self._summary(), self._decisions, self._rows)

    def _measured(self, recommended: Json) -> Json:
        """A recommendation without what was not measured: it would be only the minimum."""
        known = self._series.metrics
        return {
            field: {name: amount for name, amount in found.items() if name in known}
            if isinstance(found, dict)
            else found
            for field, found in recommended.items()
        }

    def _usage(self) -> Iterator[backtest.Usage]:
        for frame in self._series.frames:
            for pod, container, used in self._used(frame):
                cpu, memory = used.get("cpu"), used.get("memory")
                yield backtest.Usage(
                    frame.at_ns,
                    pod,
                    container,
                    None if cpu is None else round(cpu * 1000),
                    None if memory is None else round(memory),
                )

    def _used(self, frame: MetricFrame) -> Iterator[tuple[str, str, dict[str, float]]]:
        """Pod, container and amounts; a total is shared evenly by the replicas."""
        if frame.samples:
            for each in frame.samples:
                yield each.pod, each.container or self._target.container, each.values
            return
        count = max(self._target.replicas, 1)
        part = {name: total / count for name, total in frame.values.items()}
        if part:
            for number in range(1, count + 1):
                yield f"{self._target.name}-{number}", self._target.container, part

    def _on_recommendation(self, now_ns: int, recommended: dict[str, Json]) -> None:
        for container, bounds in recommended.items():
            if container not in self._requests:
                requests = self._target.requests(container)
                self._requests[container] = {
                    resource: str(requests.get(resource, amount))
                    for resource, amount in bounds["target"].items()
                }
        why = self._why(now_ns, recommended)
        if why and self._is_updating:
            self._update(now_ns, recommended, why)
        used = self._mean(now_ns)
        self._add_up(min(now_ns, self._series.end_ns), used)
        for container, bounds in recommended.items():
            for resource, amount in bounds["target"].items():
                self._rows.append(
                    {
                        "seconds": self._series.seconds(now_ns),
                        "container": container,
                        "resource": resource,
                        "lower": _amount(bounds["lowerBound"].get(resource)),
                        "target": _amount(amount),
                        "upper": _amount(bounds["upperBound"].get(resource)),
                        "request": _amount(self._requests[container].get(resource)),
                        "used": used.get((container, resource)),
                    }
                )

    def _why(self, now_ns: int, recommended: dict[str, Json]) -> str:
        pod = {
            "metadata": {},
            "spec": {
                "containers": [
                    {"name": name, "resources": {"requests": requests}}
                    for name, requests in self._requests.items()
                ]
            },
        }
        found = priority.priority_of(pod, recommended)
        if found.outside_recommended_range:
            return "outside of its bounds"
        lived_ns = now_ns - self._since_ns
        if lived_ns < self._settings.in_recommendation_bounds_eviction_lifetime_threshold_ns:
            return ""
        is_off = found.resource_diff >= self._settings.pod_update_threshold
        return "off the target for long" if is_off else ""

    def _update(self, now_ns: int, recommended: dict[str, Json], why: str) -> None:
        self._updates += 1
        self._since_ns = now_ns
        for container, bounds in recommended.items():
            for resource, amount in bounds["target"].items():
                before = self._requests[container].get(resource, "")
                if quantity.of(before or "0") == quantity.of(amount):
                    continue
                self._requests[container][resource] = str(amount)
                seconds = self._series.seconds(now_ns)
                metric = f"{resource} of {container}"
                reason = self._reason(before, bounds, resource) or why
                self._decisions.append(
                    BacktestDecision(seconds, metric, before, str(amount), reason)
                )

    def _reason(self, before: str, bounds: Json, resource: str) -> str:
        lower, upper = bounds["lowerBound"].get(resource), bounds["upperBound"].get(resource)
        if before and lower is not None and quantity.of(before) < quantity.of(lower):
            return f"below the lower bound {lower}"
        if before and upper is not None and quantity.of(before) > quantity.of(upper):
            return f"above the upper bound {upper}"
        return "updated together with the rest"

    def _mean(self, now_ns: int) -> dict[tuple[str, str], float]:
        """What a container uses, on average over pods."""
        found: dict[tuple[str, str], list[float]] = {}
        for _, container, used in self._used(self._series.at(now_ns)):
            for resource, value in used.items():
                found.setdefault((container, resource), []).append(value)
        return {key: sum(values) / len(values) for key, values in found.items()}

    def _add_up(self, now_ns: int, used: dict[tuple[str, str], float]) -> None:
        passed_ns = now_ns - self._last_ns
        self._last_ns = now_ns
        for (container, resource), value in used.items():
            request = _amount(self._requests.get(container, {}).get(resource))
            if resource in self._sums and request is not None:
                sums = self._sums[resource]
                sums[0] += request * passed_ns
                sums[1] += value * passed_ns
                sums[2] += passed_ns if value > request else 0

    def _summary(self) -> Json:
        summary: Json = {"updates": self._updates, "requestChanges": len(self._decisions)}
        for resource, unit in (("cpu", 1.0), ("memory", 2.0**30)):
            requested, used, above_ns = self._sums[resource]
            if not requested:
                continue
            title = "Core" if resource == "cpu" else "Gib"
            summary[f"requested{title}Hours"] = round(requested / HOUR_NS / unit, 6)
            summary[f"used{title}Hours"] = round(used / HOUR_NS / unit, 6)
            summary[f"{resource}SecondsAboveRequest"] = above_ns / SECOND_NS
        last = {(each["container"], each["resource"]): each for each in self._rows}
        summary["atEnd"] = [
            {
                "container": container,
                "resource": resource,
                **{name: each[name] for name in ("request", "lower", "target", "upper")},
            }
            for (container, resource), each in last.items()
        ]
        return summary


def _amount(value: Any) -> float | None:
    return None if value is None else quantity.milli_value_of(value) / 1000
