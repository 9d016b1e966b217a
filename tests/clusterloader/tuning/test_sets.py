"""Tuning sets begin actions at their instants, once each, and say when it is over."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from kubestage.clusterloader import config
from kubestage.clusterloader.tuning import TuningSets
from kubestage.errors import InputError
from kubestage.sim.streams import Streams
from kubestage.units import SECOND_NS
from tests.clusterloader.tuning.paced import Paced
from tests.measure.fake_cluster import FakeMoments

if TYPE_CHECKING:
    from kubestage.clusterloader.tuning import Action


QPS = config.TuningSet("qps", config.QpsLoad(10))
CLOSED = config.TuningSet("closed", config.ParallelismLimitedLoad(2))
GLOBAL = config.TuningSet("global", config.GlobalQpsLoad(10, 2))
UNIFORM = config.TuningSet("uniform", config.RandomizedLoad(10))
SCATTERED = config.TuningSet("scattered", config.RandomizedTimeLimitedLoad(60 * SECOND_NS))
POISSON = config.TuningSet("poisson", config.PoissonLoad(10))
ALL = [QPS, CLOSED, GLOBAL, UNIFORM, SCATTERED, POISSON]


def test_the_initial_delay_is_waited_before_the_first_action() -> None:
    delayed = config.TuningSet("late", config.QpsLoad(1), initial_delay_ns=3 * SECOND_NS)
    paced = Paced([delayed])
    paced.execute("late", [0, 0])
    paced.run()
    assert paced.starts == [3 * SECOND_NS, 4 * SECOND_NS]
    assert paced.finished == [5 * SECOND_NS]


@pytest.mark.parametrize("tuning_set", ALL, ids=[each.name for each in ALL])
def test_without_actions_a_phase_finishes_at_once_but_not_from_within(
    tuning_set: config.TuningSet,
) -> None:
    late = config.TuningSet(tuning_set.name, tuning_set.load, initial_delay_ns=SECOND_NS)
    paced = Paced([late])
    paced.execute(late.name, [])
    assert paced.finished == []
    paced.run()
    assert paced.finished == [0]


@pytest.mark.parametrize("tuning_set", ALL, ids=[each.name for each in ALL])
def test_every_action_begins_once_and_one_timer_is_enough(tuning_set: config.TuningSet) -> None:
    moments, begun, finished = FakeMoments(), list[int](), list[int]()
    sets = TuningSets([tuning_set], moments, Streams(1))

    def action(index: int) -> Action:
        def begin(done: Callable[[], None]) -> None:
            begun.append(index)
            done()

        return begin

    sets.execute(tuning_set.name, [action(i) for i in range(3000)], lambda: finished.append(1))
    for _ in range(60):
        assert moments.pending <= 1
        moments.run(10)
    assert sorted(begun) == list(range(3000))
    assert finished == [1]


def test_the_shared_limit_is_one_over_phases_and_steps() -> None:
    paced = Paced([GLOBAL])
    paced.execute("global", [0] * 3)
    paced.execute("global", [0] * 3)
    paced.run()
    assert paced.starts == [each * SECOND_NS // 10 for each in (0, 0, 1, 2, 3, 4)]
    paced.begun.clear()
    paced.execute("global", [0])
    paced.run()
    assert paced.starts == [5 * SECOND_NS // 10]


def test_phases_of_other_sets_have_a_pace_of_their_own() -> None:
    paced = Paced([QPS])
    paced.execute("qps", [0] * 3)
    paced.execute("qps", [0] * 3)
    paced.run()
    assert paced.starts == [each * SECOND_NS // 10 for each in (0, 0, 1, 1, 2, 2)]


def test_stopping_begins_no_more_and_waits_for_those_under_way() -> None:
    paced = Paced(ALL)
    for each in (QPS, CLOSED, GLOBAL):
        paced.execute(each.name, [5 * SECOND_NS] * 100)
    paced.run(SECOND_NS // 4)
    begun = list(paced.begun)
    paced.sets.stop()
    paced.sets.stop()
    paced.run()
    assert paced.begun == begun
    assert len(paced.finished) == 3
    assert max(paced.finished) == begun[-1][0] + 5 * SECOND_NS


def test_what_is_asked_for_after_the_stop_begins_nothing() -> None:
    paced = Paced([QPS])
    paced.sets.stop()
    paced.execute("qps", [0])
    paced.run()
    assert paced.begun == []
    assert len(paced.finished) == 1


def test_a_schedule_that_waits_is_cut_short_by_a_stop() -> None:
    paced = Paced([config.TuningSet("slow", config.QpsLoad(0.01))])
    paced.execute("slow", [0])
    paced.run(SECOND_NS)
    paced.sets.stop()
    paced.run()
    assert paced.finished == [SECOND_NS]


def test_stopping_leaves_no_timer_behind_and_tells_once_but_not_from_within() -> None:
    moments, begun, finished = FakeMoments(), list[Callable[[], None]](), list[int]()
    sets = TuningSets([config.TuningSet("slow", config.QpsLoad(0.01))], moments, Streams(1))
    sets.execute("slow", [begun.append] * 3, lambda: finished.append(moments.now_ns))
    moments.run(1)
    assert sets.under_way == 1
    sets.stop()
    begun[0]()
    assert finished == [SECOND_NS]
    moments.run()
    assert (finished, moments.pending, sets.under_way) == ([SECOND_NS], 0, 0)
    sets.execute("slow", [begun.append], lambda: finished.append(moments.now_ns))
    sets.stop()
    assert len(finished) == 1
    moments.run()
    assert len(finished) == 2


def test_who_is_late_begins_at_once_and_nothing_drifts() -> None:
    moments, begun = FakeMoments(), list[int]()
    sets = TuningSets([QPS], moments, Streams(1))

    def begin(done: Callable[[], None]) -> None:
        begun.append(moments.now_ns)
        if len(begun) == 2:
            # The process was busy for a while.
            moments.now_ns += 350_000_000
        done()

    sets.execute("qps", [begin] * 7, begun.clear)
    moments.run_until(650_000_000)
    assert [each // 1_000_000 for each in begun] == [0, 100, 450, 450, 450, 500, 600]


def test_a_set_draws_from_a_stream_of_its_own() -> None:
    alone, together = Paced([UNIFORM]), Paced([UNIFORM, POISSON])
    together.execute("poisson", [0] * 20)
    together.run()
    begin_ns = together.elapsed_ns
    together.begun.clear()
    for paced in (alone, together):
        paced.execute("uniform", [0] * 20)
        paced.run()
    assert [each - begin_ns for each in together.starts] == alone.starts
    assert len(set(alone.starts)) > 10


def test_phases_under_way_are_pickled() -> None:
    paced = Paced(ALL)
    for each in ALL:
        paced.execute(each.name, [SECOND_NS] * 30)
    paced.run(SECOND_NS)
    again: Paced = pickle.loads(pickle.dumps(paced))
    paced.run()
    again.run()
    assert again.begun == paced.begun
    assert again.finished == paced.finished
    assert len(paced.finished) == len(ALL)


def test_an_unknown_name_is_an_error_that_names_the_likely_one() -> None:
    with pytest.raises(InputError, match="did you mean 'uniform'"):
        Paced(ALL).execute("unifrom", [])
