"""Which pods are due, and which first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.controllers.vpa import priority
from kubestage.controllers.vpa.settings import VpaSettings
from kubestage.sim.clock import Clock
from kubestage.sim.streams import Streams
from kubestage.store.store import Store
from tests.controllers.vpa import worlds

if TYPE_CHECKING:
    from kubestage.aliases import Json

_NOW = 1_767_225_600 * 1_000_000_000
_HOUR = 3600 * 1_000_000_000


def _pod(name: str = "p", cpu: str = "100m", **parts: Any) -> Json:
    requests = {"cpu": cpu, "memory": "1Gi"}
    container = {"name": "app", "resources": {"requests": requests}}
    return {
        "metadata": {"namespace": "default", "name": name, **parts.get("metadata", {})},
        "spec": {"containers": [container]},
        "status": {"startTime": "2026-01-01T00:00:00Z", **parts.get("status", {})},
    }


def _vpa(cpu: str = "100m", lower: str = "50m", upper: str = "1", **spec: Any) -> Json:
    amounts = {"target": cpu, "lowerBound": lower, "upperBound": upper}
    said = {name: {"cpu": amount, "memory": "1Gi"} for name, amount in amounts.items()}
    containers = [{"containerName": "app", **said}]
    status = {"recommendation": {"containerRecommendations": containers}}
    return {**worlds.autoscaler(**spec), "status": status}


def _due(vpa: Json, *pods: Json, after_ns: int = _HOUR, **settings: Any) -> list[str]:
    store = Store(Clock(), Streams(0))
    found = priority.update_order(store, vpa, pods, VpaSettings(**settings), _NOW + after_ns)
    return [pod["metadata"]["name"] for pod in found]


@pytest.mark.parametrize(
    ("request_", "is_due"), [("49m", True), ("50m", False), ("1", False), ("1001m", True)]
)
def test_a_request_outside_the_bounds_is_due_at_once(request_: str, is_due: bool) -> None:
    assert bool(_due(_vpa(), _pod(cpu=request_))) is is_due


def test_a_container_without_a_request_is_due_at_once() -> None:
    pod = _pod()
    pod["spec"]["containers"][0]["resources"] = {}
    assert _due(_vpa(), pod) == ["p"]


@pytest.mark.parametrize(
    ("request_", "hours", "is_due"),
    [("90m", 12, True), ("90m", 11, False), ("92m", 12, False), ("125m", 12, True)],
)
def test_within_the_bounds_age_and_distance_decide(request_: str, hours: int, is_due: bool) -> None:
    assert bool(_due(_vpa(), _pod(cpu=request_), after_ns=hours * _HOUR)) is is_due


def test_those_that_are_to_grow_come_first_and_then_those_that_are_off_by_more() -> None:
    pods = [
        _pod("shrinks-much", "5"),
        _pod("grows-little", "40m"),
        _pod("grows-much", "10m"),
        _pod("shrinks", "2"),
    ]
    order = ["grows-much", "grows-little", "shrinks-much", "shrinks"]
    assert _due(_vpa(), *pods) == order


def _killed(finished: str) -> Json:
    ended = {
        "reason": "OOMKilled",
        "startedAt": "2026-01-01T00:00:00Z",
        "finishedAt": finished,
    }
    return {"containerStatuses": [{"name": "app", "lastState": {"terminated": ended}}]}


def test_a_kill_within_ten_minutes_of_the_start_is_due_if_anything_would_change() -> None:
    quick, slow = _killed("2026-01-01T00:09:59Z"), _killed("2026-01-01T00:10:00Z")
    assert _due(_vpa(), _pod(cpu="90m", status=quick)) == ["p"]
    assert not _due(_vpa(), _pod(cpu="90m", status=slow))
    assert not _due(_vpa(), _pod(cpu="100m", status=quick))


def test_a_kill_of_a_container_that_is_left_alone_does_not_count() -> None:
    policy = {"containerPolicies": [{"containerName": "app", "mode": "Off"}]}
    quick = _killed("2026-01-01T00:01:00Z")
    assert not _due(_vpa(resourcePolicy=policy), _pod(cpu="90m", status=quick))


def test_containers_that_came_after_admission_do_not_count() -> None:
    marked = {"annotations": {"vpaObservedContainers": "other"}}
    assert not _due(_vpa(), _pod(cpu="1m", metadata=marked))
    broken = {"annotations": {"vpaObservedContainers": "Not A Name"}}
    assert _due(_vpa(), _pod(cpu="1m", metadata=broken)) == ["p"]


def test_the_status_knows_better_than_the_spec_what_a_container_has() -> None:
    had = {"requests": {"cpu": "100m", "memory": "1Gi"}}
    status = {"containerStatuses": [{"name": "app", "resources": had}]}
    assert not _due(_vpa(), _pod(cpu="1m", status=status))


def test_one_resource_of_each_requirement_is_enough_but_every_requirement_counts() -> None:
    def asks(*wanted: tuple[str, str]) -> list[str]:
        requirements = [
            {"resources": ["cpu", "memory"], "changeRequirement": f"Target{how}ThanRequests"}
            if which == "any"
            else {"resources": [which], "changeRequirement": f"Target{how}ThanRequests"}
            for which, how in wanted
        ]
        policy = {"updateMode": "Recreate", "evictionRequirements": requirements}
        return _due(_vpa(updatePolicy=policy), _pod(cpu="10m"))

    assert asks(("any", "Higher")) == ["p"]
    assert not asks(("memory", "Higher"))
    assert not asks(("cpu", "Higher"), ("memory", "Lower"))
