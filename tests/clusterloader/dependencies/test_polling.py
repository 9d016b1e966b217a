"""Looking until something is so."""

from __future__ import annotations

from kubestage.clusterloader.dependencies.polling import Polling
from kubestage.units import SECOND_NS
from tests.measure.fake_cluster import FakeMoments


class _Look:
    """Finds what it was told to find, one thing a look."""

    def __init__(self, *missing: str, problem: str = "") -> None:
        self.moments = FakeMoments()
        self.looks: list[float] = []
        self.ended: list[tuple[float, str]] = []
        self._missing = list(missing)
        self._problem = problem
        self.polling = Polling(
            self.moments, self.look, self.end, every_ns=30 * SECOND_NS, timeout_ns=70 * SECOND_NS
        )
        self.polling.start()

    def look(self) -> None:
        self.looks.append(self.moments.now_ns / SECOND_NS)
        if self._missing:
            self.polling.report(self._missing.pop(0))
        else:
            self.polling.report("", self._problem)

    def end(self, problem: str) -> None:
        self.ended.append((self.moments.now_ns / SECOND_NS, problem))


def test_it_looks_at_once_and_ends_when_nothing_is_missing() -> None:
    look = _Look()
    assert (look.looks, look.ended) == ([0.0], [(0.0, "")])


def test_it_looks_again_every_so_often() -> None:
    look = _Look("two", "one")
    look.moments.run(600)
    assert look.looks == [0.0, 30.0, 60.0]
    assert look.ended == [(60.0, "")]


def test_it_looks_a_last_time_when_the_time_is_up_and_says_what_is_missing() -> None:
    look = _Look("a", "b", "c", "d", "e")
    look.moments.run(600)
    assert look.looks == [0.0, 30.0, 60.0, 70.0]
    assert look.ended == [(70.0, "timed out waiting for the condition: d")]


def test_a_problem_ends_it() -> None:
    look = _Look("one", problem="nobody there")
    look.moments.run(600)
    assert look.ended == [(30.0, "nobody there")]


def test_nobody_is_told_once_it_is_abandoned() -> None:
    look = _Look("one")
    look.polling.abandon()
    look.moments.run(600)
    look.polling.report("")
    assert (look.looks, look.ended) == ([0.0], [])
