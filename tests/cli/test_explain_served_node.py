"""Nodes of served clusters and of Scenarios are explained as those of living runs are."""

from __future__ import annotations

import json
import pathlib
from typing import TYPE_CHECKING

import pytest

from kubestage.testing import make_deployment, make_pod
from tests.cli import clusters, servers
from tests.objects.kinds.karpenter_samples import node_pool, stage_node_class

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from tests.cli.terminal import Terminal

STEPS = "simulation.kube-scheduler-simulator.x-k8s.io/v1alpha1"


def cluster() -> list[Json]:
    """A NodePool with two types, and pods for one node of the larger one."""
    resources = {"cpu": "4", "memory": "16Gi", "pods": "50"}
    prices = [{"instanceType": "m.4", "price": 0.2, "resources": resources}]
    catalog = {
        "apiVersion": "kubestage.dev/v1alpha1",
        "kind": "PriceCatalog",
        "metadata": {"name": "types"},
        "spec": {"zones": ["a"], "prices": prices},
    }
    pod = make_pod(cpu="900m", memory="1Gi", labels={"app": "web"})
    return [
        node_pool(),
        stage_node_class(),
        catalog,
        make_deployment("web", replicas=3, pod=pod),
    ]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[servers.Server]:
    folder = tmp_path_factory.mktemp("explained")
    items = {"apiVersion": "v1", "kind": "List", "items": cluster()}
    (folder / "cluster.json").write_text(json.dumps(items))
    with servers.serving(folder, "cluster.json", "--in-memory", "--speed", "0.001") as running:
        running.call("/kubestage/v1/clock/advance", {"duration": "20m"}, method="POST")
        running.call("/kubestage/v1/clock/pause", {}, method="POST")
        yield running


def node_of(server: servers.Server) -> str:
    (node,) = server.call("/api/v1/nodes")[1]["items"]
    name: str = node["metadata"]["name"]
    return name


def test_a_node_of_a_served_cluster_is_explained_as_it_is_now(
    terminal: Terminal, server: servers.Server
) -> None:
    name = node_of(server)
    for words in (
        ("--server", server.address, f"node/{name}"),
        ("--kubeconfig", str(server.kubeconfig), f"nodeclaim/{name}"),
    ):
        result = terminal.run("explain", *words)
        assert (result.code, result.err) == (0, "")
        assert result.out.startswith(f"node/{name}: running\n")
        assert (
            "Bought by karpenter at 1.001s: for pods that fit on no node\n  3 pods: " in result.out
        )
        assert "Launched: m.4 (a on-demand), the cheapest of 1 offering" in result.out
        assert "a candidate, but it stays\n" in result.out
        assert result.out.endswith("kept: Can't replace with a cheaper node\n")


def test_the_same_is_there_as_json_and_over_the_api(
    terminal: Terminal, server: servers.Server
) -> None:
    name = node_of(server)
    shown = terminal.run("explain", "--server", server.address, f"node/{name}", "-o", "json").out
    status, served = server.call(f"/kubestage/v1/node-explanations/{name}")
    found = json.loads(shown)
    assert status == 200
    assert found == served
    assert found["verdict"]["candidate"] is True
    assert len(found["purchase"]["pods"]) == 3


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["node/nobody"], 'no node or NodeClaim "nobody" (there are '),
        (["nodeclaim/"], '"nodeclaim/" names no node\n  fix: write nodeclaim/NAME'),
        (["node/nobody", "--attempt", "1"], "--attempt: is for pods"),
        (["node/nobody", "--at", "5m"], "--at: is for living runs"),
        (["kept", "node/nobody"], "kept: a served cluster has no runs to name"),
    ],
)
def test_bad_questions_about_nodes_are_told(
    terminal: Terminal, server: servers.Server, words: list[str], problem: str
) -> None:
    result = terminal.run("explain", "--server", server.address, *words)
    assert result.code == 2
    assert problem in result.err


def test_charts_of_a_served_cluster_mark_what_was_decided_about_nodes(
    server: servers.Server,
) -> None:
    listed = server.call("/kubestage/v1/charts")[1]["charts"]
    (name,) = (each["name"] for each in listed if each["name"].endswith("pods"))
    drawn = json.dumps(server.call(f"/kubestage/v1/charts/{name}")[1])
    assert f"nodeclaim/{node_of(server)}: bought for pods that fit on no node" in drawn


def test_nodes_of_a_scenario_are_explained_at_its_end(terminal: Terminal) -> None:
    events = [
        {"step": 0, "operation": "Create", "createOperation": {"object": each}}
        for each in cluster()
    ]
    events.append({"step": 1, "operation": "Done", "doneOperation": {"done": True}})
    scenario = {
        "apiVersion": STEPS,
        "kind": "Scenario",
        "metadata": {"name": "bought"},
        "spec": {"stepDuration": "10m", "events": events},
    }
    pathlib.Path("scenario.json").write_text(json.dumps(scenario))
    assert terminal.run("run", "scenario.json", "--out", "kept").code == 0
    unknown = terminal.run("explain", "kept", "node/nobody")
    assert unknown.code == 2
    assert 'kept: no node or NodeClaim "nobody"\n  fix: there are ' in unknown.err
    name = unknown.err.split("there are ")[1].strip()
    shown = terminal.run("explain", "kept", f"node/{name}")
    assert (shown.code, shown.err) == (0, "")
    assert shown.out.startswith(f"node/{name}: running\n")
    assert "for pods that fit on no node\n  3 pods: " in shown.out
    assert "kept: Can't replace with a cheaper node\n" in shown.out


def test_what_a_scenario_has_at_its_end_only_cannot_be_asked_at_a_moment(
    terminal: Terminal,
) -> None:
    clusters.write("small.json", make_pod("web", cpu="1"))
    assert terminal.run("run", "small.json", "--out", "kept").code == 0
    result = terminal.run("explain", "kept", "node/a", "--at", "5m")
    assert (result.code, "--at: is for living runs" in result.err) == (2, True)
    result = terminal.run("explain", "kept", "node/a")
    assert (result.code, "fix: there are no nodes" in result.err) == (2, True)
