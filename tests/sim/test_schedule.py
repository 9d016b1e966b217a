"""How movements enter and leave the schedule."""

from __future__ import annotations

import pickle

import pytest

from kubestage.errors import SimulationError
from kubestage.sim import (
    CountsOnly,
    Entity,
    Environment,
    GeneratingSource,
    IgnoredReason,
    Movement,
    SinkStock,
)


def movement(occurs_at: int, kind: str = "go") -> Movement:
    source = GeneratingSource("Source", "Thing", Entity)
    sink: SinkStock[Entity] = SinkStock("Sink", "Thing")
    return Movement(kind, occurs_at, source, sink)


def happened(environment: Environment) -> list[tuple[int, str]]:
    inner = environment.completed_movements[1:]
    return [
        (occurs_at, moved.kind)
        for occurs_at, moved, _ in inner
        if moved.kind != "running_to_halted"
    ]


def ignored(environment: Environment) -> list[tuple[int, IgnoredReason, int]]:
    return [
        (occurs_at, reason, noticed_at)
        for occurs_at, _, reason, noticed_at in environment.ignored_movements
    ]


class TestAddToSchedule:
    def test_movements_are_added_before_and_during_the_run(self) -> None:
        class Again(SinkStock[Entity]):
            def add(self, entity: Entity) -> None:
                super().add(entity)
                if self.count < 3:
                    environment.schedule("again", self.count * 10, source, self)

        environment = Environment(halt_time=100)
        source = GeneratingSource("Source", "Thing", Entity)
        assert environment.add_to_schedule(Movement("begin", 1, source, Again("Again", "Thing")))
        environment.run()
        assert happened(environment) == [(1, "begin"), (10, "again"), (20, "again")]

    def test_one_before_the_current_time_is_ignored(self) -> None:
        environment = Environment(halt_time=100)
        environment.run(until_ns=50)
        assert not environment.add_to_schedule(movement(49))
        assert ignored(environment) == [(49, IgnoredReason.SCHEDULED_IN_THE_PAST, 50)]

    @pytest.mark.parametrize("occurs_at", [0, -1])
    def test_one_at_or_before_the_start_is_ignored(self, occurs_at: int) -> None:
        environment = Environment(halt_time=100)
        assert not environment.add_to_schedule(movement(occurs_at))
        assert ignored(environment) == [(occurs_at, IgnoredReason.SCHEDULED_IN_THE_PAST, 0)]

    @pytest.mark.parametrize("occurs_at", [100, 101, 10**40])
    def test_one_at_or_after_the_halt_is_ignored(self, occurs_at: int) -> None:
        environment = Environment(halt_time=100)
        assert not environment.add_to_schedule(movement(occurs_at))
        assert ignored(environment) == [(occurs_at, IgnoredReason.SCHEDULED_AFTER_HALT, 0)]

    @pytest.mark.parametrize("occurs_at", [1.0, "1", None, True])
    def test_a_time_that_is_no_integer_is_an_error(self, occurs_at: int) -> None:
        environment = Environment(halt_time=100)
        with pytest.raises(
            SimulationError, match="go from Source to Sink: occurs_at must be whole"
        ):
            environment.add_to_schedule(movement(occurs_at))

    def test_a_movement_that_waits_cannot_be_added_once_more(self) -> None:
        environment = Environment(halt_time=100)
        waiting = movement(5)
        environment.add_to_schedule(waiting)
        with pytest.raises(SimulationError, match="already scheduled for 5 ns"):
            environment.add_to_schedule(waiting)
        environment.run()
        assert happened(environment) == [(5, "go")]

    def test_the_convenience_makes_the_movement_and_tells_whether_it_was_taken(self) -> None:
        environment = Environment(halt_time=100)
        ends = movement(0)
        taken = environment.schedule("go", 99, ends.from_stock, ends.to_stock, notes="last")
        refused = environment.schedule("go", 100, ends.from_stock, ends.to_stock)
        assert (taken.is_scheduled, refused.is_scheduled) == (True, False)
        assert taken
        assert not refused
        assert [ignored.movement for ignored in environment.ignored_movements] == [refused]
        assert (taken.notes, environment.pending_count) == ("last", 3)


class TestCollisions:
    def test_by_default_two_movements_may_have_one_time(self) -> None:
        environment = Environment(halt_time=100)
        assert environment.add_to_schedule(movement(5, "first"))
        assert environment.add_to_schedule(movement(5, "second"))
        environment.run()
        assert happened(environment) == [(5, "first"), (5, "second")]

    def test_by_the_strict_rule_the_later_one_is_ignored_and_the_first_one_stays(self) -> None:
        environment = Environment(halt_time=100, collisions="ignored")
        assert environment.add_to_schedule(movement(5, "first"))
        assert not environment.add_to_schedule(movement(5, "second"))
        environment.run()
        assert happened(environment) == [(5, "first")]
        assert ignored(environment) == [(5, IgnoredReason.COLLISION, 0)]

    def test_by_the_strict_rule_the_movement_under_way_occupies_the_present(self) -> None:
        class Eager(SinkStock[Entity]):
            def add(self, entity: Entity) -> None:
                super().add(entity)
                environment.add_to_schedule(movement(environment.current_movement_time))

        environment = Environment(halt_time=100, collisions="ignored")
        first = movement(5)
        first.to_stock = Eager("Eager", "Thing")
        environment.add_to_schedule(first)
        environment.run()
        assert ignored(environment) == [(5, IgnoredReason.COLLISION, 5)]

    def test_by_the_strict_rule_a_moment_at_which_a_run_stands_is_free_once(self) -> None:
        environment = Environment(halt_time=100, collisions="ignored")
        environment.run(until_ns=5)
        assert environment.add_to_schedule(movement(5))
        assert not environment.add_to_schedule(movement(5))
        environment.run(until_ns=5)
        assert not environment.add_to_schedule(movement(5))
        assert happened(environment) == [(5, "go")]

    def test_by_the_strict_rule_a_cancelled_movement_frees_its_time(self) -> None:
        environment = Environment(halt_time=100, collisions="ignored")
        first = movement(5, "first")
        environment.add_to_schedule(first)
        environment.cancel(first)
        assert environment.add_to_schedule(movement(5, "second"))
        environment.run()
        assert happened(environment) == [(5, "second")]

    def test_by_the_strict_rule_times_gone_by_are_not_remembered(self) -> None:
        environment = Environment(collisions="ignored", recorder=CountsOnly())
        again = movement(1)
        for time in range(1, 10_000):
            environment.add_to_schedule(again, time)
            environment.run(until_ns=time)
        assert len(pickle.dumps(environment)) < 5_000


