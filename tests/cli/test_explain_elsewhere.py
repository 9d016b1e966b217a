"""Pods of manifests, of living runs and of served clusters are explained, too."""

from __future__ import annotations

import json
import pathlib
from typing import TYPE_CHECKING

import pytest

from kubestage.testing import make_deployment, make_node, make_pod, make_priority_class
from tests.cli import clusters, servers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from tests.cli.terminal import Terminal

ADVICE = (
    "It needs 6 cpu; node a has 3 free (none is that large: 4 at most).\n"
    "What would make it fit, each proved by scheduling on a copy of the cluster:\n"
    "  1. lower its cpu request from 6 to 3 (then it is on a)\n"
)


@pytest.fixture(autouse=True)
def _wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")


def _manifests(name: str = "cluster.json") -> None:
    clusters.write(name, make_node("a", cpu="4"), make_pod("small", cpu="1"),
                   make_pod("big", cpu="6"))  # fmt: skip


def test_manifests_are_run_to_explain_a_pod(terminal: Terminal) -> None:
    _manifests()
    for path in ("cluster.json", "."):
        result = terminal.run("explain", path, "big")
        assert (result.code, result.err) == (0, "")
        assert result.out.startswith("default/big: Pending (")
        assert "1          NodeResourcesFit   Insufficient cpu   a\n" in result.out
        assert result.out.endswith(f"\n\n{ADVICE}")
    placed = terminal.run("explain", "cluster.json", "small").out
    assert placed.startswith("default/small: Scheduled on a (1 attempt)\n")
    assert "What would make it fit" not in placed
    found = json.loads(terminal.run("explain", "cluster.json", "big", "-o", "json").out)
    assert found["advice"]["changes"][0]["provedOn"] == "a"
    assert found["attempts"][0]["explanation"]["filter"]["a"]["NodeName"] == "passed"


def test_a_living_run_is_repeated_to_explain_a_pod(terminal: Terminal) -> None:
    clusters.write("cluster.json", make_node("a", cpu="4"), make_pod("small", cpu="1"))
    clusters.write("later.json", make_pod("big", cpu="6"))
    words = ("--for", "2m", "--at", "1m=later.json", "--out", "kept")
    assert terminal.run("run", "cluster.json", *words).code in (0, 1)
    result = terminal.run("explain", "kept", "big")
    assert (result.code, result.err) == (0, "")
    assert "Attempt 1 (2026-01-01T00:01:00Z, number 2): unschedulable\n" in result.out
    assert result.out.endswith(f"\n\n{ADVICE}")
    placed = terminal.run("explain", "kept", "default/small", "--at", "30s")
    assert placed.out.startswith("default/small: Scheduled on a (1 attempt)\n")
    early = terminal.run("explain", "kept", "big", "--at", "30s")
    assert (early.code, 'there is no pod "big"' in early.err) == (2, True)
    late = terminal.run("explain", "kept", "big", "--at", "3m")
    assert late.err == (
        "Error: --at: 3m comes after the end of the run\n  fix: the run ends at 2m0s\n"
    )


def test_a_living_run_names_the_preemptor_and_pods_that_came_with_a_node(
    terminal: Terminal,
) -> None:
    first = [make_pod("low", cpu="3"), make_pod("fixed", cpu="100m", node_name="a")]
    high = make_priority_class("high", 100)
    clusters.write("cluster.json", make_node("a", cpu="4"), high, *first)
    clusters.write("later.json", make_pod("urgent", cpu="3", priority_class_name="high"))
    words = ("--for", "3m", "--at", "1m=later.json", "--out", "kept")
    assert terminal.run("run", "cluster.json", *words).code in (0, 1)
    low = terminal.run("explain", "kept", "low").out
    assert low.startswith("default/low: Deleted (1 attempt)\n  preempted by default/urgent on a\n")
    assert terminal.run("explain", "kept", "fixed").out == (
        "default/fixed: Scheduled on a (0 attempts)\n"
        "  it was created on a, so nothing was decided about it\n"
    )


def test_one_attempt_and_one_node_of_a_living_run(terminal: Terminal) -> None:
    _manifests()
    assert terminal.run("run", "cluster.json", "--for", "1m", "--out", "kept").code in (0, 1)
    asked = terminal.run("explain", "kept", "big", "--node", "a", "--attempt", "1").out
    assert "a is rejected by NodeResourcesFit: Insufficient cpu.\n" in asked
    assert "What would make it fit" not in asked
    result = terminal.run("explain", "kept", "big", "--attempt", "99")
    assert (result.code, "there is no attempt 99" in result.err) == (2, True)


def test_a_moment_is_for_living_runs(terminal: Terminal) -> None:
    _manifests()
    result = terminal.run("explain", "cluster.json", "big", "--at", "1m")
    assert (result.code, result.err.startswith("Error: --at: is for living runs\n")) == (2, True)


