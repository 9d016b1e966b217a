"""Nodes that stay unhealthy are replaced, if not too many are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.controllers.karpenter.lifecycle.stages import (
    CLAIM,
    NODE,
    POD,
    claims,
    make_web,
    nodes,
    on_demand,
    pending,
    run,
    staged,
    told,
)

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.stage import Stage

STOPPED = {"metadata": {"annotations": {"kubestage.dev/heartbeat": "stopped"}}}


def _names(stage: Stage) -> list[str]:
    return sorted(each["metadata"]["name"] for each in nodes(stage))


def _spread(replicas: int, *, repairs: bool = True) -> Stage:
    """A node for each pod, all of one NodePool, which is never consolidated."""
    pool = on_demand(disruption={"consolidateAfter": "Never"})
    stage = staged(make_web(replicas, cpu="7"), pool, node_repair=repairs)
    run(stage, 60)
    assert len(nodes(stage)) == replicas
    return stage


def _set(stage: Stage, name: str, kind: str, value: str) -> None:
    """Give a node a condition as a monitoring agent would."""
    node: Json = stage.store.get(NODE, name)
    at = node["status"]["conditions"][0]["lastHeartbeatTime"]
    found = {"type": kind, "status": value, "lastTransitionTime": at, "reason": "Agent"}
    kept = [each for each in node["status"]["conditions"] if each["type"] != kind]
    stage.store.record_status(NODE, name, {**node["status"], "conditions": [*kept, found]})


def test_a_silent_node_is_replaced_after_half_an_hour() -> None:
    stage = _spread(2)
    ill, well = _names(stage)
    stage.store.patch(NODE, ill, STOPPED)
    run(stage, 25 * 60)
    assert ill in _names(stage)
    run(stage, 15 * 60)
    assert ill not in _names(stage)
    assert well in _names(stage)
    assert (len(nodes(stage)), pending(stage)) == (2, 0)


def test_without_the_feature_gate_it_stays() -> None:
    stage = _spread(1, repairs=False)
    _set(stage, _names(stage)[0], "StorageReady", "False")
    run(stage, 3600)
    assert [each["metadata"]["name"] for each in claims(stage)] == _names(stage)
    assert "deletionTimestamp" not in claims(stage)[0]["metadata"]


@pytest.mark.parametrize(
    ("kind", "value", "minutes"),
    [
        ("AcceleratedHardwareReady", "False", 10),
        ("KernelReady", "False", 30),
        ("KernelReady", "Unknown", None),
        ("AppReady", "False", None),
    ],
)
def test_each_condition_is_tolerated_for_its_time(
    kind: str, value: str, minutes: int | None
) -> None:
    stage = _spread(1)
    (name,) = _names(stage)
    _set(stage, name, kind, value)
    run(stage, 60 * (minutes or 40) - 70)
    assert name in _names(stage)
    run(stage, 200)
    assert (name in _names(stage)) is (minutes is None)


def test_a_condition_that_ends_in_time_is_forgotten() -> None:
    stage = _spread(1)
    (name,) = _names(stage)
    _set(stage, name, "KernelReady", "False")
    run(stage, 20 * 60)
    _set(stage, name, "KernelReady", "True")
    run(stage, 20 * 60)
    assert _names(stage) == [name]


def test_pods_of_an_unhealthy_node_get_no_time() -> None:
    stage = _spread(1)
    budget = {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": "web"},
        "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": "web"}}},
    }
    stage.apply([budget])
    (name,) = _names(stage)
    _set(stage, name, "AcceleratedHardwareReady", "False")
    run(stage, 12 * 60)
    assert name not in _names(stage)
    assert all(each["spec"].get("nodeName") != name for each in stage.store.list(POD).items)


def test_too_many_unhealthy_nodes_are_left_alone() -> None:
    stage = _spread(3)
    first, second, _ = _names(stage)
    for each in (first, second):
        _set(stage, each, "StorageReady", "False")
    run(stage, 40 * 60)
    assert {first, second} <= set(_names(stage))
    assert told(stage, "NodeRepairBlocked") == ["more than 20% nodes are unhealthy in the nodepool"]
    _set(stage, first, "StorageReady", "True")
    run(stage, 10 * 60)
    assert first in _names(stage)
    assert second not in _names(stage)
    assert {each["metadata"]["name"] for each in stage.store.list(CLAIM).items} == {*_names(stage)}
