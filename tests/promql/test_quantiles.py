from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubestage.promql import quantiles

INF = math.inf
COUNTS = st.sampled_from([0.0, 1.0, 5.0, 5.000000000000001, 9.0, math.nan])
BOUNDS = st.sampled_from(
    [[-1.0, 0.5, 2.0, INF], [2.0, INF, 0.5, 1.0], [1.0, 1.0, 2.0, INF], [1.0, 2.0, 3.0, 4.0]]
)


@pytest.mark.parametrize(
    ("q", "values", "result"),
    [
        (0.5, [1, 2, 3], 2),
        (0.5, [4, 1], 2.5),
        (0.99, [0, 10], 9.9),
        (0, [3, 1], 1),
        (1, [3, 1], 3),
        (-1, [1], -INF),
        (2, [1], INF),
        (0.5, [5, math.nan, 7], 5),
    ],
)
def test_a_quantile_between_two_values_is_weighted(
    q: float, values: list[float], result: float
) -> None:
    assert quantiles.of_values(q, values) == pytest.approx(result)


def test_a_quantile_of_nothing_is_no_number() -> None:
    assert math.isnan(quantiles.of_values(0.5, []))
    assert math.isnan(quantiles.of_values(math.nan, [1.0]))


@pytest.mark.parametrize(
    ("q", "buckets", "result"),
    [
        (0.5, [(1, 10), (2, 20), (INF, 20)], 1),
        (0.75, [(1, 10), (2, 20), (INF, 20)], 1.5),
        (0.5, [(INF, 20), (2, 20), (1, 10)], 1),
        (0.25, [(1, 10), (INF, 10)], 0.25),
        (0.99, [(1, 1), (2, 2), (INF, 100)], 2),
        (0.1, [(-1, 5), (0, 5), (INF, 10)], -1),
        (1, [(1, 10), (INF, 10)], 1),
        (-0.1, [(1, 1), (INF, 1)], -INF),
        (1.1, [(1, 1), (INF, 1)], INF),
        (0.5, [(1, 10), (2, 9), (INF, 10)], 0.5),
        (0.5, [(1, 1), (1, 1), (2, 4), (INF, 4)], 1),
    ],
)
def test_a_quantile_of_buckets_is_interpolated(
    q: float, buckets: list[tuple[float, float]], result: float
) -> None:
    assert quantiles.of_buckets(q, buckets) == pytest.approx(result)


@pytest.mark.parametrize(
    "buckets",
    [[], [(INF, 5)], [(1, 5), (2, 5)], [(1, 0), (INF, 0)], [(1, math.nan), (INF, math.nan)]],
)
def test_buckets_that_say_nothing_have_no_quantile(buckets: list[tuple[float, float]]) -> None:
    assert math.isnan(quantiles.of_buckets(0.5, buckets))


def test_counts_that_differ_by_rounding_only_are_the_same() -> None:
    buckets = [(1.0, 10.0), (2.0, 10.000000000000002), (INF, 10.0)]
    assert quantiles.of_buckets(1, buckets) == 1


@given(
    st.lists(st.integers(0, 50), min_size=2, max_size=8),
    st.floats(0, 1),
    st.floats(0, 1),
)
def test_quantiles_of_buckets_grow_with_q(grown: list[int], one: float, other: float) -> None:
    bounds = [*range(1, len(grown)), INF]
    counts = [sum(grown[: index + 1]) for index in range(len(grown))]
    buckets = list(zip(map(float, bounds), map(float, counts), strict=True))
    low, high = (quantiles.of_buckets(q, buckets) for q in sorted((one, other)))
    assert math.isnan(low) or low <= high <= bounds[-2]


@given(
    st.lists(
        st.tuples(
            st.floats(-0.5, 1.5) | st.just(math.nan),
            st.lists(
                st.sampled_from([0.0, 1.0, 5.0, 5.000000000000001, 9.0, math.nan]),
                min_size=4,
                max_size=4,
            ),
        ),
        min_size=1,
        max_size=5,
    ),
    st.permutations([-1.0, 0.5, 2.0, INF])
    | st.permutations([1.0, 1.0, 2.0, INF])
    | st.just([1.0, 2.0, 3.0, 4.0]),
)
def test_many_times_at_once_are_each_as_if_it_were_alone(
    times: list[tuple[float, list[float]]], bounds: list[float]
) -> None:
    q = np.array([each for each, _ in times])
    counts = np.array([row for _, row in times]).T
    found = quantiles.of_bucket_columns(q, bounds, counts)
    for at, (each, row) in enumerate(times):
        alone = quantiles.of_buckets(each, zip(bounds, row, strict=True))
        assert found[at] == pytest.approx(alone, nan_ok=True)
