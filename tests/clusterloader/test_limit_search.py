"""The search for a limit: it finds it, is as close as asked, and notices when there is none."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubestage.clusterloader.limit_search import SearchRange, runs_needed, search, verdict

WIDE = SearchRange(lowest=0.01, start=10.0, highest=10_240.0)


class Cluster:
    """Meets the goal up to some load, and notes what it was asked."""

    def __init__(self, limit: float) -> None:
        self.limit = limit
        self.asked: list[float] = []

    def meets(self, value: float) -> bool:
        self.asked.append(value)
        return value <= self.limit


@given(st.floats(min_value=0.02, max_value=10_000), st.sampled_from([0.3, 0.1, 0.05, 0.01]))
def test_the_limit_is_between_the_two_loads_and_they_are_close(
    limit: float, precision: float
) -> None:
    cluster = Cluster(limit)
    within = SearchRange(lowest=0.01, start=10.0, highest=10_240.0, precision=precision)
    found = search(cluster.meets, within)
    assert found.limit is not None
    assert found.above is not None
    assert found.limit <= limit < found.above
    assert found.above - found.limit <= precision * found.above
    assert found.is_monotonic


@given(st.integers(min_value=1, max_value=5000), st.integers(min_value=1, max_value=64))
def test_whole_numbers_are_found_exactly(limit: int, start: int) -> None:
    within = SearchRange(lowest=1, start=start, highest=8192, precision=0.0001, is_whole=True)
    cluster = Cluster(limit)
    found = search(cluster.meets, within)
    assert (found.limit, found.above) == (limit, limit + 1)
    assert all(value.is_integer() for value in map(float, cluster.asked))


@given(st.floats(min_value=0.001, max_value=20_000))
def test_a_load_is_never_tried_twice_nor_outside_of_the_range(limit: float) -> None:
    cluster = Cluster(limit)
    found = search(cluster.meets, WIDE)
    assert len(cluster.asked) == len(set(cluster.asked)) <= 25
    assert all(WIDE.lowest <= value <= WIDE.highest for value in cluster.asked)
    assert [value for value, _ in found.tried] == sorted(cluster.asked)


def test_a_cluster_that_takes_everything_has_no_limit_in_the_range() -> None:
    found = search(Cluster(1e9).meets, WIDE)
    assert (found.limit, found.above) == (10_240, None)


def test_a_cluster_that_takes_nothing_has_none_either() -> None:
    found = search(Cluster(0).meets, WIDE)
    assert (found.limit, found.above) == (None, 0.01)


def test_a_miss_well_below_the_limit_is_noticed_and_the_limit_is_below_it() -> None:
    found = search(lambda value: value <= 100 and not 60 <= value <= 70, WIDE)
    assert not found.is_monotonic
    assert found.limit == 40
    assert found.above is not None
    assert 60 <= found.above <= 70


def test_a_pass_above_the_limit_is_noticed_and_does_not_raise_it() -> None:
    within = SearchRange(lowest=10, start=50, highest=1000)
    found = search(lambda value: value <= 100 or 150 < value < 170, within)
    assert (found.limit, found.above) == (100, 103.1)
    assert found.tried[-2:] == ((154.6, True), (200, False))
    assert not found.is_monotonic


@given(st.floats(min_value=0.02, max_value=9_000), st.floats(min_value=1, max_value=3))
def test_unsure_loads_are_no_misses_and_the_search_goes_on_to_the_first_miss(
    limit: float, factor: float
) -> None:
    def meets(value: float) -> bool | None:
        return True if value <= limit else None if value <= limit * factor else False

    found = search(meets, WIDE)
    assert found.limit is not None
    assert found.limit <= limit
    assert all(limit < value <= limit * factor for value in found.unsure)
    edge = found.unsure[-1] if found.unsure else found.limit
    if limit * factor < WIDE.highest:
        assert found.above is not None
        assert limit * factor < found.above
        assert found.above - edge <= 0.05 * found.above
    assert all(met is False for value, met in found.tried if value == found.above)


def test_a_search_that_is_never_sure_has_neither_limit_nor_miss() -> None:
    found = search(lambda _: None, SearchRange(lowest=10, start=10, highest=40))
    assert (found.limit, found.above, found.unsure) == (None, None, (10, 20, 40))


@given(st.lists(st.sampled_from((True, False, None)), min_size=80, max_size=80))
def test_whatever_is_answered_no_load_below_the_limit_misses(answers: list[bool | None]) -> None:
    found = search(lambda _: answers.pop(), WIDE)
    assert all(met for value, met in found.tried if found.limit and value <= found.limit)
    assert not any(met for value, met in found.tried if value == found.above)


@pytest.mark.parametrize(
    ("passed", "runs", "expected"),
    [(5, 5, True), (4, 5, None), (1, 5, None), (0, 5, False), (9, 10, True), (8, 10, None)],
)
def test_five_runs_that_agree_decide_at_95_percent(
    passed: int, runs: int, expected: bool | None
) -> None:
    assert verdict(passed, runs, 0.95) is expected


@given(st.integers(1, 60), st.floats(0.5, 0.999), st.data())
def test_a_verdict_is_turned_round_when_passes_and_misses_are(
    runs: int, confidence: float, data: st.DataObject
) -> None:
    passed = data.draw(st.integers(0, runs))
    said, other = (verdict(each, runs, confidence) for each in (passed, runs - passed))
    assert other is (None if said is None else not said) or passed * 2 == runs


@pytest.mark.parametrize(("confidence", "runs"), [(0.5, 1), (0.75, 2), (0.95, 5), (0.99, 7)])
def test_so_many_runs_that_agree_are_needed(confidence: float, runs: int) -> None:
    assert runs_needed(confidence) == runs
    assert verdict(runs, runs, confidence) is True
    assert verdict(runs - 1, runs - 1, confidence) is not True or runs == 1


@pytest.mark.parametrize("noise", [1, 10, 40])
def test_a_whole_search_is_as_sure_as_each_of_its_verdicts(noise: float) -> None:
    """As `docs/find-limit.md` states it: loads above 100 miss in more than half of their runs."""
    chance, searches, too_high, too_low = random.Random(7), 400, 0, 0

    def meets(load: float) -> bool | None:
        share = 1 / (1 + math.exp((load - 100) / noise))
        passed = 0
        for runs in (5, 10, 15):
            passed += sum(chance.random() < share for _ in range(5))
            found = verdict(passed, runs, 0.95)
            if found is not None:
                return found
        return None

    for _ in range(searches):
        found = search(meets, SearchRange(lowest=10, start=10, highest=1_000))
        too_high += found.limit is not None and found.limit > 100
        too_low += found.above is not None and found.above < 100
    assert too_high <= 0.01 * searches
    assert too_low <= 0.04 * searches
