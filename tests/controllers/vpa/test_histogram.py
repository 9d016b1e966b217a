"""What histograms promise, beside what was recorded of the real ones."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubestage.controllers.vpa.aggregate_state import CPU_BUCKETS
from kubestage.controllers.vpa.histogram import (
    YEAR_ONE_NS,
    DecayingHistogram,
    HistogramCheckpoint,
    elapsed_ns,
)
from kubestage.errors import InputError
from kubestage.units import DAY_NS

_NOW_NS = 1_767_225_600 * 1_000_000_000


def _histogram() -> DecayingHistogram:
    return DecayingHistogram(CPU_BUCKETS, DAY_NS)


def test_an_empty_histogram_has_no_percentiles() -> None:
    assert _histogram().percentile(0.9) == 0.0
    assert _histogram().is_empty


def test_a_sample_a_half_life_younger_weighs_twice_as_much() -> None:
    histogram = _histogram()
    histogram.add(1.0, 1.0, _NOW_NS)
    histogram.add(5.0, 1.0, _NOW_NS + DAY_NS)
    weights = histogram.save().bucket_weights
    assert sorted(weights.values()) == [5_000, 10_000]
    assert histogram.percentile(0.33) < 1.1
    assert histogram.percentile(0.34) > 5.0


def test_what_is_a_hundred_half_lives_old_is_forgotten() -> None:
    histogram = _histogram()
    histogram.add(1.0, 1.0, _NOW_NS)
    histogram.add(5.0, 1.0, _NOW_NS + 102 * DAY_NS)
    assert list(histogram.save().bucket_weights) == [CPU_BUCKETS.find(5.0)]
    assert histogram.percentile(0.0) > 5.0


def test_what_is_taken_away_leaves_nothing_behind() -> None:
    histogram = _histogram()
    histogram.add(1.0, 1.0, _NOW_NS)
    histogram.subtract(1.0, 1.0, _NOW_NS)
    assert histogram.is_empty
    assert histogram.save() == HistogramCheckpoint({}, 0.0, histogram.reference_ns)


@given(st.lists(st.tuples(st.floats(0, 900), st.integers(0, 50)), min_size=1, max_size=30))
def test_a_checkpoint_brings_back_the_percentiles(samples: list[tuple[float, int]]) -> None:
    histogram, other = _histogram(), _histogram()
    for value, hours in samples:
        histogram.add(value, 1.0, _NOW_NS + hours * 3600 * 1_000_000_000)
    other.load(histogram.save())
    before, after = (CPU_BUCKETS.find(each.percentile(1.0)) for each in (histogram, other))
    assert before == after
    assert other.reference_ns == histogram.reference_ns


@given(st.lists(st.floats(0, 2000), min_size=1, max_size=30), st.floats(0, 1))
def test_merging_is_as_if_all_had_been_added_to_one(values: list[float], fraction: float) -> None:
    one, other, whole = _histogram(), _histogram(), _histogram()
    for index, value in enumerate(values):
        (one if index % 2 else other).add(value, 1.0, _NOW_NS)
        whole.add(value, 1.0, _NOW_NS)
    one.merge(other)
    assert one.percentile(fraction) == whole.percentile(fraction)


@pytest.mark.parametrize(
    ("checkpoint", "problem"),
    [
        (HistogramCheckpoint({0: 1}, -1.0), "cannot load checkpoint with negative weight -1.0"),
        (HistogramCheckpoint({176: 1}, 1.0), "checkpoint has bucket 176 that is exceeding"),
        (HistogramCheckpoint({-1: 1}, 1.0), "checkpoint has a negative bucket -1"),
    ],
)
def test_a_broken_checkpoint_is_refused(checkpoint: HistogramCheckpoint, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        _histogram().load(checkpoint)


def test_nothing_lasts_longer_than_a_duration_can() -> None:
    assert elapsed_ns(YEAR_ONE_NS, _NOW_NS) == 2**63 - 1
    assert elapsed_ns(_NOW_NS, YEAR_ONE_NS) == -(2**63)