class TestCancelling:
    def test_a_cancelled_movement_does_not_occur_and_is_recorded_as_such(self) -> None:
        environment = Environment(halt_time=100)
        unwanted = movement(5)
        environment.add_to_schedule(unwanted)
        assert environment.cancel(unwanted)
        environment.run()
        assert happened(environment) == []
        assert ignored(environment) == [(5, IgnoredReason.CANCELLED, 0)]

    def test_what_does_not_wait_cannot_be_cancelled(self) -> None:
        environment = Environment(halt_time=100)
        done = movement(5)
        environment.add_to_schedule(done)
        environment.run()
        assert not environment.cancel(done)
        assert not environment.cancel(movement(50))
        assert environment.ignored_count == 0

    def test_a_cancelled_movement_may_be_added_again_and_occurs_once(self) -> None:
        environment = Environment(halt_time=100)
        unsure = movement(5)
        for _ in range(3):
            environment.add_to_schedule(unsure)
            environment.cancel(unsure)
        environment.add_to_schedule(unsure)
        environment.run()
        assert happened(environment) == [(5, "go")]

    def test_the_next_time_is_that_of_a_movement_which_will_occur(self) -> None:
        environment = Environment(halt_time=100)
        early, late = movement(5), movement(6)
        environment.add_to_schedule(early)
        environment.add_to_schedule(late)
        environment.run(until_ns=1)
        environment.cancel(early)
        assert (environment.next_movement_time, environment.pending_count) == (6, 2)
        environment.step()
        assert happened(environment) == [(6, "go")]

    def test_many_cancellations_leave_the_rest_in_order(self) -> None:
        environment = Environment(halt_time=10_000)
        everything = [movement(1 + number % 500) for number in range(2000)]
        for each in everything:
            environment.add_to_schedule(each)
        for number, each in enumerate(everything):
            if number % 10:
                environment.cancel(each)
        assert environment.pending_count == 2 + 200
        environment.run()
        kept = [(each.occurs_at, "go") for each in everything[::10]]
        assert happened(environment) == sorted(kept)
        assert environment.ignored_count == 1800

    def test_what_waits_for_the_present_moment_can_be_cancelled_in_it(self) -> None:
        environment = Environment(halt_time=100)
        environment.run(until_ns=5)
        several = [movement(5, f"number_{number}") for number in range(200)]
        for each in several:
            environment.add_to_schedule(each)
        for each in several[1:]:
            environment.cancel(each)
        assert (environment.next_movement_time, environment.pending_count) == (5, 2)
        environment.cancel(several[0])
        assert (environment.next_movement_time, environment.pending_count) == (100, 1)


class TestRescheduling:
    def test_a_movement_that_waits_is_put_off_or_brought_forward(self) -> None:
        environment = Environment(halt_time=100)
        first, second = movement(10, "first"), movement(20, "second")
        for each in (first, second):
            environment.add_to_schedule(each)
        assert environment.reschedule(first, 30)
        assert environment.reschedule(second, 5)
        environment.run()
        assert happened(environment) == [(5, "second"), (30, "first")]
        assert environment.ignored_count == 0

    def test_a_movement_that_occurred_can_occur_again_and_each_time_is_on_record(self) -> None:
        environment = Environment(halt_time=100)
        again = movement(10)
        environment.add_to_schedule(again)
        for time in (20, 30):
            environment.run(until_ns=again.occurs_at)
            environment.reschedule(again, time)
        environment.run()
        assert happened(environment) == [(10, "go"), (20, "go"), (30, "go")]

    def test_places_given_up_are_not_remembered(self) -> None:
        environment = Environment(halt_time=10**6, recorder=CountsOnly())
        restless = movement(10**5)
        for time in range(1, 10_000):
            environment.reschedule(restless, time)
        assert environment.pending_count == 3
        assert len(pickle.dumps(environment)) < 5_000

    def test_a_time_outside_the_run_is_ignored_as_if_it_were_new(self) -> None:
        environment = Environment(halt_time=100)
        waiting = movement(10)
        environment.add_to_schedule(waiting)
        assert not environment.reschedule(waiting, 100)
        environment.run()
        assert happened(environment) == []
        assert ignored(environment) == [(100, IgnoredReason.SCHEDULED_AFTER_HALT, 0)]
