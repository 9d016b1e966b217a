"""Percentiles, thresholds and quantiles are those of ClusterLoader2."""

from __future__ import annotations

import json
import math

import pytest

from kubestage.measure.percentiles import LatencyMetric, nearest_rank
from kubestage.measure.perf_data import PerfData
from tests.golden import vectors

RECORDED = [entry for entry in vectors.load("cl2-percentiles") if entry["in"]["kind"] == "latency"]


@pytest.mark.parametrize("index", range(len(RECORDED)))
def test_percentiles_and_violations_are_as_recorded(index: int) -> None:
    values, wanted = RECORDED[index]["in"], RECORDED[index]["out"]
    metric = LatencyMetric.of(values["latenciesNs"])
    assert metric.values_ns == (wanted["Perc50"], wanted["Perc90"], wanted["Perc99"])
    assert str(metric) == wanted["string"]
    p50, p90, p99 = values["thresholdsNs"]
    assert metric.violation(p50) == wanted["violation"]
    assert metric.violation_by_percentile((p50, p90, p99)) == wanted["violationByPercentile"]
    written = PerfData("1.0", (metric.to_item(values["name"]),)).to_json()
    assert json.loads(written)["dataItems"] == [wanted["perfDataItem"]]


def test_the_nearest_rank_is_an_observation() -> None:
    assert [nearest_rank([1, 2, 3], percent) for percent in (1, 33, 34, 66, 67, 100)] == [
        1, 1, 2, 2, 3, 3,
    ]  # fmt: skip
    assert nearest_rank([7], 50) == 7


def test_verdicts_compare_each_percentile_with_its_threshold() -> None:
    metric = LatencyMetric(1_000_000_000, 2_000_000_000, 3_000_000_001)
    thresholds_ns = (1_000_000_000, 2_000_000_000, 3_000_000_000)
    verdicts = metric.verdicts("pod_startup", thresholds_ns, samples=9)
    assert [each.passed for each in verdicts] == [True, True, False]
    assert [each.name for each in verdicts] == [f"pod_startup p{n}" for n in (50, 90, 99)]
    assert (verdicts[1].value, verdicts[1].threshold, verdicts[1].unit) == (2.0, 2.0, "s")
    assert all(each.samples == 9 and each.is_enforced for each in verdicts)


def test_a_verdict_without_samples_has_no_value() -> None:
    (verdict, *_) = LatencyMetric().verdicts("x", (1, 1, 1), samples=0, is_enforced=False)
    assert verdict.value is None
    assert verdict.is_empty
    assert not verdict.is_enforced


def test_quantiles_in_seconds_become_percentiles() -> None:
    metric = LatencyMetric.of_seconds({0.5: 0.0125, 0.9: 2.0, 0.99: 3.5, 0.1: 9.0})
    assert metric.values_ns == (12_500_000, 2_000_000_000, 3_500_000_000)
    odd = LatencyMetric.of_seconds({0.5: math.nan, 0.99: math.inf})
    assert odd.values_ns == (0, 0, 2**63 - 1)
    assert odd.violation(5) is not None
