"""Nodes for those who bring none."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from kubestage.errors import InputError
from kubestage.runs.inputs import node_shape, plain_nodes
from kubestage.testing import make_deployment, make_node, make_pod
from tests.cli import servers
from tests.scenario.building import create, scenario

if TYPE_CHECKING:
    import pathlib

    from tests.cli.terminal import Terminal

MISSING = "there are no nodes, so no pod can be scheduled; add --nodes 5, or a file with nodes"


@pytest.fixture(autouse=True)
def web(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "web.json").write_text(json.dumps(make_deployment("web", replicas=3, cpu="1")))


@pytest.mark.parametrize("how", [[], ["--for", "1m"]])
def test_a_run_without_nodes_says_so_and_how_to_get_some(
    terminal: Terminal, how: list[str]
) -> None:
    result = terminal.run("run", "web.json", *how)
    assert result.code == 0
    assert MISSING in result.err
    assert "kubestage examples" in result.err


@pytest.mark.parametrize("how", [[], ["--for", "1m"], ["--out", "kept"]])
def test_a_run_is_given_nodes(terminal: Terminal, how: list[str]) -> None:
    result = terminal.run("run", "web.json", "--nodes", "2", "-o", "json", *how)
    assert (result.code, result.err) == (0, "")
    assert '"node-1"' in result.out
    assert '"node-2"' not in result.out


def test_nodes_are_as_large_as_asked_for(terminal: Terminal) -> None:
    result = terminal.run("run", "web.json", "--nodes", "2", "--node", "cpu=1,memory=4Gi")
    assert "3 pods: 1 pending, 2 scheduled. Nodes used: 2 of 2." in result.out


def test_nodes_come_before_the_first_event_of_a_scenario(
    terminal: Terminal, tmp_path: pathlib.Path
) -> None:
    told = scenario(create(make_pod("p")), {"step": 1, "operation": "Done", "doneOperation": {}})
    (tmp_path / "scenario.json").write_text(json.dumps(told))
    assert MISSING in terminal.run("run", "scenario.json").err
    result = terminal.run("run", "scenario.json", "--nodes", "1", "-o", "json")
    assert (result.code, result.err) == (0, "")
    assert "node-0" in result.out


def test_who_has_nodes_or_no_pods_is_told_nothing(
    terminal: Terminal, tmp_path: pathlib.Path
) -> None:
    (tmp_path / "node.json").write_text(json.dumps(make_node("n1")))
    assert terminal.run("run", "web.json", "node.json").err == ""
    assert terminal.run("run", "node.json").err == ""
    assert MISSING not in terminal.run("run", "web.json", "--for", "1m", "--at", "1s=node.json").err


@pytest.mark.parametrize("command", ["run", "serve"])
@pytest.mark.parametrize(
    ("words", "problem", "fix"),
    [
        (["--nodes", "0"], "0", "--help"),
        (["--node", "cpu=2"], "has no effect without --nodes", "--nodes 5"),
        (["--nodes", "2", "--node", "gpu=2"], '"gpu=2" is nothing that a node has', "cpu=8"),
        (["--nodes", "2", "n0.json"], 'the files have a node "node-0" already', "rename"),
    ],
)
def test_what_makes_no_sense_is_refused(
    terminal: Terminal,
    tmp_path: pathlib.Path,
    command: str,
    words: list[str],
    problem: str,
    fix: str,
) -> None:
    (tmp_path / "n0.json").write_text(json.dumps(make_node("node-0")))
    result = terminal.run(command, "web.json", *words)
    assert (result.code, result.out) == (2, "")
    assert problem in result.err
    assert fix in result.err


def test_a_server_without_nodes_says_so_and_what_to_type_next(tmp_path: pathlib.Path) -> None:
    with servers.serving(tmp_path, "--in-memory") as server:
        said = "".join(server.said)
        assert "There are no nodes yet, so pods stay pending." in said
        assert "kubestage serve --nodes 5" in said
        assert "kubestage examples" in said
        for command in ("kubectl get nodes", "kubectl create deployment web", "kubestage clock"):
            assert f"\n  {command}" in said
        assert "\x1b" not in said
        assert server.stop() == (0, "")


def test_a_pod_that_waits_for_a_node_is_told_of_in_upstreams_words(tmp_path: pathlib.Path) -> None:
    with servers.serving(tmp_path, "--in-memory") as server:
        pods = "/api/v1/namespaces/default/pods"
        assert server.call(pods, make_pod("p"), method="POST")[0] == 201
        conditions: list[Any] = []
        while not conditions:
            conditions = server.call(f"{pods}/p")[1]["status"].get("conditions")
        assert conditions[0]["message"] == "no nodes available to schedule pods"


def test_a_server_is_given_nodes_once(tmp_path: pathlib.Path) -> None:
    for _ in range(2):
        with servers.serving(tmp_path, "--nodes", "2", "--node", "cpu=4") as server:
            assert "no nodes" not in "".join(server.said)
            nodes = server.call("/api/v1/nodes")[1]["items"]
            assert [each["metadata"]["name"] for each in nodes] == ["node-0", "node-1"]
            for each in nodes:
                status = each["status"]
                assert status["capacity"]["cpu"] == "4"
                assert status["nodeInfo"]["kubeletVersion"].startswith("v1.36")
                conditions = {one["type"]: one["status"] for one in status["conditions"]}
                assert conditions["Ready"] == "True"
            assert server.stop()[0] == 0


def test_who_runs_no_pods_misses_no_nodes(tmp_path: pathlib.Path) -> None:
    with servers.serving(tmp_path, "--in-memory", "--api-only") as server:
        assert "no nodes" not in "".join(server.said)


def test_ephemeral_storage_may_be_stated() -> None:
    shape = node_shape.parse("cpu=2,ephemeral-storage=20Gi")
    assert plain_nodes.node(0, shape)["status"]["allocatable"]["ephemeral-storage"] == "20Gi"
    with pytest.raises(InputError, match="did you mean ephemeral-storage=20Gi"):
        node_shape.parse("ephemeral-storage=20GiB")
    with pytest.raises(InputError, match="nothing that a node has"):
        node_shape.parse("ephemeral_storage=20Gi")
