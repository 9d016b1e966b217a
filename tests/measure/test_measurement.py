"""A measurement asks at its pace, stops when the test is over, and shares what it can."""

from __future__ import annotations

import pickle
import random
from typing import TYPE_CHECKING, Any

import pytest

from kubestage.errors import InputError
from kubestage.measure.facilities import Facilities
from kubestage.measure.measurement import Context, Measurement, Shared
from kubestage.measure.params import Params
from kubestage.measure.results import NOTHING, MeasurementResult, PendingResult
from kubestage.units import SECOND_NS
from tests.measure.fake_cluster import FakeCluster
from tests.measure.making import Asked, make

if TYPE_CHECKING:
    from kubestage.cluster.access import Cluster


class _Asking(Measurement[Params]):
    """Asks a question and notes when."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.asked: list[float] = []
        self.answer = False
        self.how: dict[str, Any] = {}

    def gather(self, params: Params) -> PendingResult:
        del params
        return self.wait(
            self._ask, self._told, every_ns=2 * SECOND_NS, timeout_ns=5 * SECOND_NS, **self.how
        )

    def _ask(self) -> bool:
        self.asked.append(self.now_ns / SECOND_NS)
        return self.answer

    def _told(self, is_true: bool) -> MeasurementResult:
        return NOTHING if is_true else MeasurementResult(errors=("too late",))


def asking(**how: Any) -> tuple[FakeCluster, _Asking]:
    cluster = FakeCluster()
    measurement = make(_Asking, cluster)
    assert isinstance(measurement, _Asking)
    measurement.how = how
    return cluster, measurement


def test_a_question_is_asked_at_once_then_at_its_pace_and_at_the_end() -> None:
    cluster, measurement = asking()
    asked = Asked(measurement, action="gather")
    cluster.moments.run(10)
    assert measurement.asked == [0, 2, 4, 5]
    assert (asked.at_s, asked.outcome.errors) == (5, ("too late",))


def test_the_first_and_the_last_time_can_be_left_out() -> None:
    cluster, measurement = asking(at_once=False, at_end=False)
    asked = Asked(measurement, action="gather")
    cluster.moments.run(10)
    assert measurement.asked == [2, 4]
    assert asked.at_s == 5


def test_what_comes_true_ends_the_wait_at_the_next_time_of_asking() -> None:
    cluster, measurement = asking()
    asked = Asked(measurement, action="gather")
    cluster.moments.run(1)
    measurement.answer = True
    cluster.moments.run(10)
    assert (asked.at_s, asked.outcome) == (2, NOTHING)
    assert cluster.moments.pending == 0


def test_a_test_that_is_over_asks_no_more() -> None:
    cluster, measurement = asking()
    asked = Asked(measurement, action="gather")
    cluster.moments.run(1)
    measurement.end()
    assert cluster.moments.pending == 0
    cluster.moments.run(10)
    assert not asked.is_answered


def test_a_wait_pickles() -> None:
    cluster, measurement = asking()
    Asked(measurement, action="gather")
    cluster.moments.run(1)
    copy = pickle.loads(pickle.dumps(measurement))
    copy.cluster.moments.run(10)
    assert copy.asked == [0, 2, 4, 5]


def test_an_unknown_action_is_an_error_that_names_the_known_ones() -> None:
    _, measurement = asking()
    with pytest.raises(InputError) as caught:
        Asked(measurement, action="begin")
    assert str(caught.value) == "params.action: unknown action 'begin' (use start or gather)"
    with pytest.raises(InputError, match="no action"):
        Asked(measurement)


class _Thing:
    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.is_over = False

    def dispose(self) -> None:
        self.is_over = True


def test_measurements_of_one_test_share_what_is_made_once() -> None:
    cluster, shared = FakeCluster(), Shared()
    one, other = (
        Context("M", name, cluster, random.Random(), Facilities(), None, shared) for name in "ab"
    )
    thing = one.share(_Thing)
    assert other.share(_Thing) is thing
    assert thing.cluster is cluster
    shared.dispose()
    assert thing.is_over
    assert one.share(_Thing) is not thing