def _team() -> list[Json]:
    """A Deployment with one pod that a quota lets be, and two that it does not."""
    quota = {
        "apiVersion": "v1", "kind": "ResourceQuota",
        "metadata": {"name": "team", "namespace": "default"}, "spec": {"hard": {"pods": "1"}},
    }  # fmt: skip
    return [make_node("a", cpu="4"), quota, make_deployment("web", replicas=3)]


REFUSED = (
    "deployment/default/web: one more pod of it does not fit (0 attempts)\n"
    '  pods "web-new" is forbidden: exceeded quota: team, requested: pods=1, used: pods=1, '
    "limited: pods=1\n"
    "\n"
    "What would make it fit, each proved by scheduling on a copy of the cluster:\n"
    "  1. raise the quota default/team: pods from 1 to 2 (then it is on a)\n"
)


def test_a_workload_whose_pods_are_refused_is_explained(terminal: Terminal) -> None:
    clusters.write("cluster.json", *_team())
    terminal.run("run", "cluster.json", "--controllers", "--out", "steps")
    terminal.run("run", "cluster.json", "--for", "1m", "--out", "life")
    for run in ("steps", "life"):
        result = terminal.run("explain", run, "deploy/web")
        assert (result.code, result.err, result.out) == (0, "", REFUSED)
        page = pathlib.Path(run, "report.html").read_text(encoding="utf-8")
        assert "deployment/default/web: its pods are refused: " in page
        assert "1. raise the quota default/team: pods from 1 to 2 (then it is on a)" in page


def test_a_workload_is_explained_by_a_pod_of_it_that_waits(terminal: Terminal) -> None:
    web = make_deployment("web", replicas=2, pod=make_pod("web", cpu="3"))
    clusters.write("cluster.json", make_node("a", cpu="4"), web)
    terminal.run("run", "cluster.json", "--controllers", "--out", "steps")
    for run in ("steps", "cluster.json"):
        out = terminal.run("explain", run, "deployment/default/web").out
        assert out.startswith("default/web-")
        assert "It needs 3 cpu; node a has 1 free.\n" in out
    page = pathlib.Path("steps", "report.html").read_text(encoding="utf-8")
    assert "It needs 3 cpu; node a has 1 free." in page


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[servers.Server]:
    with servers.serving(tmp_path_factory.mktemp("explained")) as running:
        pods = "/api/v1/namespaces/default/pods"
        running.call("/api/v1/nodes", make_node("a", cpu="4"), method="POST")
        running.call(pods, make_pod("small", cpu="1"), method="POST")
        running.call(pods, make_pod("big", cpu="6"), method="POST")
        lab = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "lab"}}
        running.call("/api/v1/namespaces", lab, method="POST")
        for each in _team()[1:]:
            kind = {"ResourceQuota": "/api/v1", "Deployment": "/apis/apps/v1"}[each["kind"]]
            space = {**each, "metadata": {**each["metadata"], "namespace": "lab"}}
            path = f"{kind}/namespaces/lab/{each['kind'].lower()}s"
            running.call(path, space, method="POST")
        running.call("/kubestage/v1/clock/advance", {"duration": "1s"}, method="POST")
        yield running


def test_a_pod_of_a_served_cluster_is_explained(terminal: Terminal, server: servers.Server) -> None:
    for words in (
        ("--server", server.address, "big"),
        ("--kubeconfig", str(server.kubeconfig), "default/big"),
    ):
        result = terminal.run("explain", *words)
        assert (result.code, result.err) == (0, "")
        assert "1          NodeResourcesFit   Insufficient cpu   a\n" in result.out
        assert result.out.endswith(f"\n\n{ADVICE}")
    found = json.loads(terminal.run("explain", "--server", server.address, "big", "-o", "json").out)
    assert found["advice"]["lines"] == ADVICE.splitlines()


def test_a_workload_of_a_served_cluster_is_explained(
    terminal: Terminal, server: servers.Server
) -> None:
    result = terminal.run("explain", "--server", server.address, "deployment/lab/web")
    assert (result.code, result.err) == (0, "")
    assert result.out == REFUSED.replace("default/", "lab/")


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["nobody"], 'no pod "default/nobody", and none of that name was tried'),
        (["deploy/nobody"], 'no workload "Deployment/default/nobody"'),
        (["kept", "big"], "kept: a served cluster has no runs to name"),
    ],
)
def test_bad_questions_to_a_server_are_told(
    terminal: Terminal, server: servers.Server, words: list[str], problem: str
) -> None:
    result = terminal.run("explain", "--server", server.address, *words)
    assert result.code == 2
    assert problem in result.err


def test_a_server_that_is_not_there_is_told(terminal: Terminal) -> None:
    result = terminal.run("explain", "--server", "http://127.0.0.1:1", "big")
    assert (result.code, "no server runs at http://127.0.0.1:1" in result.err) == (2, True)
