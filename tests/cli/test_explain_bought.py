"""Nodes of living runs are explained: why they were bought, why they were kept, why they went."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from kubestage.testing import make_deployment, make_node, make_pod
from tests.cli import clusters
from tests.controllers.karpenter.lifecycle.test_overlays import about
from tests.objects.kinds.karpenter_samples import node_pool, stage_node_class

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from tests.cli.terminal import Terminal


def _catalog() -> Json:
    prices = [
        {
            "instanceType": f"m.{cpu}",
            "price": cpu / 20,
            "resources": {"cpu": str(cpu), "memory": f"{4 * cpu}Gi", "pods": "50"},
        }
        for cpu in (1, 4, 8)
    ]
    return {
        "apiVersion": "kubestage.dev/v1alpha1",
        "kind": "PriceCatalog",
        "metadata": {"name": "types"},
        "spec": {"zones": ["a", "b"], "prices": prices},
    }


def _web(replicas: int) -> Json:
    pod = make_pod(cpu="900m", memory="1Gi", labels={"app": "web"})
    return make_deployment("web", replicas=replicas, pod=pod)


@pytest.fixture
def run(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> str:
    """A kept run in which one node is bought, and goes when its pods do; it names the node."""
    monkeypatch.setenv("COLUMNS", "160")
    pool = node_pool()
    pool["spec"]["disruption"] = {
        "budgets": [{"nodes": "100%"}], "consolidateAfter": "1m",
        "consolidationPolicy": "WhenEmptyOrUnderutilized",
    }  # fmt: skip
    clusters.write("cluster.json", pool, stage_node_class(), _catalog(), _web(4))
    clusters.write("none.json", _web(0))
    options = ("--for", "20m", "--at", "10m=none.json", "--out", "run")
    assert terminal.run("run", "cluster.json", *options).code == 0
    rows = terminal.run("analyze", "run", "node-decisions", "-o", "json").out
    [bought] = [each for each in json.loads(rows) if each["decision"] == "bought"]
    name: str = bought["nodeClaim"]
    return name


def test_a_node_that_went_is_explained_from_purchase_to_end(run: str, terminal: Terminal) -> None:
    result = terminal.run("explain", "run", f"node/{run}")
    assert (result.code, result.err) == (0, "")
    lines = result.out.splitlines()
    assert lines[0] == f"node/{run}: gone"
    assert f"NodeClaim {run}" in lines[1]
    assert "for pods that fit on no node" in result.out
    assert "  4 pods: default/web-" in result.out
    assert "1       less than 3600m cpu" in result.out
    assert "2 of 3 instance types left." in result.out
    assert "Launched: m.4 (a on-demand), the cheapest of 4 offerings" in result.out
    assert "It leaves from 11m15s: Empty: delete:" in result.out


def test_a_node_that_is_there_is_explained_at_a_moment(run: str, terminal: Terminal) -> None:
    for name in (f"node/{run}", f"nodeclaim/{run}"):
        shown = terminal.run("explain", "run", name, "--at", "9m").out
        assert shown.startswith(f"node/{run}: running\n")
        assert "At 9m0s: a candidate, but it stays\n" in shown
        assert "single   " in shown
        assert shown.endswith("kept: Can't replace with a cheaper node\n")


def test_everything_is_there_as_json(run: str, terminal: Terminal) -> None:
    found = json.loads(terminal.run("explain", "run", f"node/{run}", "-o", "json").out)
    assert found["status"] == "gone"
    assert len(found["purchase"]["pods"]) == 4
    assert found["launch"]["chosen"]["instanceType"] == "m.4"
    prices = [each["price"] for each in found["launch"]["options"]]
    assert prices == sorted(prices)
    assert found["departure"]["reason"].startswith("Empty: ")
    assert [each["findings"][-1]["method"] for each in found["history"]][-1] == "empty"


def test_a_node_that_is_unknown_and_options_of_pods_are_refused(
    run: str, terminal: Terminal
) -> None:
    result = terminal.run("explain", "run", f"node/{run}x")
    assert result.code == 2
    assert f"did you mean {run}?" in result.err
    result = terminal.run("explain", "run", f"node/{run}", "--attempt", "1")
    assert (result.code, "--attempt: is for pods" in result.err) == (2, True)


def test_the_nodes_of_manifests_are_not_explained(terminal: Terminal) -> None:
    clusters.write("small.json", make_node("a", cpu="4"), make_pod("web", cpu="1"))
    result = terminal.run("explain", "small.json", "node/a")
    assert result.code == 2
    assert "nodes are explained of living runs" in result.err


def test_a_node_that_no_autoscaler_bought_has_nothing_to_say(terminal: Terminal) -> None:
    clusters.write("small.json", make_node("a", cpu="4"), make_pod("web", cpu="1"))
    assert terminal.run("run", "small.json", "--for", "5m", "--out", "run").code == 0
    shown = terminal.run("explain", "run", "node/a").out
    assert shown == (
        "node/a: running\n  in the cluster from 0s\n  1 pod: default/web\n\n"
        "At 5m0s: no autoscaler has looked at removing it.\n"
    )


def test_the_report_has_every_decision_and_its_reason(run: str, terminal: Terminal) -> None:
    del terminal
    with open("run/report.html", encoding="utf-8") as file:
        page = file.read()
    assert 'id="node-decisions"' in page
    assert f"<td>{run}</td>" in page
    assert "less than 3600m cpu" in page
    assert "Empty: delete:" in page


def _group(name: str, cpu: str, price: float) -> Json:
    capacity = {"cpu": cpu, "memory": "64Gi", "pods": "50"}
    return {
        "apiVersion": "kubestage.dev/v1alpha1",
        "kind": "NodeGroup",
        "metadata": {"name": name},
        "spec": {
            "minSize": 0,
            "maxSize": 5,
            "price": price,
            "template": {"capacity": capacity},
        },
    }


def test_nodes_of_groups_are_explained_with_the_options_of_the_expander(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    clusters.write("cluster.json", _group("big", "16", 0.8), _group("small", "4", 0.2), _web(4))
    clusters.write("none.json", _web(0))
    options = ("--for", "1h", "--at", "20m=none.json", "--out", "run")
    assert terminal.run("run", "cluster.json", *options).code == 0
    rows = json.loads(terminal.run("analyze", "run", "node-decisions", "-o", "json").out)
    [name] = {each["nodeClaim"] for each in rows if each["decision"] == "bought"}
    shown = terminal.run("explain", "run", f"node/{name}", "--at", "15m").out
    assert shown.startswith(f"node/{name}: running\n  pool small, in the cluster from ")
    assert "Bought by cluster-autoscaler at " in shown
    assert "small   0.2              1 node for 4 pods, chosen\n" in shown
    assert "big     0.8              1 node for 4 pods\n" in shown
    assert "At 15m0s: not a candidate for removal\n" in shown
    assert "NotUnderutilized: it is used more than" in shown
    gone = terminal.run("explain", "run", f"node/{name}").out
    assert gone.startswith(f"node/{name}: gone\n  pool small, in the cluster from ")
    assert "unneeded for long enough: it is empty, " in gone


def test_the_price_that_is_billed_stands_beside_the_one_that_karpenter_decides_with(
    terminal: Terminal,
) -> None:
    overlay = about("cheap", "m.4", priceAdjustment="-25%")
    clusters.write("cluster.json", node_pool(), stage_node_class(), _catalog(), _web(4), overlay)
    options = ("--for", "5m", "--out", "run", "--setting", "karpenter.node-overlay=true")
    done = terminal.run("run", "cluster.json", *options)
    assert "At the prices that Karpenter decided with, by NodeOverlays: $" in done.out
    rows = json.loads(terminal.run("analyze", "run", "lifetimes", "-o", "json").out)
    (name,) = [each["node"] for each in rows]
    shown = terminal.run("explain", "run", f"node/{name}").out
    assert "\n  billed $0.20 per hour; Karpenter decides with $0.15, by a NodeOverlay\n" in shown
    assert "0.15             m.4    a      on-demand       taken\n" in shown
    found = json.loads(terminal.run("explain", "run", f"node/{name}", "-o", "json").out)
    assert (found["billedPerHour"], found["currency"]) == (0.2, "USD")
    assert found["decidedPerHour"] == pytest.approx(0.15)
    with open("run/report.html", encoding="utf-8") as file:
        assert "At the prices that Karpenter decided with, by NodeOverlays" in file.read()
