"""The documents: all resources created before starting a scenario are deleted at its start."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage.testing import make_deployment, make_namespace, make_node, make_pod
from tests.scenario import building
from tests.scenario.building import create, done, scenario

if TYPE_CHECKING:
    from kubestage.aliases import Json


def _before() -> list[Json]:
    finalized = make_pod("held", namespace="shop", node_name="old")
    finalized["metadata"]["finalizers"] = ["example.com/hold"]
    definition = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Cluster",
            "names": {"kind": "Widget", "plural": "widgets"},
            "versions": [
                {
                    "name": "v1",
                    "served": True,
                    "storage": True,
                    "schema": {"openAPIV3Schema": {"type": "object"}},
                }
            ],
        },
    }
    return [
        definition,
        make_namespace("shop"),
        make_node("old"),
        make_pod("p", node_name="old"),
        finalized,
        make_deployment("web", replicas=2),
        building.importance()["createOperation"]["object"],
        {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "w"}},
    ]


@pytest.mark.parametrize("alive", [False, True])
def test_all_resources_created_before_are_deleted_at_the_start(alive: bool) -> None:
    """All resources created before starting a scenario are deleted at its start."""
    stage = building.stage_with(alive=alive)
    stage.load(_before())
    stage.run("1m")
    stage.store.create(scenario(create(make_pod("new", cpu="1")), done()))
    stage.run_scenarios()
    assert building.phase(stage) == "Succeeded"
    left = {
        (collection.kind.kind, key)
        for collection in stage.store.collections()
        for key in collection.objects
        if collection.kind.kind not in ("Event", "Scenario")
    }
    assert left == {
        ("Pod", "default/new"),
        *(
            ("Namespace", name)
            for name in ("default", "kube-system", "kube-public", "kube-node-lease")
        ),
        *(("PriorityClass", f"system-{name}-critical") for name in ("cluster", "node")),
    }


def test_a_kind_of_the_same_name_in_another_group_is_a_resource_like_any_other() -> None:
    """Only Scenarios of the document's own group are spared, and may be changed by others."""
    definition = _before()[0]
    definition["metadata"]["name"] = "scenarios.example.com"
    definition["spec"]["names"] = {"kind": "Scenario", "plural": "scenarios"}
    other = {"apiVersion": "example.com/v1", "kind": "Scenario", "metadata": {"name": "w"}}
    stage = building.stage_with()
    stage.load([definition, other])
    stage.store.create(scenario(create(definition), create(make_node("n1"))))
    stage.run_scenarios()
    assert not stage.store.list(("example.com/v1", "Scenario")).items
    stage.store.create(other)
    assert building.message(stage).startswith("Scenario w was created by somebody else")


def test_what_was_there_before_has_no_effect_on_the_result() -> None:
    """So that they don't affect the simulation results."""
    events = [
        create(make_node("n1", cpu="2")),
        *(create(make_pod(f"p{i}", cpu="1")) for i in range(3)),
        done(),
    ]
    stage = building.stage_with()
    stage.load(_before())
    stage.store.create(scenario(*events))
    stage.run_scenarios()
    assert building.summary(stage) == building.summary(building.run(*events))


def test_what_one_scenario_leaves_behind_is_gone_when_the_next_one_starts() -> None:
    """One Scenario's pods and nodes are resources created before starting the next."""
    events = [create(make_node("n1", cpu="2")), create(make_pod("p", cpu="2")), done(1)]
    stage = building.stage_with(scenario(*events), scenario(*events, name="again"), alive=True)
    stage.run_scenarios()
    assert building.summary(stage) == building.summary(stage, "again")
    assert building.placements(stage) == {"p": "n1"}
