"""A Scenario counts its own time and versions."""

from __future__ import annotations

from typing import Any

from kubestage.objects import timestamps
from kubestage.scenario import scenario_counts
from kubestage.scenario.scenario_counts import ALONE, ScenarioCounts

BEGAN = timestamps.parse_time("2027-03-04T05:06:07Z")
ORIGIN = timestamps.parse_time("2026-01-01T00:00:00Z")
POD: dict[str, Any] = {
    "metadata": {
        "name": "p",
        "resourceVersion": "1005",
        "creationTimestamp": "2027-03-04T05:06:17Z",
        "annotations": {"mine": "2027-03-04T05:06:17Z"},
        "managedFields": [{"manager": "m", "time": "2027-03-04T05:06:08Z"}],
    },
    "spec": {"mine": "2027-03-04T05:06:17Z"},
    "status": {
        "startTime": "2027-03-04T05:07:07Z",
        "conditions": [{"lastTransitionTime": "2027-03-04T05:06:09.000250Z", "message": "p"}],
        "before": "2026-12-31T00:00:00Z",
    },
}


def test_objects_are_shown_as_they_are_where_the_scenario_began_with_the_cluster() -> None:
    assert ScenarioCounts().shown(POD) is POD


def test_versions_and_times_count_from_where_the_scenario_began() -> None:
    told = ScenarioCounts(1000, BEGAN, ORIGIN).shown(POD)
    assert told["metadata"]["resourceVersion"] == str(ALONE + 5)
    assert told["metadata"]["creationTimestamp"] == "2026-01-01T00:00:10Z"
    assert told["metadata"]["managedFields"][0]["time"] == "2026-01-01T00:00:01Z"
    assert told["status"]["startTime"] == "2026-01-01T00:01:00Z"
    (condition,) = told["status"]["conditions"]
    assert condition == {"lastTransitionTime": "2026-01-01T00:00:02.000250Z", "message": "p"}


def test_what_somebody_wrote_and_what_was_before_is_left_alone() -> None:
    told = ScenarioCounts(1000, BEGAN, ORIGIN).shown(POD)
    assert told["spec"] is POD["spec"]
    assert told["metadata"]["annotations"] == POD["metadata"]["annotations"]
    assert told["status"]["before"] == "2026-12-31T00:00:00Z"


def test_versions_that_other_scenarios_spent_are_left_out() -> None:
    counts = ScenarioCounts(1000)
    counts.others += [1002, 1004, 1006]
    assert counts.version("1001") == str(ALONE + 1)
    assert counts.version("1003") == str(ALONE + 2)
    assert counts.version("1007") == str(ALONE + 4)


def test_a_scenario_says_when_it_began_so_that_another_controller_can_go_on() -> None:
    began = ScenarioCounts(1000, BEGAN, ORIGIN)
    scenario = {"metadata": {"annotations": {scenario_counts.BEGAN: began.annotation}}}
    assert scenario_counts.resumed(scenario, ORIGIN).shown(POD) == began.shown(POD)
    assert scenario_counts.resumed({"metadata": {}}, ORIGIN).is_plain
    broken = {"metadata": {"annotations": {scenario_counts.BEGAN: "yesterday"}}}
    assert scenario_counts.resumed(broken, ORIGIN).is_plain


def test_a_scenario_begins_at_a_whole_second() -> None:
    assert scenario_counts.whole_second(BEGAN) == BEGAN
    assert scenario_counts.whole_second(BEGAN + 1) == BEGAN + 1_000_000_000
