from __future__ import annotations

from kubestage.sim import ArrayStock, Arrivals, Constant, Entity, Environment, Exponential, Streams


def visitors() -> ArrayStock[Entity]:
    return ArrayStock("Hall", "Visitor")


def test_each_arrival_is_one_interval_after_the_one_before() -> None:
    environment, hall = Environment(halt_time=50), visitors()
    Arrivals(environment, "Door", "Visitor", Entity, hall, Constant(10))
    environment.run()
    times = [
        occurs_at
        for occurs_at, moved, _ in environment.completed_movements
        if moved.kind == "arrive"
    ]
    assert times == [10, 20, 30, 40]
    assert [visitor.name for visitor in hall.entities_in_stock()] == [
        f"visitor-{number}" for number in range(1, 5)
    ]


def test_only_the_next_arrival_is_ever_scheduled() -> None:
    environment = Environment()
    interval = Exponential(Streams(1).stream("arrivals"), mean_ns=1000)
    Arrivals(environment, "Door", "Visitor", Entity, visitors(), interval)
    environment.step()
    for _ in range(500):
        assert environment.pending_count == 1
        environment.step()


def test_arrivals_end_with_the_last_one_asked_for() -> None:
    environment, hall = Environment(), visitors()
    Arrivals(environment, "Door", "Visitor", Entity, hall, Constant(10), limit=3)
    environment.run()
    assert (hall.count, environment.current_movement_time) == (3, 30)


def test_a_limit_of_zero_lets_nobody_in() -> None:
    environment, hall = Environment(), visitors()
    Arrivals(environment, "Door", "Visitor", Entity, hall, Constant(10), limit=0)
    environment.run()
    assert (hall.count, environment.current_movement_time) == (0, 0)


def test_another_movement_from_the_source_leaves_the_next_arrival_where_it_is() -> None:
    environment, hall = Environment(halt_time=35), visitors()
    door = Arrivals(environment, "Door", "Visitor", Entity, hall, Constant(10))
    environment.schedule("sneak_in", 15, door, hall)
    environment.run()
    times = [occurs_at for occurs_at, _, _ in environment.completed_movements]
    assert times == [0, 10, 15, 20, 30, 35]
