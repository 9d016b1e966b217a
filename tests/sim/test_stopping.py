"""How an Environment pauses, goes on and ends."""

from __future__ import annotations

import pytest

from kubestage.errors import SimulationError
from kubestage.sim import Entity, Environment, IgnoredReason, SinkStock
from tests.sim.ends import Ends, times


class TestPausing:
    def test_a_run_until_a_moment_does_all_of_that_moment_and_stands_there(self) -> None:
        environment, ends = Environment(halt_time=100), Ends()
        ends.schedule(environment, 10, 20, 20, 21)
        environment.run(until_ns=20)
        assert times(environment) == [0, 10, 20, 20]
        environment.run(until_ns=20)
        assert environment.completed_count == 4
        environment.run(until_ns=50)
        assert environment.current_movement_time == 50
        assert environment.next_movement_time == 100

    def test_what_is_added_while_it_stands_may_occur_at_that_very_moment(self) -> None:
        environment, ends = Environment(halt_time=100), Ends()
        environment.run(until_ns=50)
        ends.schedule(environment, 49, 50, 51)
        environment.run()
        assert times(environment) == [0, 50, 51, 100]
        assert environment.ignored_count == 1

    def test_a_run_until_after_the_halt_ends_at_the_halt(self) -> None:
        environment = Environment(halt_time=100)
        environment.run(until_ns=1000)
        assert (environment.current_movement_time, environment.is_halted) == (100, True)

    @pytest.mark.parametrize("until_ns", [4, 5.5])
    def test_it_does_not_run_back_nor_to_a_fraction(self, until_ns: int) -> None:
        environment = Environment(halt_time=100)
        environment.run(until_ns=5)
        with pytest.raises(SimulationError, match="cannot run until"):
            environment.run(until_ns=until_ns)

    def test_a_step_is_one_movement(self) -> None:
        environment, ends = Environment(halt_time=100), Ends()
        ends.schedule(environment, 5, 5)
        seen = []
        while environment.step():
            seen.append((environment.current_movement_time, environment.completed_count))
        assert seen == [(0, 1), (5, 2), (5, 3), (100, 4)]


class TestOpenEnd:
    def test_without_a_halting_time_it_runs_until_nothing_is_scheduled(self) -> None:
        environment, ends = Environment(), Ends()
        ends.schedule(environment, 10**17)
        environment.run()
        assert (environment.current_movement_time, environment.is_halted) == (10**17, False)
        assert environment.pending_count == 0

    def test_halting_comes_right_after_the_present_moment_and_ignores_what_waits(self) -> None:
        environment, ends = Environment(), Ends()
        ends.schedule(environment, 50, 51, 99)
        environment.run(until_ns=49)
        environment.halt(51)
        environment.run()
        assert times(environment) == [0, 50, 51]
        assert environment.is_halted
        assert [(time, reason) for time, _, reason, _ in environment.ignored_movements] == [
            (51, IgnoredReason.SCHEDULED_AFTER_HALT),
            (99, IgnoredReason.SCHEDULED_AFTER_HALT),
        ]

    def test_a_run_that_stands_can_be_halted_at_its_time_behind_all_that_happened_then(
        self,
    ) -> None:
        environment, ends = Environment(), Ends()
        ends.schedule(environment, 50, 51)
        environment.run(until_ns=50)
        ends.schedule(environment, 50)
        environment.halt(50)
        environment.run()
        kinds = [(at, moved.kind) for at, moved, _ in environment.completed_movements]
        assert kinds[-2:] == [(50, "at_50"), (50, "running_to_halted")]
        assert [time for time, *_ in environment.ignored_movements] == [51, 50]
        with pytest.raises(SimulationError, match="cannot halt at 50"):
            environment.halt(50)

    def test_what_comes_before_the_halt_keeps_its_order_and_what_was_cancelled_its_reason(
        self,
    ) -> None:
        environment, ends = Environment(), Ends()
        shuffled = [number * 37 % 101 + 1 for number in range(101)]
        ends.schedule(environment, *shuffled)
        late = environment.schedule("late", 90, ends.source, ends.sink)
        environment.cancel(late)
        environment.halt(60)
        assert environment.pending_count == 2 + 59
        environment.run()
        assert times(environment) == list(range(61))
        reasons = [reason for _, _, reason, _ in environment.ignored_movements]
        assert reasons.count(IgnoredReason.CANCELLED) == 1
        assert reasons.count(IgnoredReason.SCHEDULED_AFTER_HALT) == 42

    def test_a_stock_can_halt_the_run_which_still_ends_the_present_moment(self) -> None:
        class Fuse(SinkStock[Entity]):
            def add(self, entity: Entity) -> None:
                super().add(entity)
                environment.halt()
                ends.schedule(environment, 5, 6)

        environment, ends = Environment(), Ends()
        environment.schedule("blow", 5, ends.source, Fuse("Fuse", "Thing"))
        ends.schedule(environment, 5, 6, 7)
        environment.run()
        assert times(environment) == [0, 5, 5, 5, 6]
        assert environment.halt_time == 6
        assert environment.ignored_count == 3

    def test_the_halt_can_be_brought_forward_and_not_put_off(self) -> None:
        environment = Environment(halt_time=100)
        environment.halt(60)
        with pytest.raises(SimulationError, match="the halt is at 60 ns"):
            environment.halt(61)
        environment.run()
        assert times(environment) == [0, 60]
        assert (environment.ignored_count, environment.pending_count) == (0, 0)

    def test_after_the_halt_nothing_more_is_accepted(self) -> None:
        environment, ends = Environment(halt_time=100), Ends()
        environment.run()
        ends.schedule(environment, 99, 100, 101)
        assert [reason.name for _, _, reason, _ in environment.ignored_movements] == [
            "SCHEDULED_IN_THE_PAST",
            "SCHEDULED_AFTER_HALT",
            "SCHEDULED_AFTER_HALT",
        ]
        assert not environment.step()
