"""A run in pieces, for whoever has other things to do in between."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubestage.errors import SimulationError
from kubestage.sim.environment import Environment
from kubestage.sim.periodic_timer import PeriodicTimer

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.sim.movement import Movement


class Log:
    """Timers that fire once, one that fires again at once, and a tick, with what they said."""

    def __init__(self) -> None:
        self.environment = Environment()
        self.said: list[tuple[str, int]] = []
        self._timers = [self.environment.timer(name, self._named(name)) for name in ("a", "b", "c")]
        for timer, at_ns in zip(self._timers, (10, 10, 35), strict=True):
            timer.set(at_ns)
        self._echo = self.environment.timer("echo", self._named("echo"))
        periodic = PeriodicTimer(self.environment, "tick", "tick", 15, self._named("tick"))
        periodic.start()

    def _named(self, name: str) -> Callable[[], None]:
        def ring() -> None:
            now_ns = self.environment.clock.now_ns
            self.said.append((name, now_ns))
            if name == "b":
                self._echo.set(now_ns)

        return ring


def _is(name: str) -> Callable[[Movement], bool]:
    return lambda movement: movement.from_stock.name == name


@pytest.mark.parametrize("at_most", [1, 2, 3, 100])
def test_pieces_come_to_the_same_as_one_run(at_most: int) -> None:
    whole, divided = Log(), Log()
    whole.environment.run(until_ns=40)
    while divided.environment.run_some(40, at_most):
        assert divided.environment.clock.now_ns < 40
    assert divided.said == whole.said
    assert len(divided.said) == 6
    assert divided.environment.clock.now_ns == 40


def test_a_piece_has_no_more_movements_than_asked_for() -> None:
    log = Log()
    log.environment.run_some(40, 1)
    for count in range(1, 4):
        assert log.environment.run_some(40, 1)
        assert len(log.said) == count


def test_a_piece_does_not_go_back() -> None:
    log = Log()
    log.environment.run(until_ns=20)
    with pytest.raises(SimulationError, match="cannot run until 19: it is 20 ns"):
        log.environment.run_some(19, 1)


def test_the_first_time_is_that_of_a_movement_of_concern() -> None:
    log = Log()
    environment = log.environment
    environment.run(until_ns=1)
    assert environment.first_time(_is("a"), 99) == 10
    assert environment.first_time(_is("c"), 35) == 35
    assert environment.first_time(_is("tick"), 99) == 16
    assert environment.first_time(_is("c"), 34) is None
    assert environment.first_time(lambda each: True, 99) == 10


def test_what_was_put_off_or_cancelled_is_not_of_concern() -> None:
    environment = Environment()
    environment.run(until_ns=1)
    timer = environment.timer("a", lambda: None)
    timer.set(10)
    timer.set(20)
    assert environment.first_time(_is("a"), 99) == 20
    timer.set(None)
    assert environment.first_time(lambda each: True, 99) is None


@given(st.lists(st.tuples(st.integers(2, 50), st.booleans(), st.booleans())), st.integers(1, 60))
def test_the_first_time_is_found_wherever_it_is(
    timers: list[tuple[int, bool, bool]], until_ns: int
) -> None:
    environment = Environment()
    environment.run(until_ns=1)
    made = [environment.timer("yes" if wanted else "no", lambda: None) for _, wanted, _ in timers]
    for timer, (at_ns, _, _) in zip(made, timers, strict=True):
        timer.set(at_ns)
    for timer, (_, _, is_off) in zip(made, timers, strict=True):
        if is_off:
            timer.set(None)
    times = [at for at, wanted, is_off in timers if wanted and not is_off and at <= until_ns]
    assert environment.first_time(_is("yes"), until_ns) == min(times, default=None)


def test_what_is_due_now_is_found() -> None:
    environment = Environment()
    environment.run(until_ns=5)
    environment.timer("a", lambda: None).set(5)
    assert environment.first_time(_is("a"), 5) == 5
    assert environment.first_time(_is("b"), 5) is None
