from __future__ import annotations

from kubestage.metrics import families
from kubestage.metrics.families import Counter, Gauge, Histogram


def test_buckets_grow_by_a_factor() -> None:
    assert families.exponential_buckets(1, 2, 5) == (1, 2, 4, 8, 16)


def test_a_counter_is_told_with_its_labels_in_order() -> None:
    attempts = Counter("attempts_total", "STABLE", "Number of attempts.", ("result", "profile"))
    attempts.increase("scheduled", "b")
    attempts.increase("error", 'a"\\\n')
    attempts.increase("scheduled", "b")
    assert families.exposition([attempts]) == (
        "# HELP attempts_total [STABLE] Number of attempts.\n"
        "# TYPE attempts_total counter\n"
        'attempts_total{profile="a\\"\\\\\\n",result="error"} 1\n'
        'attempts_total{profile="b",result="scheduled"} 2\n'
    )


def test_a_histogram_counts_up_to_each_bound() -> None:
    sizes = Histogram("sizes", "ALPHA", "Sizes.", (1.0, 2.0), ("kind",))
    for value in (0.5, 1.0, 1.5, 7.0):
        sizes.distribution("x").observe(value)
    sizes.distribution("x").observe(2.0, times=2)
    assert families.exposition([sizes]) == (
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
    assert families.exposition([gauge, empty, plain]) == (
        "# HELP a [BETA] Ever.\n# TYPE a counter\na 0\n"
        '# HELP b [BETA] Now.\n# TYPE b gauge\nb{queue="active"} 3\n'
    )
