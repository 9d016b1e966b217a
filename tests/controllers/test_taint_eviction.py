from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.controllers import pods
from kubestage.controllers.taint_eviction import TaintEvictionController
from kubestage.testing import make_node
from tests.controllers.living import NODE, running
from tests.controllers.stages import events, stage_with

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.stage import Stage


_UNREACHABLE = "node.kubernetes.io/unreachable"
_NOT_READY = "node.kubernetes.io/not-ready"


def _toleration(key: str, seconds: int | None) -> Json:
    found: Json = {"key": key, "operator": "Exists", "effect": "NoExecute"}
    return found if seconds is None else {**found, "tolerationSeconds": seconds}


def _stage(*tolerations: Json) -> Stage:
    stage = stage_with(TaintEvictionController)
    stage.store.load(make_node("n1"))
    stage.store.load(running("a", tolerations=tolerations))
    stage.run("1s")
    return stage


def _taint(stage: Stage, *keys: str) -> None:
    found = [{"key": key, "effect": "NoExecute"} for key in keys]
    stage.store.patch(NODE, "n1", {"spec": {"taints": found or None}})


def _is_going(stage: Stage) -> bool:
    return "deletionTimestamp" in stage.store.read(pods.POD)["default/a"]["metadata"]


def test_a_pod_that_does_not_tolerate_a_taint_goes_at_once_and_says_why() -> None:
    stage = _stage()
    _taint(stage, _UNREACHABLE)
    stage.run("1ms")
    assert _is_going(stage)
    found = pods.condition(stage.store.read(pods.POD)["default/a"]["status"], "DisruptionTarget")
    assert found == {
        "type": "DisruptionTarget",
        "observedGeneration": 1,
        "status": "True",
        "lastTransitionTime": "2026-01-01T00:00:01Z",
        "reason": "DeletionByTaintManager",
        "message": "Taint manager: deleting due to NoExecute taint",
    }
    assert events(stage) == [("TaintManagerEviction", "Marking for deletion Pod default/a", 1)]


def test_a_pod_stays_as_long_as_its_shortest_toleration() -> None:
    stage = _stage(_toleration(_UNREACHABLE, 300), _toleration(_NOT_READY, 20))
    _taint(stage, _UNREACHABLE, _NOT_READY)
    stage.run("19s")
    assert not _is_going(stage)
    stage.run("1s")
    assert _is_going(stage)


def test_a_toleration_without_an_end_is_for_ever() -> None:
    stage = _stage(_toleration(_UNREACHABLE, None))
    _taint(stage, _UNREACHABLE)
    stage.run("24h")
    assert not _is_going(stage)
    assert not events(stage)


def test_a_taint_that_goes_in_time_leaves_the_pod() -> None:
    stage = _stage(_toleration(_UNREACHABLE, 20))
    _taint(stage, _UNREACHABLE)
    stage.run("10s")
    _taint(stage)
    stage.run("1m")
    assert not _is_going(stage)
    assert events(stage) == [("TaintManagerEviction", "Cancelling deletion of Pod default/a", 1)]


def test_a_second_taint_that_is_not_tolerated_ends_the_wait() -> None:
    stage = _stage(_toleration(_UNREACHABLE, 300))
    _taint(stage, _UNREACHABLE)
    stage.run("10s")
    _taint(stage, _UNREACHABLE, "broken")
    stage.run("1ms")
    assert _is_going(stage)
    assert [message for _, message, _ in events(stage)] == [
        "Cancelling deletion of Pod default/a",
        "Marking for deletion Pod default/a",
    ]


def test_the_wait_begins_with_the_first_taint() -> None:
    stage = _stage(_toleration(_UNREACHABLE, 20), _toleration(_NOT_READY, 20))
    _taint(stage, _UNREACHABLE)
    stage.run("15s")
    _taint(stage, _NOT_READY)
    stage.run("5s")
    assert _is_going(stage)


def test_pods_that_come_to_a_tainted_node_are_judged_too() -> None:
    stage = _stage(_toleration("", None))
    _taint(stage, "broken")
    stage.run("1s")
    stage.store.load(running("b", 2))
    stage.run("1ms")
    assert "deletionTimestamp" in stage.store.read(pods.POD)["default/b"]["metadata"]
    assert not _is_going(stage)


def test_other_effects_evict_nobody() -> None:
    stage = _stage()
    stage.store.patch(NODE, "n1", {"spec": {"taints": [{"key": "x", "effect": "NoSchedule"}]}})
    stage.run("1h")
    assert not _is_going(stage)
