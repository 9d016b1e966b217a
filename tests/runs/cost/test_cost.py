"""What a cluster costs, and which nodes it could do without: by hand, and proved by runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kubestage import Stage
from kubestage.objects import gvk
from kubestage.runs.cost import CostOptions, cost
from kubestage.testing import (
    make_deployment,
    make_node,
    make_pod,
    make_pod_disruption_budget,
)

if TYPE_CHECKING:
    import pathlib

    from kubestage.aliases import Json

TYPE = "node.kubernetes.io/instance-type"
CATALOG: Json = {
    "apiVersion": "kubestage.dev/v1alpha1",
    "kind": "PriceCatalog",
    "metadata": {"name": "prices"},
    "spec": {"prices": [{"instanceType": "m5.large", "price": 0.1}]},
}


def cluster(*objects: Json, nodes: int = 3, **labels: str) -> Stage:
    stage = Stage()
    stage.add_scheduler()
    stage.add_controllers()
    kind = {TYPE: "m5.large", **labels}
    stage.apply([CATALOG])
    stage.apply([make_node(f"n{at}", cpu="4", memory="16Gi", labels=kind) for at in range(nodes)])
    stage.apply(objects)
    stage.run("1m")
    return stage


def removable(stage: Stage) -> list[str]:
    found = cost(stage).removable
    assert found is not None
    return [each.node for each in found]


def test_an_answer_in_two_sentences() -> None:
    result = cost(cluster(make_deployment("web", replicas=3, cpu="1", memory="4Gi")))
    assert result.answer == (
        "3 nodes cost $0.30 per hour; 75% of it is idle. "
        "2 nodes could be removed, which saves $0.20 per hour."
    )
    assert result.saving_per_hour == 0.2
    assert [each.title for each in result.tables()] == [
        "Pools",
        "Namespaces",
        "Workloads",
        "Packing",
        "Nodes that could be removed",
    ]
    assert result.to_dict()["metrics"]["cluster_cost"] == 0.3


def test_a_full_cluster_keeps_its_nodes() -> None:
    result = cost(cluster(make_deployment("web", replicas=3, cpu="3", memory="1Gi")))
    assert result.removable == []
    assert result.answer.endswith("No node could be removed.")


def test_the_search_can_be_left_out() -> None:
    result = cost(cluster(), CostOptions(removable=False))
    assert result.removable is None
    assert result.answer == "3 nodes cost $0.30 per hour; 100% of it is idle."


def test_the_last_node_stays() -> None:
    assert len(removable(cluster())) == 2
    assert removable(cluster(nodes=1)) == []


def test_pods_that_must_not_move_keep_their_node() -> None:
    stage = cluster(make_pod("alone", cpu="1"))
    where = stage.store.get(gvk.POD, "alone")["spec"]["nodeName"]
    assert where not in removable(stage)


def test_a_budget_without_disruptions_keeps_nodes() -> None:
    web = make_deployment("web", replicas=3, cpu="1")
    assert len(removable(cluster(web))) == 2
    assert removable(cluster(web, make_pod_disruption_budget("web", max_unavailable=0))) == []


def test_filters_of_the_scheduler_decide() -> None:
    apart: dict[str, Any] = {
        "podAntiAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": [
                {
                    "labelSelector": {"matchLabels": {"app": "web"}},
                    "topologyKey": "kubernetes.io/hostname",
                }
            ]
        }
    }
    web = make_deployment("web", replicas=3, cpu="100m")
    web["spec"]["template"]["spec"]["affinity"] = apart
    assert removable(cluster(web)) == []


def test_a_group_keeps_its_smallest_size() -> None:
    group = {
        "apiVersion": "kubestage.dev/v1alpha1",
        "kind": "NodeGroup",
        "metadata": {"name": "pool"},
        "spec": {
            "minSize": 2,
            "maxSize": 5,
            "template": {"capacity": {"cpu": "4", "memory": "16Gi"}},
        },
    }
    stage = cluster(group, nodes=3, **{"kubestage.dev/node-group": "pool"})
    assert len(removable(stage)) == 1


def test_currencies_that_differ_are_noted() -> None:
    other = {**CATALOG, "metadata": {"name": "x"}, "spec": {**CATALOG["spec"], "currency": "EUR"}}
    result = cost(cluster(other))
    assert result.notes == ["prices of x are ignored: their currency is not USD"]


@settings(max_examples=25)
@given(st.sampled_from((250, 500, 1000, 1300, 2000)), st.integers(1, 14))
def test_as_many_nodes_could_be_removed_as_arithmetic_says_and_a_run_agrees(
    milli_cpu: int, pods: int
) -> None:
    stage = cluster(make_deployment("web", replicas=pods, cpu=f"{milli_cpu}m"), nodes=7)
    found = removable(stage)
    assert len(found) == 7 - -(-pods // (4000 // milli_cpu))
    for name in found:
        stage.store.patch(gvk.NODE, name, {"spec": {"unschedulable": True}})
    for pod in list(stage.store.read(gvk.POD).values()):
        if pod["spec"]["nodeName"] in found:
            stage.store.delete(gvk.POD, pod["metadata"]["name"], "default")
    stage.run("2m")
    placed = [pod["spec"].get("nodeName") for pod in stage.store.read(gvk.POD).values()]
    assert len(placed) == pods
    assert not {None, *found}.intersection(placed)


def test_a_cluster_of_files_and_prices(tmp_path: pathlib.Path) -> None:
    (tmp_path / "prices.csv").write_text("instance_type,price,currency\nbig,2,EUR\n")
    node = make_node("n", cpu="4", memory="16Gi", labels={TYPE: "big"})
    (tmp_path / "cluster.json").write_bytes(msgspec.json.encode(node))
    options = CostOptions(prices=str(tmp_path / "prices.csv"))
    result = cost(str(tmp_path / "cluster.json"), options)
    assert result.answer.startswith("1 node costs €2.00 per hour; 100% of it is idle.")
    assert pytest.approx(2) == result.packing.costs.cluster_cost
