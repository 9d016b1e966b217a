"""Worlds that cannot be played: each gives an error with the place of what is wrong."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from kubestage.errors import InputError
from kubestage.replay import cluster_autoscaler
from kubestage.replay.cluster_autoscaler import flags
from kubestage.testing import make_node, make_pod

if TYPE_CHECKING:
    from kubestage.replay.cluster_autoscaler import RecordedWorld


def _group(**stated: Any) -> dict[str, Any]:
    amounts = {"cpu": "4", "memory": "8Gi", "pods": "110"}
    status = {"capacity": amounts, "allocatable": amounts}
    template = {"metadata": {"labels": {}}, "spec": {}, "status": status}
    return {"name": "pool", "min": 0, "max": 3, "template": template, **stated}


def _world(**stated: Any) -> RecordedWorld:
    world = {
        "name": "one",
        "category": "made-up",
        "flags": {},
        "nodeGroups": [_group()],
        "objects": [make_node("n1"), make_pod("p1", node_name="n1")],
        "steps": [{"time": 0, "actions": [], "loop": {}}, {"time": 10, "actions": [], "loop": {}}],
        **stated,
    }
    return cluster_autoscaler.read(json.dumps(world).encode(), "one.json")


def _acting(action: Any) -> list[dict[str, Any]]:
    return [{"time": 0, "actions": [action], "loop": {}}]


def test_a_world_that_is_right_is_played() -> None:
    assert len(list(cluster_autoscaler.play(_world()))) == 2


@pytest.mark.parametrize(
    ("stated", "problem"),
    [
        ({"flagz": {}}, "unknown field flagz"),
        ({"nodeGroups": [_group(maximum=3)]}, "unknown field maximum - at $.nodeGroups[0]"),
        ({"nodeGroups": [_group(shortage="late")]}, "'late' - at $.nodeGroups[0].shortage"),
        ({"nodeGroups": [_group(options={"zeroOrMax": True})]}, "unknown field zeroOrMax"),
        (
            {"nodeGroups": [_group(options={"scaleDownUnneededTime": "soon"})]},
            'nodeGroups[0].options.scaleDownUnneededTime: time: invalid duration "soon"',
        ),
        ({"nodeGroups": [_group(), _group()]}, "two node groups are called 'pool'"),
        (
            {"nodeGroups": [_group(template={"status": {"capacity": {"cpu": "1"}}})]},
            "nodeGroups[0].template.status.allocatable is missing",
        ),
        (
            {"nodeGroups": [_group(template={"spec": {"taint": []}})]},
            'nodeGroups[0].template.spec.taint: unknown field "taint"',
        ),
        ({"objects": [{"kind": "Pod"}]}, "objects[0].kind: 'Pod' with apiVersion None is not"),
        (
            {"objects": [{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}}]},
            "objects[0].metadata.namespace is missing",
        ),
        (
            {"objects": [{"apiVersion": "v1", "kind": "Node", "spec": {"taints": 5}}]},
            "objects[0].spec.taints: ",
        ),
        (
            {"objects": [make_node("n1", taints=[{"effect": "NoSchedule"}])]},
            "objects[0].spec.taints[0].key is missing",
        ),
        ({"steps": [{"time": 0, "loop": {}}]}, "missing required field actions - at $.steps[0]"),
        ({"steps": [{"time": -1, "actions": [], "loop": {}}]}, "at $.steps[0].time"),
        (
            {"steps": [{"time": at, "actions": [], "loop": {}} for at in (20, 10)]},
            "steps[1].time: 10 is before the step before it",
        ),
        (
            {"steps": [{"time": 0, "actions": [], "loop": {"events": ["x"]}}]},
            "steps[0].loop.events: a list of objects is expected",
        ),
        (
            {"steps": [{"time": 0, "actions": [], "loop": {"scaleDown": 5}}]},
            "steps[0].loop.scaleDown: an object is expected",
        ),
        ({"steps": _acting({"op": "explode"})}, "'explode' - at $.steps[0].actions[0].op"),
        ({"steps": _acting({"name": "n1"})}, "missing required field op"),
        ({"steps": _acting({"op": "nodeReady", "name": "n1"})}, "missing required field ready"),
        (
            {"steps": _acting({"op": "group", "group": "other", "max": 1})},
            "steps[0].actions[0].group: there is no node group 'other'",
        ),
        (
            {"steps": _acting({"op": "create", "object": {"kind": "Pot", "apiVersion": "v1"}})},
            "steps[0].actions[0].object.kind: 'Pot' with apiVersion 'v1' is not known",
        ),
    ],
)
def test_what_is_wrong_with_a_world_is_told_with_its_place(
    stated: dict[str, Any], problem: str
) -> None:
    with pytest.raises(InputError, match=r"one\.json: not a recorded world: ") as caught:
        _world(**stated)
    assert problem in str(caught.value)


@pytest.mark.parametrize(
    ("flag", "stated", "problem"),
    [
        ("scale-down-unneeded-time", "soon", 'time: invalid duration "soon"'),
        ("scale-down-unneeded-time", ["1m"], "Expected str, got array"),
        ("max-nodes-total", "many", "Expected int, got str"),
        ("scale-down-enabled", "perhaps", "Expected bool, got str"),
        ("cores-total", ["0:1"], "Expected str, got array"),
        ("expander", [], "Expected str, got array"),
    ],
)
def test_a_flag_with_a_value_that_does_not_do_is_refused(
    flag: str, stated: Any, problem: str
) -> None:
    with pytest.raises(InputError) as caught:
        flags.settings_of({flag: stated})
    assert str(caught.value).startswith(f"flags.{flag}: ")
    assert problem in str(caught.value)
