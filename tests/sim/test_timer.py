from __future__ import annotations

from kubestage.sim.environment import Environment


class Bell:
    def __init__(self, environment: Environment) -> None:
        self.environment = environment
        self.rung: list[int] = []
        self.timer = environment.timer("Bell", self.ring)

    def ring(self) -> None:
        self.rung.append(self.environment.clock.now_ns)


def test_it_rings_at_the_time_it_was_last_set_to() -> None:
    environment = Environment()
    bell = Bell(environment)
    bell.timer.set(50)
    bell.timer.set(70)
    bell.timer.set(70)
    assert bell.timer.is_set
    environment.run(until_ns=100)
    assert bell.rung == [70]
    assert not bell.timer.is_set


def test_it_can_be_switched_off_and_set_again() -> None:
    environment = Environment()
    bell = Bell(environment)
    bell.timer.set(50)
    bell.timer.set(None)
    environment.run(until_ns=60)
    assert bell.rung == []
    bell.timer.set(60)
    environment.run(until_ns=60)
    assert bell.rung == [60]


def test_a_time_that_has_passed_means_as_soon_as_possible() -> None:
    environment = Environment()
    bell = Bell(environment)
    bell.timer.set(0)
    environment.run(until_ns=100)
    bell.timer.set(50)
    environment.run(until_ns=200)
    assert bell.rung == [1, 100]


def test_it_is_a_movement_back_into_its_stock_of_one() -> None:
    environment = Environment()
    Bell(environment).timer.set(5)
    environment.run(until_ns=10)
    last = environment.completed_movements[-1]
    stock = last.movement.from_stock
    assert (last.movement.kind, stock.name, stock.kind_stocked) == ("ring", "Bell", "Alarm")
    assert last.movement.to_stock.name == stock.name
    assert (stock.count, list(stock.entities_in_stock())) == (1, [last.entity])
