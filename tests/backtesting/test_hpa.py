"""An HPA before what was measured decides as it would in a cluster that carries that load."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.backtesting import csv_reading, hpa
from kubestage.controllers.hpa.settings import HpaSettings
from tests.backtesting.manifests import make_hpa, totals, unknown_workload

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.backtesting.outcome import BacktestOutcome


HASTY: Json = {"scaleDown": {"stabilizationWindowSeconds": 0}}


def _changes(outcome: BacktestOutcome) -> list[tuple[float, Any, Any]]:
    return [(each.seconds, each.before, each.after) for each in outcome.decisions]


def test_the_load_is_shared_by_the_replicas_that_there_are() -> None:
    series = totals((0, 1), (60, 4), (300, 4))
    found = hpa.run("web", make_hpa(), series, unknown_workload(2))
    assert _changes(found) == [(60, 2, 4), (75, 4, 8)]
    assert found.decisions[0].metric == "cpu utilization 200%/50%"
    assert (
        found.decisions[0].reason == "cpu resource utilization (percentage of request) above target"
    )
    assert [look["load"] for look in found.looks[:4]] == [1, 1, 1, 4]
    by_time = {look["seconds"]: look for look in found.looks}
    assert by_time[75.0]["metrics"][0]["current"] == 100
    assert by_time[300.0]["metrics"][0]["current"] == 50


def test_the_first_look_is_one_period_after_the_first_row_and_the_last_at_the_last() -> None:
    found = hpa.run("web", make_hpa(), totals((100, 1), (161, 1)), unknown_workload(2))
    assert [look["seconds"] for look in found.looks] == [15, 30, 45, 60]
    quick = HpaSettings(sync_period_ns=30 * 10**9)
    found = hpa.run("web", make_hpa(), totals((0, 1), (60, 1)), unknown_workload(2), settings=quick)
    assert [look["seconds"] for look in found.looks] == [30, 60]


def test_what_was_measured_pod_by_pod_is_added_up() -> None:
    text = "time,a,b\n0,0.9,0.1\n15,0.9,0.1\n30,3,1\n45,3,1"
    series = csv_reading.read(text, "m.csv").called("cpu")
    found = hpa.run("web", make_hpa(), series, unknown_workload(2))
    assert found.looks[0]["metrics"][0]["current"] == 50
    assert _changes(found) == [(30, 2, 4), (45, 4, 8)]


def test_while_no_replica_is_ready_nothing_is_known() -> None:
    found = hpa.run("web", make_hpa(minReplicas=2), totals((0, 1), (60, 1)), unknown_workload(0))
    assert found.decisions == []


def test_a_new_replica_serves_when_it_is_ready() -> None:
    series = totals((0, 1), (60, 4), (600, 4))
    slow = hpa.run("web", make_hpa(), series, unknown_workload(2), startup_ns=120 * 10**9)
    by_time = {look["seconds"]: look for look in slow.looks}
    assert by_time[60.0]["desired"] == 4
    assert by_time[165.0]["metrics"][0]["current"] == 200
    assert by_time[180.0]["metrics"][0]["current"] == 100
    assert by_time[195.0]["metrics"][0]["current"] == 50


def test_external_and_object_metrics_are_totals() -> None:
    metrics = [
        {
            "type": "External",
            "external": {
                "metric": {"name": "queue"},
                "target": {"type": "AverageValue", "averageValue": "10"},
            },
        }
    ]
    series = totals((0, 35), (60, 35), metric="queue")
    found = hpa.run("web", make_hpa(metrics=metrics), series, unknown_workload(1))
    assert _changes(found) == [(15, 1, 4)]


def test_pods_metrics_are_shared() -> None:
    metrics = [
        {
            "type": "Pods",
            "pods": {
                "metric": {"name": "rps"},
                "target": {"type": "AverageValue", "averageValue": "10"},
            },
        }
    ]
    series = totals((0, 80), (60, 80), metric="rps")
    found = hpa.run("web", make_hpa(metrics=metrics), series, unknown_workload(4))
    assert _changes(found) == [(15, 4, 8)]


def test_nothing_is_decided_where_nothing_was_measured() -> None:
    text = "time,total\n0,1\n15,\n60,\n75,1"
    series = csv_reading.read(text, "m.csv").called("cpu")
    found = hpa.run("web", make_hpa(), series, unknown_workload(2))
    assert found.decisions == []
    assert found.summary["looksWithoutMetrics"] == 4
    assert "no metrics returned from resource metrics API" in found.looks[0]["error"]


def test_the_summary_adds_up() -> None:
    waves = [(0, 1.0), (60, 4.0), (120, 1.0), (180, 4.0), (240, 1.0), (360, 1.0)]
    calm = hpa.run("calm", make_hpa(), totals(*waves), unknown_workload(2))
    hasty = hpa.run("hasty", make_hpa(behavior=HASTY), totals(*waves), unknown_workload(2))
    assert (calm.summary["rescalesUp"], calm.summary["rescalesDown"]) == (2, 0)
    assert calm.summary["flaps"] == 0
    assert hasty.summary["flaps"] == 3
    assert hasty.summary["rescales"] == hasty.summary["rescalesUp"] + hasty.summary["rescalesDown"]
    held = [2] * 4 + [4] + [8] * 19
    assert calm.summary["replicaHours"] == pytest.approx(sum(held) * 15 / 3600, abs=1e-6)
    assert calm.summary["secondsAboveTarget"] == 30
    assert (calm.summary["replicasLowest"], calm.summary["replicasHighest"]) == (2, 8)


def test_a_flap_is_what_is_taken_back_within_ten_minutes() -> None:
    slow = [(0, 1.0), (60, 4.0), (900, 1.0), (1000, 1.0)]
    found = hpa.run("web", make_hpa(behavior=HASTY), totals(*slow), unknown_workload(2))
    assert found.summary["rescalesDown"] == 1
    assert found.summary["flaps"] == 0


def test_time_at_the_maximum_is_told() -> None:
    found = hpa.run("web", make_hpa(maxReplicas=3), totals((0, 9), (150, 9)), unknown_workload(2))
    assert found.summary["secondsAtMaximum"] == 135
    assert found.summary["secondsAboveTarget"] == 135


def test_the_manifest_is_left_alone_and_the_same_comes_again() -> None:
    manifest, series = make_hpa(), totals((0, 1), (60, 4), (300, 2))
    first = hpa.run("web", manifest, series, unknown_workload(2))
    assert manifest == make_hpa()
    assert hpa.run("web", manifest, series, unknown_workload(2)) == first
