"""A VPA before what was measured: what it recommends, and when pods would have been updated."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage.backtesting import csv_reading, target, vpa
from tests.backtesting.manifests import make_vpa, totals, unknown_workload

if TYPE_CHECKING:
    from kubestage.backtesting.series import MetricSeries


def _hours(hours: int, cores: float) -> MetricSeries:
    return totals(*((minute * 60, cores) for minute in range(hours * 60 + 1)))


def test_constant_use_is_recommended_with_its_margin() -> None:
    found = vpa.run("web", make_vpa(), _hours(2, 1.0), unknown_workload(replicas=2, cpu="500m"))
    [end] = found.summary["atEnd"]
    assert (end["container"], end["resource"], end["target"]) == ("app", "cpu", 0.587)
    assert {look["used"] for look in found.looks} == {0.5}


def test_a_request_below_its_bounds_is_raised_once_that_is_sure() -> None:
    found = vpa.run("web", make_vpa(), _hours(1, 1.0), unknown_workload(replicas=1, cpu="300m"))
    [decision] = found.decisions
    assert (decision.metric, decision.before, decision.after) == ("cpu of app", "300m", "1168m")
    assert decision.reason.startswith("below the lower bound ")
    assert found.summary["updates"] == 1
    assert found.summary["cpuSecondsAboveRequest"] == pytest.approx(decision.seconds - 60)


@pytest.mark.parametrize("mode", ["Off", "Initial"])
def test_modes_that_touch_no_pods_only_recommend(mode: str) -> None:
    found = vpa.run("web", make_vpa(mode), _hours(1, 1.0), unknown_workload(replicas=1, cpu="300m"))
    assert found.decisions == []
    assert found.summary["atEnd"][0]["request"] == 0.3


def test_who_is_within_bounds_but_off_is_updated_after_twelve_hours() -> None:
    series = _hours(14, 1.0)
    found = vpa.run("web", make_vpa(), series, unknown_workload(replicas=1, cpu="1500m"))
    [decision] = found.decisions
    assert decision.seconds == 12 * 3600
    assert decision.after == "1168m"


def test_who_requests_nothing_is_given_the_first_recommendation() -> None:
    made = target.unknown_workload("web", 1, {})
    found = vpa.run("web", make_vpa(), _hours(1, 1.0), made)
    assert found.looks[0]["request"] == found.looks[0]["target"]


def test_only_what_was_measured_is_recommended() -> None:
    found = vpa.run("web", make_vpa(), _hours(1, 1.0), unknown_workload())
    assert {look["resource"] for look in found.looks} == {"cpu"}
    both = csv_reading.read("time,cpu,memory\n0,1,1Gi\n60,1,1Gi\n120,1,1Gi", "m.csv")
    found = vpa.run("web", make_vpa(), both, unknown_workload())
    assert {look["resource"] for look in found.looks} == {"cpu", "memory"}


def test_policies_cap_what_is_recommended() -> None:
    policy = {"containerPolicies": [{"containerName": "*", "maxAllowed": {"cpu": "200m"}}]}
    found = vpa.run("web", make_vpa(resourcePolicy=policy), _hours(1, 1.0), unknown_workload(1))
    assert found.summary["atEnd"][0]["target"] == 0.2


def test_containers_go_by_their_names() -> None:
    text = "time,pod,container,cpu\n" + "".join(
        f"{at},web-1,app,1\n{at},web-1,proxy,0.1\n" for at in range(0, 3600, 60)
    )
    found = vpa.run("web", make_vpa(), csv_reading.read(text, "m.csv"), unknown_workload())
    ends = {end["container"]: end["target"] for end in found.summary["atEnd"]}
    assert ends == {"app": 1.168, "proxy": 0.126}
