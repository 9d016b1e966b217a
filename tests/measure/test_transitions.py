"""Times from phase to phase are counted as ClusterLoader2 counts them."""

from __future__ import annotations

import pytest

from kubestage.measure import transitions
from kubestage.measure.transitions import Transition, TransitionTimes
from tests.golden import vectors

RECORDED = [
    entry for entry in vectors.load("cl2-percentiles") if entry["in"]["kind"] == "transitions"
]


@pytest.mark.parametrize("index", range(len(RECORDED)))
def test_latencies_and_counts_are_as_recorded(index: int) -> None:
    values, wanted = RECORDED[index]["in"], RECORDED[index]["out"]
    times = TransitionTimes()
    for key, phases in values["timesNs"].items():
        for phase, at_ns in phases.items():
            times.set(key, phase, at_ns)
    for name, (from_phase, to_phase) in values["transitions"].items():
        metric = times.observed(Transition(from_phase, to_phase)).metric
        recorded = wanted["latencyNs"][name]
        assert metric.values_ns == (recorded["Perc50"], recorded["Perc90"], recorded["Perc99"])
    for phase, count in wanted["count"].items():
        assert times.count(phase) == count


def times_of(**took_ns: int) -> TransitionTimes:
    """Objects that began at their place in line and took so long."""
    times = TransitionTimes()
    for index, (key, each) in enumerate(took_ns.items()):
        times.set(key, "a", index)
        times.set(key, "b", index + each)
    return times


AB = Transition("a", "b")


def test_the_first_time_stands_unless_it_is_set_anew() -> None:
    times = TransitionTimes()
    times.set_first("x", "a", 1)
    times.set_first("x", "a", 2)
    assert times.get("x", "a") == 1
    times.set("x", "a", 3)
    assert times.get("x", "a") == 3
    assert times.get("y", "a") is None
    assert times.count("b") == 0


def test_what_was_observed_is_told_in_the_order_of_beginning() -> None:
    observed = times_of(z=5, a=7, m=6).observed(AB)
    assert observed.to_latencies("ab").objects == ["z", "a", "m"]
    assert observed.began_ns == [0, 1, 2]
    assert observed.took_ns == [5, 7, 6]
    assert observed.count == 3


def test_times_that_run_backwards_are_no_time() -> None:
    assert times_of(a=-3, b=2).observed(AB).took_ns == [0, 2]


def test_the_slowest_come_first_and_ties_by_name() -> None:
    observed = times_of(z=5, y=9, b=7, a=7).observed(AB)
    assert observed.slowest(3) == [("y", 9), ("a", 7), ("b", 7)]
    assert observed.slowest_text(2) == "y (9ns), a (7ns)"


def test_some_objects_can_be_looked_at_alone() -> None:
    observed = times_of(z=5, a=7).observed(AB).only("a".__eq__)
    assert (observed.keys, observed.began_ns, observed.took_ns) == (["a"], [1], [7])


def test_metrics_are_written_in_the_order_of_their_names() -> None:
    metric = times_of(z=5).observed(AB).metric
    written = transitions.to_perf_data({"b": metric, "a": metric})
    assert [item.labels["Metric"] for item in written.data_items] == ["a", "b"]
    assert written.version == "1.0"
