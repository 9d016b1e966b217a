from __future__ import annotations

import pytest

from kubestage.scheduler import metric_families
from kubestage.scheduler.metric_families import Counter, Gauge, Histogram


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0"),
        (0.0, "0"),
        (1, "1"),
        (12, "12"),
        (0.001, "0.001"),
        (0.0001, "0.0001"),
        (0.00001, "1e-05"),
        (1.5e-05, "1.5e-05"),
        (16.384, "16.384"),
        (123456, "123456"),
        (999999.5, "999999.5"),
        (1000000, "1e+06"),
        (1234567.5, "1.2345675e+06"),
        (1e100, "1e+100"),
        (-2.5, "-2.5"),
        (float("inf"), "+Inf"),
    ],
)
def test_numbers_are_written_as_go_writes_them(number: float, text: str) -> None:
    assert metric_families.number_text(number) == text


def test_buckets_grow_by_a_factor() -> None:
    assert metric_families.exponential_buckets(1, 2, 5) == (1, 2, 4, 8, 16)


def test_a_counter_is_told_with_its_labels_in_order() -> None:
    attempts = Counter("attempts_total", "STABLE", "Number of attempts.", ("result", "profile"))
    attempts.increase("scheduled", "b")
    attempts.increase("error", 'a"\\\n')
    attempts.increase("scheduled", "b")
    assert metric_families.exposition([attempts]) == (
        "# HELP attempts_total [STABLE] Number of attempts.\n"
        "# TYPE attempts_total counter\n"
        'attempts_total{profile="a\\"\\\\\\n",result="error"} 1\n'
        'attempts_total{profile="b",result="scheduled"} 2\n'
    )


def test_a_histogram_counts_up_to_each_bound() -> None:
    sizes = Histogram("sizes", "ALPHA", "Sizes.", (1.0, 2.0), ("kind",))
    for value in (0.5, 1.0, 1.5, 7.0):
        sizes.of("x").observe(value)
    sizes.of("x").observe(2.0, times=2)
    assert metric_families.exposition([sizes]) == (
        "# HELP sizes [ALPHA] Sizes.\n"
        "# TYPE sizes histogram\n"
        'sizes_bucket{kind="x",le="1"} 2\n'
        'sizes_bucket{kind="x",le="2"} 5\n'
        'sizes_bucket{kind="x",le="+Inf"} 6\n'
        'sizes_sum{kind="x"} 14\n'
        'sizes_count{kind="x"} 6\n'
    )


def test_families_are_sorted_and_those_without_samples_left_out() -> None:
    gauge = Gauge("b", "BETA", "Now.", ("queue",))
    gauge.put({("active",): 3})
    plain, empty = Counter("a", "BETA", "Ever."), Counter("c", "BETA", "Never.", ("x",))
    assert metric_families.exposition([gauge, empty, plain]) == (
        "# HELP a [BETA] Ever.\n# TYPE a counter\na 0\n"
        '# HELP b [BETA] Now.\n# TYPE b gauge\nb{queue="active"} 3\n'
    )
