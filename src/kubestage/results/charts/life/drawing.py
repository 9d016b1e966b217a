"""All charts of a living run."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from kubestage.results.charts.life import (
    autoscalers,
    costs,
    lifetimes,
    measures,
    nodes,
    outages,
    replicas,
    requests,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from altair.typing import ChartType

    from kubestage.results.life.life import Life

MOST: Final = 6
"""Of so many workloads, traffics or autoscalers there are charts; tables have all."""

_MAIN: Final = 3
_UNFIT: Final = re.compile(r"[^A-Za-z0-9.]+")


def of_life(life: Life) -> dict[str, ChartType]:
    """Every chart that there is something to show in, by name."""
    return {name: chart for name, chart in _charts(life) if chart is not None}


def main_charts(life: Life) -> dict[str, ChartType]:
    """The few charts that show what an action did: outages of several workloads or nodes, replicas
    that were lost, nodes, and what pods request if some waited, or if no replica was lost.
    """
    lost = _lost_seconds(life)
    workloads = [name for name in charted_workloads(life) if lost.get(name)][:_MAIN]
    is_full = not workloads or any(row["pending"] for row in life.rows("cluster"))
    found = [
        ("outages", outages.outages(life) if outages.subjects(life) > 1 else None),
        *((chart_name("replicas", name), replicas.replicas(life, name)) for name in workloads),
        ("nodes", nodes.nodes(life)),
        ("capacity", nodes.capacity(life) if is_full else None),
    ]
    return {name: chart for name, chart in found if chart is not None}


def _charts(life: Life) -> Iterator[tuple[str, ChartType | None]]:
    yield "outages", outages.outages(life)
    for workload in charted_workloads(life):
        yield chart_name("replicas", workload), replicas.replicas(life, workload)
    for (traffic,) in subjects(life, "requests", "traffic"):
        yield chart_name("requests", traffic), requests.requests(life, traffic)
        yield chart_name("response-times", traffic), requests.response_times(life, traffic)
        yield chart_name("utilization", traffic), requests.utilization(life, traffic)
    for hpa, metric in subjects(life, "metrics", "hpa", "metric"):
        yield chart_name("hpa", hpa, metric), autoscalers.metric(life, hpa, metric)
    for vpa, container, resource in subjects(
        life, "recommendations", "vpa", "container", "resource"
    ):
        chart = autoscalers.recommendation(life, vpa, container, resource)
        yield chart_name("vpa", vpa, container, resource), chart
    yield "nodes", nodes.nodes(life)
    yield "lifetimes", lifetimes.lifetimes(life)
    yield "capacity", nodes.capacity(life)
    yield "cost", costs.cost(life)
    yield "measures", measures.measures(life)


def charted_workloads(life: Life) -> list[str]:
    """The workloads whose replicas are drawn: those that lost some first."""
    lost = _lost_seconds(life)
    found = [name for (name,) in subjects(life, "replicas", "workload", most=None)]
    return sorted(found, key=lambda name: -lost.get(name, 0))[:MOST]


def _lost_seconds(life: Life) -> dict[str, float]:
    """For how long each workload had lost replicas."""
    health = life.summary.get("health") or {"workloads": []}
    return {each["workload"]: each["lostSeconds"] for each in health["workloads"]}


def subjects(
    life: Life, table: str, *fields: str, most: int | None = MOST
) -> list[tuple[str, ...]]:
    """What a table is about, in the order in which it comes up, as many as are drawn."""
    found = dict.fromkeys(tuple(row[each] for each in fields) for row in life.rows(table))
    return list(found)[:most]


def chart_name(*parts: str) -> str:
    """A name that can be that of a file."""
    return _UNFIT.sub("-", "-".join(parts)).strip("-").lower()
