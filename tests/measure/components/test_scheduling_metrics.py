"""SchedulingMetrics takes quantiles of what the scheduler's histograms gained."""

from __future__ import annotations

import pytest

from kubestage.cluster.access import Page
from tests.measure.components.measured import Measured, document, node

STAGE = "/api/v1/namespaces/kube-system/pods/https:kube-scheduler-master:10259/proxy/metrics"
E2E = "scheduler_pod_scheduling_sli_duration_seconds_bucket"
POINT = "scheduler_framework_extension_point_duration_seconds_bucket"
NOTHING = {"Perc50": 0, "Perc90": 0, "Perc99": 0}


def page(name: str, counts: list[int], labels: str = "") -> str:
    bounds = ("0.1", "0.2", "+Inf")
    return "".join(
        f'{name}{{{labels}le="{bound}"}} {count}\n'
        for bound, count in zip(bounds, counts, strict=True)
    )


def test_quantiles_are_those_of_the_time_between() -> None:
    measured = Measured("SchedulingMetrics")
    measured.cluster.pages[STAGE] = Page(200, page(E2E, [100, 100, 100]))
    assert not measured.perform("reset").summaries
    measured.cluster.pages[STAGE] = Page(200, page(E2E, [100, 110, 110]))
    found = document(measured.perform("gather"))
    assert found["e2eSchedulingLatency"] == {
        "Perc50": 150_000_000,
        "Perc90": 190_000_000,
        "Perc99": 199_000_000,
    }
    assert found["schedulingLatency"] == NOTHING
    assert list(found) == [
        "frameworkExtensionPointDuration",
        "preemptionEvaluationLatency",
        "e2eSchedulingLatency",
        "schedulingLatency",
    ]


def test_extension_points_are_told_apart_and_their_statuses_are_not() -> None:
    measured = Measured("SchedulingMetrics")
    text = page(POINT, [4, 8, 8], 'extension_point="Filter",status="Success",')
    text += page(POINT, [0, 8, 8], 'extension_point="Filter",status="Error",')
    text += page(POINT, [1, 1, 1], 'extension_point="Sign",')
    measured.cluster.pages[STAGE] = Page(200, text)
    points = document(measured.perform("gather"))["frameworkExtensionPointDuration"]
    assert points["Filter"]["Perc50"] == int((0.1 + 0.1 * (4 / 12)) * 1e9)
    assert list(points) == sorted(points)
    assert len(points) == 11
    assert points["Score"] == NOTHING


def test_all_registered_schedulers_are_asked() -> None:
    measured = Measured("SchedulingMetrics", is_stage=False)
    for name, counts in (("m1", [0, 0, 0]), ("m2", [10, 10, 10])):
        measured.cluster.put(node(name, role=True))
        measured.cluster.pages[STAGE.replace("-master", f"-{name}")] = Page(200, page(E2E, counts))
    assert document(measured.perform("gather"))["e2eSchedulingLatency"]["Perc50"] == 50_000_000


def test_a_named_master_is_asked_where_none_is_registered() -> None:
    measured = Measured("SchedulingMetrics", is_stage=False)
    measured.cluster.pages[STAGE] = Page(200, page(E2E, [1, 1, 1]))
    assert measured.perform("start").skipped
    assert not measured.perform("start", masterName="master").skipped


@pytest.mark.parametrize("is_registered", [True, False])
def test_it_is_skipped_where_no_scheduler_can_be_asked(is_registered: bool) -> None:
    measured = Measured("SchedulingMetrics", is_stage=False)
    measured.cluster.put(node("m1", role=is_registered))
    outcome = measured.perform("gather")
    assert ("404" in outcome.skipped) == is_registered
    assert outcome.skipped
    assert not outcome.errors


def test_a_scheduler_that_did_nothing_meanwhile_has_no_sample() -> None:
    measured = Measured("SchedulingMetrics")
    measured.cluster.pages[STAGE] = Page(200, page(E2E, [100, 100, 100]))
    measured.perform("start")
    (verdict,) = measured.perform("gather").verdicts
    assert (verdict.name, verdict.is_empty) == ("SchedulingMetrics", True)
    measured.cluster.pages[STAGE] = Page(200, page(E2E, [100, 101, 101]))
    assert not measured.perform("gather").verdicts
