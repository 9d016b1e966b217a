from __future__ import annotations

from kubestage.sim.alarm import Alarm
from kubestage.sim.environment import Environment


class Bell:
    def __init__(self, environment: Environment) -> None:
        self.environment = environment
        self.rung: list[int] = []
        self.alarm = Alarm(environment, "Bell", self.ring)

    def ring(self) -> None:
        self.rung.append(self.environment.clock.now_ns)


def test_it_rings_at_the_time_it_was_last_set_to() -> None:
    environment = Environment()
    bell = Bell(environment)
    bell.alarm.set(50)
    bell.alarm.set(70)
    bell.alarm.set(70)
    assert bell.alarm.is_set
    environment.run(until_ns=100)
    assert bell.rung == [70]
    assert not bell.alarm.is_set


def test_it_can_be_switched_off_and_set_again() -> None:
    environment = Environment()
    bell = Bell(environment)
    bell.alarm.set(50)
    bell.alarm.set(None)
    environment.run(until_ns=60)
    assert bell.rung == []
    bell.alarm.set(60)
    environment.run(until_ns=60)
    assert bell.rung == [60]


def test_it_is_a_stock_of_one() -> None:
    bell = Bell(Environment())
    (entity,) = bell.alarm.entities_in_stock()
    assert bell.alarm.count == 1
    assert bell.alarm.remove(entity) is entity
