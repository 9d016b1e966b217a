from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from kubestage.errors import InputError
from kubestage.replay import cluster_autoscaler, world_formats
from tests.golden import autoscaler_worlds

if TYPE_CHECKING:
    from kubestage.replay.world_report import WorldReport


def _world() -> dict[str, Any]:
    path = autoscaler_worlds.COMPACT / "scale-down-empty-000.json.gz"
    if not path.exists():
        path = min(autoscaler_worlds.COMPACT.glob("scale-down-empty-*"))
    found: dict[str, Any] = json.loads(autoscaler_worlds.data(path))
    return found


def _report(world: dict[str, Any]) -> WorldReport:
    return cluster_autoscaler.compare(cluster_autoscaler.read(json.dumps(world).encode()))


def _started(world: dict[str, Any]) -> int:
    """The first step at which nodes are removed."""
    return next(
        number
        for number, step in enumerate(world["steps"])
        if step["loop"]["scaleDown"]["deletionStarted"]
    )


def test_a_removal_that_was_recorded_otherwise_is_a_decision_that_differs() -> None:
    world = _world()
    number = _started(world)
    world["orderSensitive"] = {}
    world["steps"][number]["loop"]["scaleDown"]["deletionStarted"][0]["node"] = "other"
    report = _report(world)
    assert not report.is_same
    assert report.identical == report.decisions - 1
    (difference,) = report.differences
    assert (difference.step, difference.field) == (number, "scaleDown.deletionStarted")
    assert (difference.path, difference.expected) == ("[0].node", "other")
    assert str(difference).startswith(f"step {number} ({difference.time:g} s) scaleDown.deletion")


def test_where_the_order_is_random_a_difference_is_found_and_does_not_count() -> None:
    world = _world()
    number = _started(world)
    world["orderSensitive"] = {str(number): ["scaleDown.deletionStarted"]}
    world["steps"][number]["loop"]["scaleDown"]["deletionStarted"][0]["node"] = "other"
    report = _report(world)
    assert report.is_same
    assert report.identical == report.decisions
    assert [each.counts for each in report.differences] == [False]


def test_events_are_compared_whatever_their_order() -> None:
    world = _world()
    for step in world["steps"]:
        for part in (step["loop"], step["until_next"]):
            part.get("events", []).reverse()
    assert _report(world).differences == []


def test_what_has_too_much_or_too_little_differs() -> None:
    world = _world()
    number = _started(world)
    events = world["steps"][number]["loop"]["events"]
    removed = events.pop()
    report = _report(world)
    (difference,) = [each for each in report.differences if each.field == "events"]
    assert removed in difference.got
    assert removed not in difference.expected


def test_a_flag_that_is_not_modelled_is_refused() -> None:
    world = _world()
    world["flags"]["salvo-scale-up"] = "true"
    with pytest.raises(InputError, match="'salvo-scale-up' is not a flag that is modelled"):
        _report(world)


def test_what_was_done_to_objects_that_ours_has_removed_is_left_out() -> None:
    world = _world()
    world["steps"][0]["actions"] = [
        {"op": "nodeReady", "name": "gone", "ready": True},
        {"op": "bind", "name": "gone", "namespace": "default", "node": "n1"},
        {"op": "unschedulable", "name": "gone", "namespace": "default"},
        {"op": "delete", "kind": "Pod", "name": "gone", "namespace": "default"},
    ]
    assert _report(world).differences == []


def test_what_is_no_world_is_refused() -> None:
    with pytest.raises(InputError, match=r"world\.json: not a recorded world: "):
        cluster_autoscaler.read(b'{"name": "x"}', "world.json")


@pytest.mark.parametrize("data", [b"[]", b"{", b"{}", b'{"objects": [], "expected": {}}', b"\xff"])
def test_other_files_are_not_recognised_as_worlds(data: bytes) -> None:
    assert world_formats.recognise(data) is None


def test_a_world_is_recognised_by_its_fields() -> None:
    found = world_formats.recognise(json.dumps(_world()).encode())
    assert found is not None
    assert found.program == "cluster-autoscaler"
