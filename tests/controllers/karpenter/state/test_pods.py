from __future__ import annotations

import pytest

from kubestage.aliases import Json
from kubestage.controllers.karpenter.events import Event, ignore
from kubestage.controllers.karpenter.state import eviction_cost, pod_state
from kubestage.controllers.karpenter.state.disruption_limits import DisruptionLimits
from kubestage.objects import timestamps
from kubestage.units import HOUR_NS, MINUTE_NS
from tests.controllers.karpenter import objects

NOW_NS = objects.START_NS


def _owned(kind: str) -> Json:
    group = "v1" if kind == "Node" else "apps/v1"
    return objects.pod("p", "a", ownerReferences=[{"apiVersion": group, "kind": kind}])


@pytest.mark.parametrize(
    ("annotations", "priority", "expected"),
    [
        ({}, None, 1.0),
        ({"controller.kubernetes.io/pod-deletion-cost": "134217728"}, None, 2.0),
        ({"controller.kubernetes.io/pod-deletion-cost": "-2147483647"}, None, -10.0),
        ({"controller.kubernetes.io/pod-deletion-cost": "high"}, None, 1.0),
        ({}, 1 << 25, 2.0),
        ({}, 1_000_000_000, 10.0),
        ({}, -(1 << 25), 0.0),
    ],
)
def test_the_cost_of_a_pod(
    annotations: dict[str, str], priority: int | None, expected: float
) -> None:
    pod = objects.pod("p", "a", annotations=annotations)
    if priority is not None:
        pod["spec"]["priority"] = priority
    assert eviction_cost.of(pod) == pytest.approx(expected, abs=1e-7)


def test_pods_that_are_free_to_move_do_not_make_others_cheaper() -> None:
    free = objects.pod("p", "a")
    free["spec"]["priority"] = -(1 << 27)
    assert eviction_cost.positive_sum([free, objects.pod("q", "a")]) == 2.0


@pytest.mark.parametrize(
    ("expire_after", "expected"), [("Never", 1.0), ("4h", 0.5), ("2h", 0.0), ("1h", 0.0)]
)
def test_costs_shrink_with_the_life_that_remains(expire_after: str, expected: float) -> None:
    claim = objects.node_claim("a", {}, expireAfter=expire_after)
    assert eviction_cost.remaining_lifetime(claim, NOW_NS) == expected


def test_pods_of_stateful_sets_come_again_while_they_still_end() -> None:
    assert pod_state.is_reschedulable(objects.pod("p", "a"))
    for kind, expected in (("StatefulSet", True), ("ReplicaSet", False), ("DaemonSet", False)):
        ending = _owned(kind)
        ending["metadata"]["deletionTimestamp"] = objects.CREATED
        assert pod_state.is_reschedulable(ending) is expected
    assert not pod_state.is_reschedulable(_owned("Node"))


@pytest.mark.parametrize(
    ("value", "age_ns", "expected", "reason"),
    [
        ("true", 0, True, None),
        ("1h", 30 * MINUTE_NS, True, "DoNotDisruptUntil"),
        ("1h", HOUR_NS, False, "DoNotDisruptGracePeriodElapsed"),
        ("false", 0, False, "InvalidDoNotDisruptAnnotation"),
        ("-1h", 0, False, "InvalidDoNotDisruptAnnotation"),
    ],
)
def test_pods_may_be_protected_for_a_while(
    value: str, age_ns: int, expected: bool, reason: str | None
) -> None:
    pod = objects.pod("p", "a", annotations={"karpenter.sh/do-not-disrupt": value})
    pod["status"]["startTime"] = timestamps.format_time(NOW_NS - age_ns)
    published: list[Event] = []
    assert pod_state.is_protected(pod, NOW_NS, published.append) is expected
    assert [event.reason for event in published] == ([reason] if reason else [])


def test_a_wrong_annotation_is_explained() -> None:
    published: list[Event] = []
    pod = objects.pod("p", "a", annotations={"karpenter.sh/do-not-disrupt": "1"})
    pod_state.is_protected(pod, NOW_NS, published.append)
    assert published[0].message == (
        'Invalid karpenter.sh/do-not-disrupt annotation: failed to parse "1" as a duration: '
        'time: missing unit in duration "1", ignoring annotation'
    )


@pytest.mark.parametrize(
    ("budgets", "expected"),
    [
        ([], []),
        ([objects.budget("a", 1)], []),
        ([objects.budget("a", 0)], ["default/a"]),
        ([objects.budget("a", 1), objects.budget("b", 1)], ["default/a", "default/b"]),
        ([objects.budget("a", 0, selector={"matchLabels": {"app": "db"}})], []),
    ],
)
def test_budgets_keep_pods(budgets: list[Json], expected: list[str]) -> None:
    limits = DisruptionLimits(budgets)
    assert limits.blockers([objects.pod("p", "a")], NOW_NS, ignore) == expected


def test_unready_pods_may_go_if_their_budget_lets_them() -> None:
    unready = objects.pod("p", "a")
    unready["status"]["conditions"] = [{"type": "Ready", "status": "False"}]
    generous = objects.budget("a", 0, unhealthyPodEvictionPolicy="AlwaysAllow")
    assert DisruptionLimits([generous]).blockers([unready], NOW_NS, ignore) == []
    assert DisruptionLimits([objects.budget("a", 0)]).blockers([unready], NOW_NS, ignore)


def test_pods_that_would_not_be_evicted_are_not_kept() -> None:
    staying = objects.pod("p", "a")
    staying["spec"]["tolerations"] = [{"operator": "Exists"}]
    limits = DisruptionLimits([objects.budget("a", 0)])
    assert limits.blockers([staying, _owned("Node")], NOW_NS, ignore) == []


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"maxUnavailable": 0}, False),
        ({"maxUnavailable": "0%"}, False),
        ({"minAvailable": "100%"}, False),
        ({"maxUnavailable": 1}, True),
        ({"minAvailable": 3}, True),
    ],
)
def test_pods_that_can_never_go_are_not_rescheduled(spec: Json, expected: bool) -> None:
    limits = DisruptionLimits([objects.budget("a", 0, **spec)])
    assert limits.is_currently_reschedulable(objects.pod("p", "a"), NOW_NS) is expected
