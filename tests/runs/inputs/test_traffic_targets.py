"""Requests for something that nobody creates are told of before anything runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage.testing import make_deployment, make_node
from tests.cli import clusters

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from tests.cli.terminal import Result, Terminal


def deployment(name: str = "web", namespace: str = "default") -> Json:
    made = make_deployment(name, replicas=1)
    return {**made, "metadata": {**made["metadata"], "namespace": namespace}}


def traffic(name: str = "web") -> Json:
    return {
        "apiVersion": "kubestage.dev/v1alpha1",
        "kind": "Traffic",
        "metadata": {"name": "load"},
        "spec": {
            "target": {"kind": "Deployment", "name": name},
            "pattern": {"constant": {"rps": 1}},
        },
    }


def scenario(*objects: Json) -> Json:
    events = [
        {"id": str(at), "step": 0, "operation": "Create", "createOperation": {"object": obj}}
        for at, obj in enumerate(objects)
    ]
    return {
        "apiVersion": "simulation.kube-scheduler-simulator.x-k8s.io/v1alpha1",
        "kind": "Scenario",
        "metadata": {"name": "s"},
        "spec": {"events": events},
    }


def run(terminal: Terminal, *objects: Json, options: tuple[str, ...] = ("--for", "1m")) -> Result:
    clusters.write("all.json", make_node("a"), *objects)
    return terminal.run("run", "all.json", *options)


def test_what_cannot_be_a_target_at_all_is_told_by_its_kind(terminal: Terminal) -> None:
    load = traffic()
    load["spec"]["target"]["kind"] = "Deploymnet"
    result = run(terminal, load, deployment())
    assert result.code == 2
    assert "spec.target.kind: " in result.err


@pytest.mark.parametrize(
    ("objects", "fix"),
    [
        ((traffic(),), "add the manifest of the Deployment"),
        ((traffic("wbe"), deployment()), "did you mean web?"),
        ((traffic(), deployment("web", "shop")), "it is in namespace shop"),
    ],
)
def test_a_target_that_nobody_creates_is_refused(
    terminal: Terminal, objects: tuple[Json, ...], fix: str
) -> None:
    result = run(terminal, *objects)
    assert (result.code, result.out) == (2, "")
    assert "there is no Deployment" in result.err
    assert fix in result.err
    assert "spec.target.name" in result.err


def test_a_target_that_is_there_is_fine(terminal: Terminal) -> None:
    assert run(terminal, traffic(), deployment()).code == 0


def test_what_comes_later_is_looked_at_too(terminal: Terminal) -> None:
    clusters.write("later.json", traffic())
    options = ("--for", "2m", "--at", "1m=later.json")
    assert run(terminal, deployment(), options=options).code == 0
    result = run(terminal, deployment("other"), options=options)
    assert (result.code, "later.json" in result.err) == (2, True)


def test_scenarios_are_looked_through(terminal: Terminal) -> None:
    result = run(terminal, scenario(deployment("other"), traffic()), options=())
    assert "spec.events[1].createOperation.object.spec.target.name" in result.err
    assert result.code == 2
    assert run(terminal, scenario(deployment(), traffic()), options=()).code == 0


def test_a_scenario_with_time_in_it_tells_how_its_requests_fared(terminal: Terminal) -> None:
    told = scenario(make_node("b"), deployment(), traffic())
    told["spec"]["stepDuration"] = "5m"
    result = run(terminal, told, options=())
    assert result.code == 0
    head, row = result.out.splitlines()[-2:]
    assert head.split()[:3] == ["TRAFFIC", "REQUESTS", "FAILED"]
    assert row.startswith("default/load")
    assert row.split()[1] in ("300", "301")


def test_a_container_that_no_pod_has_is_noted(terminal: Terminal) -> None:
    load = traffic()
    load["spec"]["container"] = "proxy"
    result = run(terminal, load, deployment())
    assert result.code == 0
    assert result.err.startswith("Note: traffic default/load: ")
    assert "proxy" in result.err
    assert run(terminal, traffic(), deployment()).err == ""
