"""Looks of an autoscaler without a cluster, as tools take them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.controllers.hpa.conditions import Condition, Status
from kubestage.controllers.hpa.reconcile import Autoscaler
from kubestage.controllers.hpa.settings import HpaSettings
from kubestage.controllers.hpa.surroundings import Refused, Scale, Snapshot
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

    def write_status(self, status: Status) -> None:
        """Refuse it."""
        del status
        raise Refused("etcd is full")


def test_a_snapshot_is_all_that_a_look_needs() -> None:
    eager = Autoscaler(HpaSettings())
    hpa = stored()
    replicas, wanted = 2, []
    for step in range(3):
        client = Known({f"p{index}": 4000 // replicas for index in range(replicas)})
        around = Snapshot(Scale(replicas, replicas, "app=web"), fleet(replicas), client)
        outcome = eager.sync(NOW_NS + step * EVERY_NS, hpa, around)
        hpa = {**hpa, "status": outcome.status.as_json()}
        replicas = outcome.scaled_to or replicas
        wanted.append((outcome.recommendation, outcome.scaled_to, outcome.error))
    assert wanted == [(8, 4, None), (8, 8, None), (8, None, None)]
    assert Status.of(hpa["status"]) == outcome.status


def test_what_a_look_is_given_is_left_as_it_was() -> None:
    hpa = stored()
    before = repr(hpa)
    Autoscaler(HpaSettings()).sync(
        NOW_NS, hpa, Snapshot(Scale(1, 1, "app=web"), fleet(1), Known({"p0": 900}))
    )
    assert repr(hpa) == before


def test_a_status_that_cannot_be_written_is_an_error_and_stays_as_it_was() -> None:
    around = NoStatus(Scale(1, 1, "app=web"), fleet(1), Known({"p0": 500}))
    outcome = Autoscaler(HpaSettings()).sync(NOW_NS, stored(), around)
    assert outcome.error == "failed to update status for web: etcd is full"
    assert outcome.events == [("Warning", "FailedUpdateStatus", "etcd is full")]
    assert outcome.status == Status()


def test_a_status_that_cannot_be_written_does_not_hide_why_metrics_failed() -> None:
    around = NoStatus(Scale(1, 1, ""), fleet(1), Known({"p0": 500}))
    outcome = Autoscaler(HpaSettings()).sync(NOW_NS, stored(), around)
    reasons = [reason for _, reason, _ in outcome.events]
    assert reasons == ["SelectorRequired", "FailedUpdateStatus", "FailedComputeMetricsReplicas"]
    assert outcome.error is not None
    assert outcome.error.endswith("for Deployment/default/web: selector is required")


def test_conditions_keep_their_place_and_their_time_while_their_status_lasts() -> None:
    old = [
        Condition("ScalingActive", "True", "ValidMetricFound", "x", NOW_NS - EVERY_NS),
        Condition("AbleToScale", "False", "FailedGetScale", "x", NOW_NS - EVERY_NS),
    ]
    hpa = {**stored(), "status": Status(conditions=tuple(old)).as_json()}
    around = Snapshot(Scale(1, 1, "app=web"), fleet(1), Known({"p0": 500}))
    status = Autoscaler(HpaSettings()).sync(NOW_NS, hpa, around).status
    assert [(each.type, each.since_ns == NOW_NS) for each in status.conditions] == [
        ("ScalingActive", False),
        ("AbleToScale", True),
        ("ScalingLimited", True),
    ]


def test_out_of_bounds_is_mended_without_asking_metrics() -> None:
    eager = Autoscaler(HpaSettings())
    around = Snapshot(Scale(50, 50, ""), [], Known({}))
    outcome = eager.sync(NOW_NS, stored(min_replicas=3, max_replicas=10), around)
    assert (outcome.scaled_to, outcome.recommendation, outcome.error) == (10, None, None)
    around = Snapshot(Scale(1, 1, ""), [], Known({}))
    outcome = eager.sync(NOW_NS, stored(min_replicas=3, max_replicas=10), around)
    assert outcome.events == [
        (
            "Normal",
            "SuccessfulRescale",
            "New size: 3; reason: Current number of replicas below Spec.MinReplicas",
        )
    ]


def test_a_status_is_written_only_if_it_says_something_new() -> None:
    eager, hpa, written = Autoscaler(HpaSettings()), stored(), []
    for step in range(2):
        around = Snapshot(Scale(1, 1, "app=web"), fleet(1), Known({"p0": 500}))
        outcome = eager.sync(NOW_NS + step * EVERY_NS, hpa, around)
        hpa = {**hpa, "status": outcome.status.as_json()}
        written.append(around.status is not None)
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
    hpa["status"] = Status(conditions=(zeroed,)).as_json()
    reasons = []
    for lag in (5, 0):
        around = Snapshot(Scale(0, 0, "app=web"), [], Known({}, [lag]))
        outcome = Autoscaler(HpaSettings(scale_to_zero=True)).sync(NOW_NS, hpa, around)
        assert outcome.scaled_to == 3
        reasons.append(outcome.events[0][2])
    assert reasons == [
        "New size: 3; reason: external metric lag(nil) above target",
        "New size: 3; reason: Current number of replicas below Spec.MinReplicas",
    ]
