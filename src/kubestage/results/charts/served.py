"""The charts of a served cluster: which there are, why one is empty, and how each is drawn.

They are the charts of living runs (`charts.life`) and of loads (`charts.load`).
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.results.charts import plugin_times
from kubestage.results.charts import specification as specifications
from kubestage.results.charts.life import (
    autoscalers,
    costs,
    decisions,
    nodes,
    outages,
    outcomes,
    pods,
    replicas,
    requests,
    times,
)
from kubestage.results.charts.life.drawing import chart_name, subjects

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from altair.typing import ChartType

    from kubestage.aliases import Json
    from kubestage.results.life.life import Life
    from kubestage.results.timings import RecordedTimings

CAPACITY: Final = "Capacity"
WORKLOADS: Final = "Workloads"
TRAFFIC: Final = "Traffic"
AUTOSCALERS: Final = "Autoscalers"
SCHEDULER: Final = "Scheduler"
LOAD: Final = "Load"
GROUPS: Final = (LOAD, CAPACITY, WORKLOADS, TRAFFIC, AUTOSCALERS, SCHEDULER)
"""In the order in which they are shown."""

META: Final = "kubestage"
"""What a page needs to know of a chart is under this name in its `usermeta`."""

_MOST: Final = 20
_NO_TRAFFIC: Final = "No requests yet: create a Traffic that has a workload as its target."
_NO_HPA: Final = "No autoscaler has measured anything yet: create a HorizontalPodAutoscaler."
_NO_DECISION: Final = (
    "No autoscaler has decided anything yet: an HPA, a VPA or a NodeGroup does when load changes."
)
_NO_PRICES: Final = (
    "Nothing has a price yet: start kubestage serve with --prices, or set the price of a NodeGroup."
)
_NO_TIMINGS: Final = "Durations are not measured: start kubestage serve with --timings."


class ChartEntry(NamedTuple):
    """A chart: `why` says what is missing if it is empty, `subject` what it is about, if it is one
    of many.
    """

    name: str
    title: str
    group: str
    draw: Callable[[], ChartType | None]
    why: str = ""
    subject: str = ""

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to show."""
        return bool(self.why)


def of_life(life: Life) -> list[ChartEntry]:
    """All charts of the record of a cluster."""
    return [*_capacity(life), *_workloads(life), *_traffic(life), *_autoscalers(life)]


def of_timings(recorded: RecordedTimings | None) -> ChartEntry:
    """The plugins of the scheduler that took longest."""
    if recorded is None or not recorded.rows:
        why = _NO_TIMINGS if recorded is None else "Nothing has been scheduled yet."
        return ChartEntry("plugin-times", "Times of plugins", SCHEDULER, _nothing, why)
    draw = functools.partial(plugin_times.timings, recorded)
    return ChartEntry("plugin-times", "Times of plugins", SCHEDULER, draw)


def specification(entry: ChartEntry, life: Life | None = None) -> Json | None:
    """The chart as Vega-Lite reads it; with its record, `usermeta` says where time begins."""
    spec = specifications.drawn(entry.draw)
    if spec is None:
        return None
    about: Json = {"name": entry.name, "group": entry.group}
    if life is not None and entry.group not in (SCHEDULER, LOAD):
        axis = times.Times(life.seconds)
        about |= {"start": life.start, "seconds": life.seconds, "unitSeconds": axis.unit[1]}
    return {**spec, "usermeta": {**(spec.get("usermeta") or {}), META: about}}


def _nothing() -> None:
    return None


def _entry(
    name: str, title: str, group: str, draw: Callable[[], ChartType | None], why: str, is_full: bool
) -> ChartEntry:
    return ChartEntry(name, title, group, draw, "" if is_full else why)


