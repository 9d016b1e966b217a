from __future__ import annotations

import pytest

from kubestage.controllers.work_queue import FIRST_RETRY_NS, LAST_RETRY_NS, WorkQueue
from kubestage.sim.environment import Environment


class _Line:
    """Keys as they come up, with their times."""

    def __init__(self) -> None:
        self.environment = Environment()
        self.seen: list[tuple[str, int]] = []
        self.queue = WorkQueue("test", self.environment, self._on_ready)

    def _on_ready(self, key: str) -> None:
        self.seen.append((key, self.environment.clock.now_ns))

    def look_at_all(self) -> None:
        for key, _ in self.seen:
            self.queue.take(key)
            self.queue.done(key)


def test_a_key_that_waits_is_not_added_again() -> None:
    line = _Line()
    for key in ("a", "b", "a"):
        line.queue.add(key)
    assert line.seen == [("a", 0), ("b", 0)]
    assert line.queue.is_waiting("a")


def test_a_key_that_was_looked_at_may_come_again() -> None:
    line = _Line()
    line.queue.add("a")
    line.look_at_all()
    assert not line.queue.is_waiting("a")
    line.queue.add("a")
    assert len(line.seen) == 2


def test_a_key_that_is_added_while_it_is_looked_at_comes_again_behind_the_others() -> None:
    line = _Line()
    line.queue.add("a")
    line.queue.take("a")
    line.queue.add("a")
    line.queue.add("b")
    assert [key for key, _ in line.seen] == ["a", "b"]
    line.queue.done("a")
    assert [key for key, _ in line.seen] == ["a", "b", "a"]
    line.queue.take("a")
    line.queue.done("a")
    assert len(line.seen) == 3


def test_of_several_delays_the_shortest_counts() -> None:
    line = _Line()
    line.queue.add_after("a", 50)
    line.queue.add_after("a", 20)
    line.queue.add_after("a", 70)
    line.environment.run(until_ns=100)
    assert line.seen == [("a", 20)]


def test_keys_come_up_at_their_times() -> None:
    line = _Line()
    line.queue.add_after("late", 30)
    line.queue.add_after("soon", 10)
    line.queue.add_at("at", line.environment.clock.unix_ns + 20)
    line.queue.add_after("now", 0)
    line.environment.run(until_ns=100)
    assert line.seen == [("now", 0), ("soon", 10), ("at", 20), ("late", 30)]


def test_failures_double_the_wait_up_to_a_limit() -> None:
    line = _Line()
    waits = []
    for _ in range(30):
        before = line.environment.clock.now_ns
        line.queue.add_rate_limited("a")
        line.environment.run()
        line.look_at_all()
        waits.append(line.seen[-1][1] - before)
    assert waits[:4] == [FIRST_RETRY_NS << number for number in range(4)]
    assert waits[-1] == LAST_RETRY_NS
    assert line.queue.failures("a") == 30


@pytest.mark.parametrize("times", [1, 5])
def test_a_key_that_is_forgotten_begins_anew(times: int) -> None:
    line = _Line()
    for _ in range(times):
        line.queue.add_rate_limited("a")
        line.environment.run()
        line.look_at_all()
    line.queue.forget("a")
    assert line.queue.failures("a") == 0
    before = line.environment.clock.now_ns
    line.queue.add_rate_limited("a")
    line.environment.run()
    assert line.seen[-1] == ("a", before + FIRST_RETRY_NS)
