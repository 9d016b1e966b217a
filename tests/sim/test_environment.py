"""The Environment: its boundaries, its accessors and its loop."""

from __future__ import annotations

import logging

import pytest

from kubestage.errors import SimulationError
from kubestage.sim import (
    ArrayStock,
    Clock,
    Entity,
    Environment,
    IgnoredReason,
    SinkStock,
)
from tests.sim.ends import Ends, times


class Watching(ArrayStock[Entity]):
    """A stock that notes the time whenever it is asked for something."""

    def __init__(self, environment: Environment) -> None:
        super().__init__("Watching", "Thing")
        self.environment = environment
        self.seen: list[tuple[str, int]] = []

    def add(self, entity: Entity) -> None:
        super().add(entity)
        self.seen.append(("add", self.environment.current_movement_time))

    def remove(self, what: Entity | None = None) -> Entity | None:
        self.seen.append(("remove", self.environment.current_movement_time))
        return super().remove(what)


class TestBoundaries:
    def test_start_occurs_at_zero_and_halt_at_the_halting_time(self) -> None:
        environment = Environment(halt_time=100)
        environment.run()
        assert [
            (occurs_at, moved.kind, entity.kind, moved.to_stock.name)
            for occurs_at, moved, entity in environment.completed_movements
        ] == [
            (0, "start_to_running", "Scenario", "RunningScenario"),
            (100, "running_to_halted", "Scenario", "HaltedScenario"),
        ]
        assert environment.is_halted

    def test_other_movements_are_permitted_from_1_to_the_last_moment_before_the_halt(self) -> None:
        environment, ends = Environment(halt_time=100), Ends()
        ends.schedule(environment, 0, 1, 99, 100)
        environment.run()
        assert times(environment) == [0, 1, 99, 100]
        assert [
            (occurs_at, moved.kind, reason)
            for occurs_at, moved, reason, _ in environment.ignored_movements
        ] == [
            (0, "at_0", IgnoredReason.SCHEDULED_IN_THE_PAST),
            (100, "at_100", IgnoredReason.SCHEDULED_AFTER_HALT),
        ]

    def test_the_clock_must_be_at_zero_when_a_simulation_begins(self) -> None:
        with pytest.raises(SimulationError, match="begins at time zero"):
            Environment(clock=Clock(now_ns=1))

    @pytest.mark.parametrize("halt_time", [0, -5, 1.5, True])
    def test_a_halting_time_is_a_whole_number_after_the_start(self, halt_time: int) -> None:
        with pytest.raises(SimulationError, match="cannot halt at"):
            Environment(halt_time=halt_time)


class TestAccessors:
    def test_it_tells_the_current_time_and_the_halting_time(self) -> None:
        environment = Environment(halt_time=100)
        assert (environment.current_movement_time, environment.halt_time) == (0, 100)
        environment.run()
        assert environment.current_movement_time == 100
        assert Environment().halt_time is None

    def test_its_clock_is_the_one_it_was_given(self) -> None:
        clock = Clock(epoch_ns=5)
        Environment(halt_time=100, clock=clock).run()
        assert clock.unix_ns == 105

    def test_its_context_carries_a_logger_for_the_models_even_into_a_fork(self) -> None:
        logger = logging.getLogger("kubestage.test")
        environment = Environment(context={"logger": logger})
        assert environment.context["logger"] is logger
        assert environment.fork().context["logger"] is logger