def _capacity(life: Life) -> Iterator[ChartEntry]:
    cluster = life.rows("cluster")
    has_nodes = any(row["allocatableCpu"] for row in cluster)
    has_pods = any(row["pending"] or row["launching"] or row["active"] for row in cluster)
    has_prices = bool(life.rows("cost"))
    yield _entry(
        "capacity", "What pods request of the nodes", CAPACITY,
        functools.partial(nodes.capacity, life), "No node is Ready yet: create a Node.", has_nodes,
    )  # fmt: skip
    yield _entry(
        "pods", "Pods by state", CAPACITY,
        functools.partial(pods.pods, life), "No pod yet: create a Deployment.", has_pods,
    )  # fmt: skip
    yield _entry(
        "nodes", "Nodes by group", CAPACITY,
        functools.partial(nodes.nodes, life), "The number of nodes has not changed.",
        nodes.is_moving(life.rows("nodes")),
    )  # fmt: skip
    yield _entry(
        "cost", "What nodes cost", CAPACITY,
        functools.partial(costs.cost, life), _NO_PRICES, has_prices,
    )  # fmt: skip
    yield _entry(
        "outages", "Below desired replicas, and nodes NotReady", CAPACITY,
        functools.partial(outages.outages, life), "Nothing was missing so far.",
        outages.subjects(life) > 0,
    )  # fmt: skip


def _workloads(life: Life) -> Iterator[ChartEntry]:
    there = dict.fromkeys(
        row["workload"]
        for row in life.rows("replicas")
        if row["desired"] or row["launching"] or row["active"]
    )
    for workload in there:
        draw = functools.partial(replicas.replicas, life, workload)
        title = f"Replicas of {workload}"
        yield ChartEntry(
            chart_name("replicas", workload), title, WORKLOADS, draw, "", subject=workload
        )
    if not there:
        why = "No workload has pods yet: create a Deployment."
        yield ChartEntry("replicas", "Replicas", WORKLOADS, _nothing, why)


def _traffic(life: Life) -> Iterator[ChartEntry]:
    found = [each for (each,) in subjects(life, "requests", "traffic", most=_MOST)]
    for traffic in found:
        for name, title, draw in (
            ("response-times", f"Response times of {traffic}", requests.response_times),
            ("responses", f"Responses of {traffic} by outcome", outcomes.outcomes),
            ("requests", f"Requests of {traffic} in each stock", requests.requests),
        ):
            drawing = functools.partial(draw, life, traffic)
            yield ChartEntry(
                chart_name(name, traffic), title, TRAFFIC, drawing, "", subject=traffic
            )
    if not found:
        yield ChartEntry("response-times", "Response times", TRAFFIC, _nothing, _NO_TRAFFIC)


def _autoscalers(life: Life) -> Iterator[ChartEntry]:
    yield _entry(
        "decisions", "What autoscalers decided, and why", AUTOSCALERS,
        functools.partial(decisions.decisions, life), _NO_DECISION, bool(life.rows("decisions")),
    )  # fmt: skip
    metrics = subjects(life, "metrics", "hpa", "metric", most=_MOST)
    for hpa, metric in metrics:
        draw = functools.partial(autoscalers.metric, life, hpa, metric)
        name, title = chart_name("hpa", hpa, metric), f"HPA {hpa}: {metric}"
        yield ChartEntry(name, title, AUTOSCALERS, draw, _unmeasured(life, hpa, metric), hpa)
    if not metrics:
        yield ChartEntry("hpa", "What an HPA measures", AUTOSCALERS, _nothing, _NO_HPA)
    recommended = subjects(life, "recommendations", "vpa", "container", "resource", most=_MOST)
    for vpa, container, resource in recommended:
        draw = functools.partial(autoscalers.recommendation, life, vpa, container, resource)
        title = f"VPA {vpa}: {resource} of {container}"
        name = chart_name("vpa", vpa, container, resource)
        yield ChartEntry(name, title, AUTOSCALERS, draw, "", vpa)


def _unmeasured(life: Life, hpa: str, metric: str) -> str:
    rows = (row for row in life.rows("metrics") if (row["hpa"], row["metric"]) == (hpa, metric))
    if any(row["current"] is not None for row in rows):
        return ""
    return "The HPA has measured nothing yet: its pods need a request, and a Traffic to work for."


def find(entries: Sequence[ChartEntry], name: str) -> ChartEntry | None:
    """The chart of this name."""
    return next((each for each in entries if each.name == name), None)
