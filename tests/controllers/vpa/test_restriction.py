"""How many pods of a group may be disturbed, and when a resize has failed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.controllers.vpa.restriction import Group, Restriction
from kubestage.controllers.vpa.settings import VpaSettings
from kubestage.sim.clock import Clock
from kubestage.sim.streams import Streams
from kubestage.store.store import Store
from kubestage.units import MINUTE_NS
from tests.controllers.vpa import worlds

if TYPE_CHECKING:
    from kubestage.aliases import Json


@pytest.mark.parametrize(
    ("configured", "running", "evictions"),
    [(1, 1, 1), (2, 2, 1), (3, 3, 1), (3, 2, 0), (4, 4, 2), (10, 8, 3), (10, 5, 0)],
)
def test_a_group_keeps_half_of_its_pods_and_loses_one_at_least_if_it_is_whole(
    configured: int, running: int, evictions: int
) -> None:
    group = Group(configured, int(configured * 0.5), too_small=False)
    group.running = running
    while group.may_be_disturbed:
        group.evicted += 1
    assert group.evicted == evictions


def _pod(name: str, phase: str = "Running", *conditions: Json) -> Json:
    owner = {"kind": "ReplicaSet", "name": "rs", "apiVersion": "apps/v1", "controller": True}
    return {
        "metadata": {"namespace": "default", "name": name, "ownerReferences": [owner]},
        "spec": {"containers": [{"name": "app"}]},
        "status": {"phase": phase, "conditions": list(conditions)},
    }


def _vpa(mode: str = "InPlaceOrRecreate", **policy: Any) -> Json:
    vpa = worlds.autoscaler(mode=None, updatePolicy={"updateMode": mode, **policy})
    return {**vpa, "status": {"recommendation": {}}}


def _restriction(vpa: Json, pods: list[Json], replicas: int = 4, **settings: Any) -> Restriction:
    store = Store(Clock(), Streams(0), implicit_namespaces=True)
    store.create(
        {
            "apiVersion": "apps/v1",
            "kind": "ReplicaSet",
            "metadata": {"name": "rs"},
            "spec": {
                "replicas": replicas,
                "selector": {"matchLabels": {"a": "b"}},
                "template": {
                    "metadata": {"labels": {"a": "b"}},
                    "spec": {"containers": [{"name": "app", "image": "x"}]},
                },
            },
        }
    )
    return Restriction(store, VpaSettings(**settings), vpa, pods, {})


def _condition(kind: str, reason: str = "", message: str = "") -> Json:
    return {"type": kind, "status": "True", "reason": reason, "message": message}


def test_pending_pods_may_always_go_and_are_never_resized() -> None:
    pods = [_pod("a", "Pending"), _pod("b"), _pod("c")]
    restriction = _restriction(_vpa(), pods)
    assert restriction.can_evict(pods[0], 0)
    assert not restriction.can_evict(pods[1], 0)
    assert restriction.can_resize(pods[0], _vpa(), 0) == "deferred"


@pytest.mark.parametrize(
    ("pods", "minimum", "may"), [(1, None, False), (1, 1, True), (2, 3, False)]
)
def test_too_few_replicas_are_spared(pods: int, minimum: int | None, may: bool) -> None:
    vpa = _vpa("Recreate") if minimum is None else _vpa("Recreate", minReplicas=minimum)
    found = [_pod(f"p{index}") for index in range(pods)]
    assert _restriction(vpa, found, pods).can_evict(found[0], 0) is may


@pytest.mark.parametrize(
    ("condition", "minutes", "decision"),
    [
        (_condition("PodResizePending", "Deferred"), 5, "deferred"),
        (_condition("PodResizePending", "Deferred"), 6, "evict"),
        (_condition("PodResizePending", "Infeasible"), 0, "evict"),
        (_condition("PodResizeInProgress"), 60, "deferred"),
        (_condition("PodResizeInProgress"), 61, "evict"),
        (_condition("PodResizeInProgress", "Error", "no"), 0, "evict"),
    ],
)
def test_a_resize_that_hangs_or_fails_ends_in_eviction(
    condition: Json, minutes: int, decision: str
) -> None:
    pods = [_pod("a", "Running", condition), *map(_pod, "bcd")]
    restriction = _restriction(_vpa(), pods)
    restriction.can_resize(pods[0], _vpa(), 0)
    now_ns = minutes * MINUTE_NS
    assert restriction.can_resize(pods[0], _vpa(), now_ns) == decision
    assert restriction.can_evict(pods[0], now_ns) is (decision == "evict")


def test_resizes_count_as_disturbances() -> None:
    pods = list(map(_pod, "abcd"))
    restriction = _restriction(_vpa(), pods)
    for pod in pods[:2]:
        assert restriction.can_resize(pod, _vpa(), 0) == "approved"
        restriction.record_resize(pod)
    assert restriction.can_resize(pods[2], _vpa(), 0) == "deferred"
    assert not restriction.can_evict(pods[2], 0)


def test_resizes_that_restart_nothing_may_skip_the_budget_but_evictions_may_not() -> None:
    pod = _pod("a")
    restriction = _restriction(_vpa(), [pod], 1, in_place_skip_disruption_budget=True)
    assert restriction.can_resize(pod, _vpa(), 0) == "approved"
    assert not restriction.can_evict(pod, 0)
    restriction.record_resize(pod)
    assert restriction.can_resize(pod, _vpa(), 0) == "approved"
    pod["spec"]["containers"][0]["resizePolicy"] = [{"restartPolicy": "RestartContainer"}]
    assert restriction.can_resize(pod, _vpa(), 0) == "deferred"


def test_without_a_recommendation_nothing_is_resized() -> None:
    pods = list(map(_pod, "ab"))
    assert _restriction(_vpa(), pods, 2).can_resize(pods[0], worlds.autoscaler(), 0) == "deferred"
