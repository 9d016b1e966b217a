"""Charts of a load: what is drawn, and what is told beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.results.charts import load
from kubestage.results.load.slo import Slo
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from altair.typing import ChartType


def spec(chart: ChartType | None) -> dict[str, Any]:
    assert chart is not None
    told: dict[str, Any] = chart.to_dict()
    return told


def values(told: dict[str, Any], layer: int = 0) -> list[dict[str, Any]]:
    """The rows that a layer draws, wherever they were put."""
    part = told["layer"][layer] if "layer" in told else told
    data = part.get("data") or told["data"]
    rows: list[dict[str, Any]] = (
        data["values"] if "values" in data else told["datasets"][data["name"]]
    )
    return rows


def test_steps_stand_in_their_order_also_where_two_begin_at_once() -> None:
    rows = [
        {"name": "[step: 01] a", "began_ns": 5 * SECOND_NS, "took_ns": 0, "passed": 1},
        {"name": "[step: 02] b", "began_ns": 5 * SECOND_NS, "took_ns": 10 * SECOND_NS, "passed": 0},
    ]
    told = spec(load.steps(rows))
    assert told["title"]["subtitle"] == "2 steps in 10 s; 1 failed"
    bars = values(told)
    assert [(bar["name"], bar["time"], bar["end"], bar["result"]) for bar in bars] == [
        ("01 a", 0, 0, "passed"),
        ("02 b", 0, 10, "failed"),
    ]


def test_of_many_steps_the_longest_are_drawn() -> None:
    rows = [
        {"name": f"s{at}", "began_ns": at * SECOND_NS, "took_ns": at, "passed": 1}
        for at in range(90)
    ]
    told = spec(load.steps(rows))
    assert "90 steps" in told["title"]["subtitle"]
    assert "the 40 longest are shown" in told["title"]["subtitle"]
    names = told["layer"][0]["encoding"]["y"]["scale"]["domain"]
    assert names == [f"s{at}" for at in range(50, 90)]


def test_calls_are_stacked_and_those_that_failed_are_their_own_colour() -> None:
    rows = [
        {"second": 0, "verb": "delete", "calls": 3, "failed": 1},
        {"second": 0, "verb": "create", "calls": 2, "failed": 0},
    ]
    told = spec(load.calls(rows))
    bars = [(bar["series"], bar["value"], bar["top"]) for bar in values(told)]
    assert bars == [("create", 0, 2), ("delete", 2, 4), ("failed", 4, 5)]
    assert told["title"]["subtitle"] == "5 calls, at most 5 a second; 1 failed"


def test_a_long_run_has_no_more_bars_than_can_be_seen() -> None:
    rows = [{"second": at, "verb": "get", "calls": 7, "failed": 0} for at in range(10_000)]
    told = spec(load.calls(rows))
    assert len(values(told)) <= 151
    assert "at most 7 a second (mean over 67 s)" in told["title"]["subtitle"]


def test_pods_are_counted_up_and_thinned() -> None:
    moments = {"created": list(range(0, 100 * SECOND_NS, 2_000_000)), "running": [5 * SECOND_NS]}
    told = spec(load.pods(moments, 100))
    rows = values(told)
    assert len(rows) < 400
    assert max(row["value"] for row in rows) == 50_000
    rates = spec(load.pod_rates(moments, 100))
    assert rates["title"]["subtitle"] == "At most created 500, running 1 a second"


def test_a_curve_of_many_samples_is_thinned_and_keeps_its_percentiles() -> None:
    took = [at * 1_000_000 for at in range(1, 100_001)]
    told = spec(load.latencies({"pod_startup": took}, "Pods", load.Threshold(5)))
    curve, dots = values(told), values(told, 1)
    assert len(curve) < 250
    assert curve[-1] == {"series": "pod_startup", "seconds": 100.0, "share": 1.0}
    assert [dot["seconds"] for dot in dots] == [50, 90, 99]
    expected = "pod_startup: p50 50 s, p90 90 s, p99 99 s of 100,000 samples; threshold 5 s"
    assert told["title"]["subtitle"] == expected
    assert len(told["layer"]) == 4


def test_the_name_of_a_threshold_at_the_far_end_is_written_along_its_line() -> None:
    took = [at * 20_000_000 for at in range(1, 101)]
    far = spec(load.latencies({"a": took}, "x", load.Threshold(5)))["layer"][-1]["mark"]
    assert (far["align"], far["angle"]) == ("left", 270), "left of the line are the curves"
    near = spec(load.latencies({"a": took}, "x", load.Threshold(0.1)))["layer"][-1]["mark"]
    assert "angle" not in near


def test_a_threshold_far_away_is_told_and_not_drawn() -> None:
    told = spec(load.latencies({"a": [SECOND_NS], "b": [2 * SECOND_NS]}, "x", load.Threshold(3600)))
    assert len(told["layer"]) == 2
    assert told["title"]["subtitle"] == "p99: a 1 s, b 2 s; threshold 1 h"


def test_what_took_no_time_has_a_place_on_a_log_axis() -> None:
    told = spec(load.latencies({"a": [0, SECOND_NS]}))
    axis = told["layer"][0]["encoding"]["x"]
    assert axis["scale"]["type"] == "log"
    assert 0 < axis["scale"]["domain"][0] < 1e-4
    assert values(told)[0]["seconds"] == 1e-4


def test_bytes_are_drawn_in_a_unit_of_people_and_few_lines_at_a_time() -> None:
    named = {f"pod-{at}": [(0, at * 2.0**20), (SECOND_NS, 0.0)] for at in range(9)}
    told = spec(load.series(named, "Memory", "bytes", 10))
    assert told["title"]["subtitle"] == "At most 8 MiB; the 6 highest of 9 are shown"


@pytest.mark.parametrize(
    "chart",
    [
        load.steps([]),
        load.calls([]),
        load.pods({}, 1),
        load.pod_rates({"created": []}, 1),
        load.series({"a": []}, "a", "s", 1),
        load.latencies({"a": []}),
        load.limit_chart([{"load": 1, "seed": 1, "value": None}], Slo("a", 1)),
        load.limit_charts({}, limit=None),
    ],
)
def test_a_chart_of_nothing_is_none(chart: object) -> None:
    assert chart is None


def test_the_limit_is_marked_and_runs_are_told_apart_by_the_goal() -> None:
    points = [
        {"load": load, "seed": seed, "value": load / 10 + seed}
        for load in (10, 20, 50)
        for seed in (0, 1)
    ]
    slo = Slo("p99", 3, "s")
    told = spec(load.limit_chart(points, slo, limit=20, varied="qps"))
    assert told["title"]["text"] == "p99 ≤ 3 s by qps"
    assert "3 loads with up to 2 seeds each; the limit is 20" in told["title"]["subtitle"]
    curve = values(told)
    assert curve[0] == {"load": 10.0, "mean": 1.5, "low": 1.0, "high": 2.0}
    dots = values(told, 2)
    assert [dot["result"] for dot in dots] == ["met"] * 4 + ["missed"] * 2
    assert values(told, -1)[0]["text"] == "limit 20"
    sure = spec(load.limit_chart(points, slo, bands={10.0: (0.5, 2.5)}, confidence=0.95))
    assert values(sure)[0]["high"] == 2.5
    assert "95% confidence" in sure["title"]["subtitle"]


@pytest.mark.parametrize(
    ("text", "slo"),
    [
        ("pod-startup-p99<=5s", Slo("pod-startup-p99", 5.0, "s")),
        ("api-call-p99 < 250ms", Slo("api-call-p99", 0.25, "s")),
        ("scheduling-throughput>=100", Slo("scheduling-throughput", 100.0, "", is_upper=False)),
    ],
)
def test_goals_are_read_as_they_are_written(text: str, slo: Slo) -> None:
    assert Slo.parsed(text) == slo
    assert slo.holds(slo.threshold)
    assert not slo.holds(slo.threshold * (2 if slo.is_upper else 0.5))


def test_what_is_no_goal_is_refused() -> None:
    with pytest.raises(ValueError, match="is no goal"):
        Slo.parsed("fast")
