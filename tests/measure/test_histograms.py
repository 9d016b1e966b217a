"""Quantiles of cumulative buckets are interpolated as ClusterLoader2 does."""

from __future__ import annotations

import math

import pytest

from kubestage.errors import InputError
from kubestage.measure import histograms
from kubestage.measure.facilities import Sample
from kubestage.measure.histograms import Histogram
from tests.golden import vectors

RECORDED = [
    entry for entry in vectors.load("cl2-percentiles") if entry["in"]["kind"] == "histogramQuantile"
]


def quantile(histogram: Histogram, q: float) -> float | str:
    """A quantile as the recording writes it."""
    try:
        value = histogram.quantile(q)
    except InputError:
        return "error"
    return "NaN" if math.isnan(value) else value


@pytest.mark.parametrize("index", range(len(RECORDED)))
def test_quantiles_are_as_recorded(index: int) -> None:
    values, wanted = RECORDED[index]["in"], RECORDED[index]["out"]
    histogram = Histogram(buckets=values["buckets"])
    assert [quantile(histogram, q) for q in values["quantiles"]] == wanted["values"]


def test_outside_of_the_range_there_is_no_end() -> None:
    histogram = Histogram(buckets={"1": 1, "+Inf": 1})
    assert histogram.quantile(-0.1) == -math.inf
    assert histogram.quantile(1.1) == math.inf


def test_nothing_known_is_no_number() -> None:
    assert math.isnan(Histogram().quantile(0.5))


def test_rows_of_a_metric_become_one_histogram_for_each_set_of_labels() -> None:
    rows = [
        Sample({"le": "1", "verb": "GET"}, 3.0),
        Sample({"le": "1", "verb": "PUT"}, 5.0),
        Sample({"verb": "GET", "le": "+Inf"}, 4.0),
        Sample({"le": "1", "verb": "GET"}, 2.0),
    ]
    assert histograms.gathered(rows) == [
        Histogram({"verb": "GET"}, {"1": 5, "+Inf": 4}),
        Histogram({"verb": "PUT"}, {"1": 5}),
    ]


def test_a_summary_holds_labels_and_buckets_in_order() -> None:
    written = Histogram({"b": "2", "a": "1"}, {"5": 2, "+Inf": 3}).to_json()
    assert written == {"labels": {"a": "1", "b": "2"}, "buckets": {"+Inf": 3, "5": 2}}
    assert list(written["labels"]) == ["a", "b"]


def test_a_row_that_is_no_number_counts_nothing() -> None:
    (histogram,) = histograms.gathered([Sample({"le": "1"}, math.nan), Sample({"le": "1"}, 2.0)])
    assert histogram.buckets == {"1": 2}
