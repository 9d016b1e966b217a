"""What nodes of a timeline cost, and how well its pods are packed, computed by hand."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from kubestage.errors import InputError
from kubestage.results import analysis
from kubestage.results.analysis import registry
from kubestage.results.packing import packing
from kubestage.runs.run import run
from kubestage.runs.run_options import RunOptions
from kubestage.runs.run_result import ManifestsResult
from kubestage.testing import make_daemon_set, make_deployment, make_node, make_pod
from tests.results.analysis.stories import Story

if TYPE_CHECKING:
    import pathlib

    from kubestage.aliases import Json

GIB = 1 << 30
TYPE = "node.kubernetes.io/instance-type"
KIND = {TYPE: "m5.large"}


def catalog(price: float, currency: str = "EUR") -> Json:
    return {
        "apiVersion": "kubestage.dev/v1alpha1",
        "kind": "PriceCatalog",
        "metadata": {"name": "prices"},
        "spec": {"currency": currency, "prices": [{"instanceType": "m5.large", "price": price}]},
    }


def rows(story: Story, name: str = "cost") -> list[dict[str, Any]]:
    return list(analysis.table(story.status(), name).records())


def test_cost_and_its_idle_part_by_step() -> None:
    story = Story().step(0).create(catalog(0.2))
    story.node("a", cpu="4", memory="16Gi", labels=KIND)
    story.node("b", cpu="4", memory="16Gi", labels=KIND)
    story.step(1).pod("web", cpu="2", memory="8Gi").bind("web", "a")
    story.step(2)
    story.step(3).delete("Node", "b")
    found = rows(story)
    assert [row["nodes"] for row in found] == [2, 2, 2, 1]
    assert [row["costPerHour"] for row in found] == [0.4, 0.4, 0.4, 0.2]
    # Half of one of two nodes, then half of the only one.
    assert [row["idleRate"] for row in found] == pytest.approx([1, 0.75, 0.75, 0.5])
    assert [row["cpuRate"] for row in found] == pytest.approx([0, 0.25, 0.25, 0.5])
    assert {row["currency"] for row in found} == {"EUR"}


def test_stranded_and_scattered_capacity() -> None:
    # The median pod, of 4.5 cores, fits neither on a (2 cores are free) nor on b (1 core, 11 GiB).
    story = Story().step(0)
    story.node("a", cpu="8", memory="6Gi").node("b", cpu="4", memory="14Gi")
    story.pod("x", cpu="6", memory="6Gi").bind("x", "a")
    story.pod("y", cpu="3", memory="3Gi").bind("y", "b")
    (row,) = rows(story)
    assert (row["cpuStranded"], row["memoryStranded"]) == (3000, 11 * GIB)
    assert row["cpuStrandedRate"] == 1
    # Of the 3 free cores, one node has 2: 1 - (2/3)² - (1/3)².
    assert row["cpuFragmentation"] == pytest.approx(4 / 9)
    assert (row["medianCpu"], row["medianMemory"]) == (4500, round(4.5 * GIB))
    assert (row["costPerHour"], row["idleRate"], row["unpricedNodes"]) == (None, None, 2)


def test_median_pods_that_fit_nowhere() -> None:
    story = Story().step(0)
    for name in "abc":
        story.node(name, cpu="4", memory="16Gi")
        story.pod(f"on-{name}", cpu="3", memory="1Gi").bind(f"on-{name}", name)
    (row,) = rows(story)
    assert (row["fitInSum"], row["fitNowhere"]) == (1, 1)


def test_prices_that_come_later_count_from_then_on() -> None:
    story = Story().step(0).node("a", labels=KIND)
    story.step(1).create(catalog(0.1))
    story.step(2).patch(catalog(0.3))
    story.step(3).delete("PriceCatalog", "prices", "kubestage.dev/v1alpha1")
    assert [row["costPerHour"] for row in rows(story)] == [None, 0.1, 0.3, None]


def test_a_damaged_catalog_is_refused_with_its_place() -> None:
    broken = catalog(0.1)
    del broken["spec"]["prices"]
    with pytest.raises(InputError, match="there is no field 'prices'") as caught:
        rows(Story().step(0).create(broken))
    assert caught.value.path == "status.scenarioResult.timeline.0[0]"


def test_nothing_costs_nothing() -> None:
    assert rows(Story(), "cost-shares") == []
    assert analysis.summary(Story().status()).packing is None


def test_the_chart_is_drawn_only_with_prices() -> None:
    story = Story().step(0).node("a", labels=KIND)
    names = [each.name for each in registry.charts(analysis.digest(story.status()))]
    assert "cost" not in names
    story.create(catalog(0.1))
    names = [each.name for each in registry.charts(analysis.digest(story.status()))]
    assert "cost" in names


def cluster() -> list[Json]:
    pools = {"a": "p", "b": "q"}
    return [
        catalog(0.2),
        *(
            make_node(name, cpu="4", memory="16Gi", labels={**KIND, "agentpool": pool})
            for name, pool in pools.items()
        ),
        make_deployment("web", replicas=2, cpu="1", memory="4Gi"),
        make_daemon_set("log", cpu="500m", memory="2Gi"),
        make_pod("solo", cpu="1", memory="4Gi"),
        make_pod("huge", cpu="100", memory="1Gi"),
    ]


def test_a_run_is_measured_as_the_cluster_at_its_end(tmp_path: pathlib.Path) -> None:
    """Both ways to the numbers agree: from the timeline, and from the store."""
    file = tmp_path / "cluster.json"
    file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": cluster()}))
    result = run([file], RunOptions(controllers=True))
    assert isinstance(result, ManifestsResult)
    scenario = result.scenario
    there = packing.of_store(result.stage.store)
    summary = analysis.summary(scenario).packing
    assert summary is not None
    assert summary.cost_per_hour == there.costs.cluster_cost == 0.4
    assert summary.idle_rate == there.costs.idle_share
    assert summary.daemon_cost_rate == there.costs.daemon_share
    assert summary.cpu_fragmentation == there.fragmentation.cpu_fragmentation
    assert summary.cpu_stranded == there.stranded.milli_cpu
    assert summary.fit_nowhere == there.fragmentation.fit_nowhere
    assert summary.median_memory == there.fragmentation.median_memory_bytes
    shares = list(analysis.table(scenario, "cost-shares").records())
    told = {(row["by"], row["name"]): row["costPerHour"] for row in shares}
    known = there.costs
    expected: dict[tuple[str, str | None], float | None] = {
        ("cluster", None): 0.4,
        **{("pool", each.pool): each.cost_per_hour for each in known.pools},
        **{("namespace", each.name): each.cost_per_hour for each in known.namespaces},
        **{("workload", each.name): each.cost_per_hour for each in known.workloads},
    }
    assert told == expected
    # A quarter of a node each, an eighth of each node, a quarter.
    assert told["workload", "deployment/default/web"] == pytest.approx(0.1)
    assert told["workload", "daemonset/default/log"] == pytest.approx(0.05)
    assert told["workload", "pod/default/(no owner)"] == pytest.approx(0.05)