class TestRun:
    def test_movements_occur_in_the_order_of_their_times_however_they_were_added(self) -> None:
        environment, ends = Environment(halt_time=100), Ends()
        ends.schedule(environment, 50, 10, 90, 30)
        environment.run()
        assert times(environment) == [0, 10, 30, 50, 90, 100]

    def test_movements_of_one_nanosecond_all_occur_in_the_order_of_scheduling(self) -> None:
        environment, ends = Environment(halt_time=100), Ends()
        for name in ("first", "second", "third"):
            environment.schedule(name, 5, ends.source, ends.sink)
        environment.run()
        kinds = [moved.kind for _, moved, _ in environment.completed_movements]
        assert kinds[1:-1] == ["first", "second", "third"]

    def test_what_a_movement_schedules_for_the_same_moment_comes_after_what_waits(self) -> None:
        class Chain(SinkStock[Entity]):
            def add(self, entity: Entity) -> None:
                super().add(entity)
                environment.schedule("third", 5, ends.source, ends.sink)
                environment.schedule("fourth", 5, ends.source, ends.sink)

        environment, ends = Environment(halt_time=100), Ends()
        environment.schedule("first", 5, ends.source, Chain("Chain", "Thing"))
        environment.schedule("second", 5, ends.source, ends.sink)
        environment.schedule("fifth", 6, ends.source, ends.sink)
        environment.run()
        kinds = [moved.kind for _, moved, _ in environment.completed_movements]
        assert kinds[1:-1] == ["first", "second", "third", "fourth", "fifth"]

    def test_the_clock_skips_to_the_movement_before_anything_is_removed(self) -> None:
        environment = Environment(halt_time=10**15)
        watching = Watching(environment)
        ArrayStock.add(watching, Entity("thing", "Thing"))
        environment.schedule("turn", 7 * 10**14, watching, watching)
        environment.run()
        assert watching.seen == [("remove", 7 * 10**14), ("add", 7 * 10**14)]
        assert environment.completed_count == 3

    def test_a_movement_from_an_empty_stock_is_ignored_with_that_reason(self) -> None:
        environment, ends = Environment(halt_time=100), Ends()
        empty: ArrayStock[Entity] = ArrayStock("Empty", "Thing")
        movement = environment.schedule("leave", 5, empty, ends.sink)
        environment.run()
        assert environment.ignored_movements == [
            (5, movement, IgnoredReason.FROM_STOCK_EMPTY, 5),
        ]
        assert ends.sink.count == 0

    def test_a_movement_of_an_entity_that_has_left_is_ignored_with_that_reason(self) -> None:
        environment, ends = Environment(halt_time=100), Ends()
        thing = Entity("thing", "Thing")
        stock: ArrayStock[Entity] = ArrayStock("Stock", "Thing")
        stock.add(thing)
        for time in (5, 6):
            environment.schedule("leave", time, stock, ends.sink, thing)
        environment.run()
        [(occurs_at, _, reason, _)] = environment.ignored_movements
        assert (occurs_at, reason) == (6, IgnoredReason.ENTITY_NOT_IN_STOCK)

    def test_an_error_while_adding_is_raised_and_tells_the_movement(self) -> None:
        environment, ends = Environment(halt_time=100), Ends()
        other: SinkStock[Entity] = SinkStock("Other", "Else")
        environment.schedule("stray", 5, ends.source, other)
        with pytest.raises(
            SimulationError, match="stray from Source to Other at 5 ns: Other stocks Else, so"
        ):
            environment.run()
        assert environment.completed_count == 1

    def test_an_error_of_the_models_own_is_raised_as_it_is(self) -> None:
        class Broken(SinkStock[Entity]):
            def add(self, entity: Entity) -> None:
                raise ZeroDivisionError(entity.name)

        environment, ends = Environment(halt_time=100), Ends()
        environment.schedule("break", 5, ends.source, Broken("Broken", "Thing"))
        with pytest.raises(ZeroDivisionError, match="thing-1"):
            environment.run()

    def test_a_stock_cannot_run_the_environment_that_runs_it(self) -> None:
        class Recursive(SinkStock[Entity]):
            def add(self, entity: Entity) -> None:
                environment.run()

        environment, ends = Environment(halt_time=100), Ends()
        environment.schedule("recurse", 5, ends.source, Recursive("Recursive", "Thing"))
        with pytest.raises(SimulationError, match="a stock cannot run it again"):
            environment.run()
        environment.run()
        assert environment.is_halted


def test_a_restarted_environment_is_a_new_one_with_the_same_clock() -> None:
    """Nothing that was scheduled happens, and what was can be scheduled again."""
    environment = Environment()
    ends = Ends()
    late = environment.schedule("late", 50, ends.source, ends.sink)
    environment.run(until_ns=20)
    environment.restart(1000)
    assert (environment.clock.now_ns, environment.clock.unix_ns) == (0, 1000)
    assert not late.is_scheduled
    assert environment.pending_count == 1  # its own start
    assert environment.add_to_schedule(late, 7)
    environment.run()
    assert environment.clock.now_ns == 7


def test_an_environment_is_not_restarted_in_the_middle_of_a_movement() -> None:
    environment = Environment()

    class Restarting(SinkStock[Entity]):
        def add(self, entity: Entity) -> None:
            del entity
            environment.restart(0)

    source: ArrayStock[Entity] = ArrayStock("source", "Thing")
    source.add(Entity("thing", "Thing"))
    environment.schedule("move", 1, source, Restarting("sink", "Thing"))
    with pytest.raises(SimulationError, match="cannot be restarted in the middle"):
        environment.run()
