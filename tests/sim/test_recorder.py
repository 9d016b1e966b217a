from __future__ import annotations

import pytest

from kubestage.errors import SimulationError
from kubestage.sim import (
    CountsOnly,
    Entity,
    Environment,
    IgnoredReason,
    MemoryRecorder,
    Movement,
)
from tests.sim import relay


class Tape:
    """A recorder of one's own."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def completed(self, occurs_at: int, movement: Movement, entity: Entity) -> None:
        self.lines.append(f"{occurs_at} {movement.kind} {entity.name}")

    def ignored(
        self, occurs_at: int, movement: Movement, reason: IgnoredReason, noticed_at: int
    ) -> None:
        self.lines.append(f"{occurs_at} {movement.kind} {reason.name} at {noticed_at}")


def test_by_default_completed_and_ignored_movements_are_kept_in_order() -> None:
    environment = relay.build()
    environment.run()
    assert len(environment.completed_movements) == environment.completed_count > 50
    assert len(environment.ignored_movements) == environment.ignored_count > 0


def test_what_is_read_in_the_middle_of_a_run_grows_as_it_goes_on() -> None:
    environment = relay.build()
    environment.run(until_ns=50)
    half = list(environment.completed_movements)
    environment.run()
    assert list(environment.completed_movements[: len(half)]) == half
    assert len(environment.completed_movements) == environment.completed_count > len(half)


def test_keeping_can_be_switched_off_and_the_counts_stay() -> None:
    kept = relay.build()
    kept.run()
    counting = relay.build()
    counting.recorder = CountsOnly()
    counting.run()
    assert counting.completed_count == kept.completed_count
    assert counting.ignored_count == kept.ignored_count
    with pytest.raises(SimulationError, match="CountsOnly keeps no movements in memory"):
        _ = counting.completed_movements


def test_an_environment_takes_any_recorder() -> None:
    tape = Tape()
    environment = Environment(halt_time=10, recorder=tape)
    environment.run()
    ends = MemoryRecorder()
    environment.recorder = ends
    assert tape.lines == ["0 start_to_running scenario-1", "10 running_to_halted scenario-1"]
    assert ends.completed_movements == []


def test_every_reason_reads_as_a_sentence_of_its_own() -> None:
    assert len({reason.value for reason in IgnoredReason}) == len(IgnoredReason) == 6
