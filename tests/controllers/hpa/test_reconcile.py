"""Looks of an autoscaler without a cluster, as tools take them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.controllers.hpa.conditions import Condition, HpaStatus
from kubestage.controllers.hpa.context import Refused, Scale, Snapshot
from kubestage.controllers.hpa.reconcile import HorizontalAutoscaler
from kubestage.controllers.hpa.settings import HpaSettings
from kubestage.objects import defaulting
from tests.controllers.hpa.scene import autoscaler
from tests.controllers.hpa.test_replica_count import NOW_NS, SECOND_NS, Known, fleet

if TYPE_CHECKING:
    from kubestage.aliases import Json

EVERY_NS = 15 * SECOND_NS


def stored(**parts: Any) -> Json:
    made: Json = defaulting.default(autoscaler(**parts))
    return made


class NoStatus(Snapshot):
    """Everything works, save that the status cannot be written."""

    def write_status(self, status: HpaStatus) -> None:
        """Refuse it."""
        del status
        raise Refused("etcd is full")


def test_a_snapshot_is_all_that_a_look_needs() -> None:
    eager = HorizontalAutoscaler(HpaSettings())
    hpa = stored()
    replicas, wanted = 2, []
    for step in range(3):
        client = Known({f"p{index}": 4000 // replicas for index in range(replicas)})
        context = Snapshot(Scale(replicas, replicas, "app=web"), fleet(replicas), client)
        result = eager.sync(NOW_NS + step * EVERY_NS, hpa, context)
        hpa = {**hpa, "status": result.status.as_json()}
        replicas = result.scaled_to or replicas
        wanted.append((result.recommendation, result.scaled_to, result.error))
    assert wanted == [(8, 4, None), (8, 8, None), (8, None, None)]
    assert HpaStatus.read(hpa["status"]) == result.status


def test_what_a_look_is_given_is_left_as_it_was() -> None:
    hpa = stored()
    before = repr(hpa)
    HorizontalAutoscaler(HpaSettings()).sync(
        NOW_NS, hpa, Snapshot(Scale(1, 1, "app=web"), fleet(1), Known({"p0": 900}))
    )
    assert repr(hpa) == before


def test_a_status_that_cannot_be_written_is_an_error_and_stays_as_it_was() -> None:
    context = NoStatus(Scale(1, 1, "app=web"), fleet(1), Known({"p0": 500}))
    result = HorizontalAutoscaler(HpaSettings()).sync(NOW_NS, stored(), context)
    assert result.error == "failed to update status for web: etcd is full"
    assert result.events == [("Warning", "FailedUpdateStatus", "etcd is full")]
    assert result.status == HpaStatus()


def test_a_status_that_cannot_be_written_does_not_hide_why_metrics_failed() -> None:
    context = NoStatus(Scale(1, 1, ""), fleet(1), Known({"p0": 500}))
    result = HorizontalAutoscaler(HpaSettings()).sync(NOW_NS, stored(), context)
    reasons = [reason for _, reason, _ in result.events]
    assert reasons == ["SelectorRequired", "FailedUpdateStatus", "FailedComputeMetricsReplicas"]
    assert result.error is not None
    assert result.error.endswith("for Deployment/default/web: selector is required")


def test_conditions_keep_their_place_and_their_time_while_their_status_lasts() -> None:
    old = [
        Condition("ScalingActive", "True", "ValidMetricFound", "x", NOW_NS - EVERY_NS),
        Condition("AbleToScale", "False", "FailedGetScale", "x", NOW_NS - EVERY_NS),
    ]
    hpa = {**stored(), "status": HpaStatus(conditions=tuple(old)).as_json()}
    context = Snapshot(Scale(1, 1, "app=web"), fleet(1), Known({"p0": 500}))
    status = HorizontalAutoscaler(HpaSettings()).sync(NOW_NS, hpa, context).status
    assert [(each.type, each.since_ns == NOW_NS) for each in status.conditions] == [
        ("ScalingActive", False),
        ("AbleToScale", True),
        ("ScalingLimited", True),
    ]


def test_out_of_bounds_is_mended_without_asking_metrics() -> None:
    eager = HorizontalAutoscaler(HpaSettings())
    context = Snapshot(Scale(50, 50, ""), [], Known({}))
    result = eager.sync(NOW_NS, stored(min_replicas=3, max_replicas=10), context)
    assert (result.scaled_to, result.recommendation, result.error) == (10, None, None)
    context = Snapshot(Scale(1, 1, ""), [], Known({}))
    result = eager.sync(NOW_NS, stored(min_replicas=3, max_replicas=10), context)
    assert result.events == [
        (
            "Normal",
            "SuccessfulRescale",
            "New size: 3; reason: Current number of replicas below Spec.MinReplicas",
        )
    ]


def test_a_status_is_written_only_if_it_says_something_new() -> None:
    eager, hpa, written = HorizontalAutoscaler(HpaSettings()), stored(), []
    for step in range(2):
        context = Snapshot(Scale(1, 1, "app=web"), fleet(1), Known({"p0": 500}))
        result = eager.sync(NOW_NS + step * EVERY_NS, hpa, context)
        hpa = {**hpa, "status": result.status.as_json()}
        written.append(context.status is not None)
    assert written == [True, False]


def test_from_zero_it_goes_to_the_minimum_and_says_what_asked_for_more() -> None:
    target = {"type": "Value", "value": "10"}
    source = {"metric": {"name": "lag"}, "target": target}
    policy = {"type": "Pods", "value": 9, "periodSeconds": 15}
    hpa = stored(min_replicas=3)
    hpa["spec"] |= {
        "metrics": [{"type": "External", "external": source}],
        "behavior": {
            way: {"selectPolicy": "Max", "policies": [policy], "stabilizationWindowSeconds": 0}
            for way in ("scaleUp", "scaleDown")
        },
    }
    zeroed = Condition("ScaledToZero", "True", "ScaledToZero", "x", NOW_NS)
    hpa["status"] = HpaStatus(conditions=(zeroed,)).as_json()
    reasons = []
    for lag in (5, 0):
        context = Snapshot(Scale(0, 0, "app=web"), [], Known({}, [lag]))
        result = HorizontalAutoscaler(HpaSettings(scale_to_zero=True)).sync(NOW_NS, hpa, context)
        assert result.scaled_to == 3
        reasons.append(result.events[0][2])
    assert reasons == [
        "New size: 3; reason: external metric lag(nil) above target",
        "New size: 3; reason: Current number of replicas below Spec.MinReplicas",
    ]
