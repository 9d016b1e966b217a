"""Something that happens at regular intervals."""

from __future__ import annotations

from kubestage.sim.environment import Environment
from kubestage.sim.periodic_timer import PeriodicTimer


class Ticks:
    def __init__(self, environment: Environment) -> None:
        self.environment = environment
        self.times: list[int] = []

    def tick(self) -> None:
        self.times.append(self.environment.clock.now_ns)


def test_ticks_come_at_every_interval_a_nanosecond_late() -> None:
    environment = Environment()
    ticks = Ticks(environment)
    PeriodicTimer(environment, "Clockwork", "tick", 100, ticks.tick).start()
    environment.run(until_ns=350)
    assert ticks.times == [101, 201, 301]


def test_a_tick_is_a_movement_from_the_stock_back_into_it() -> None:
    environment = Environment()
    timer = PeriodicTimer(environment, "Clockwork", "tick", 100, Ticks(environment).tick)
    timer.start()
    environment.run(until_ns=150)
    last = environment.completed_movements[-1].movement
    assert (last.kind, last.from_stock, last.to_stock) == ("tick", timer, timer)
    assert timer.count == 1


def test_starting_twice_ticks_once() -> None:
    environment = Environment()
    ticks = Ticks(environment)
    timer = PeriodicTimer(environment, "Clockwork", "tick", 100, ticks.tick)
    timer.start()
    timer.start()
    environment.run(until_ns=150)
    assert ticks.times == [101]


def test_a_stopped_one_ticks_no_more_and_starts_anew_from_then() -> None:
    environment = Environment()
    ticks = Ticks(environment)
    timer = PeriodicTimer(environment, "Clockwork", "tick", 100, ticks.tick)
    timer.start()
    environment.run(until_ns=150)
    timer.stop()
    assert not timer.is_running
    environment.run(until_ns=1_000)
    timer.start()
    environment.run(until_ns=1_150)
    assert ticks.times == [101, 1_101]


def test_a_tick_may_stop_it() -> None:
    environment = Environment()
    timer: PeriodicTimer

    def stop() -> None:
        timer.stop()

    timer = PeriodicTimer(environment, "Clockwork", "tick", 100, stop)
    timer.start()
    environment.run(until_ns=1_000)
    assert environment.completed_count == 2
    assert not timer.is_running
