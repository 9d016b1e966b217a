"""Real time: order, the past, and what has been called off."""

from __future__ import annotations

import asyncio
import signal
import threading
import time
from typing import TYPE_CHECKING

import pytest

from kubestage.remote.loop import Loop
from kubestage.remote.moments import RealMoments

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.cluster.access import Moments

MS = 1_000_000


@pytest.fixture
def loop() -> Iterator[Loop]:
    with Loop() as made:
        yield made


class Diary:
    """Writes down who was called, and when."""

    def __init__(self, loop: Loop) -> None:
        self.loop = loop
        self.moments = RealMoments(loop)
        self.called: list[tuple[str, int]] = []

    def ask(self, name: str, at_ns: int) -> None:
        self.moments.at(at_ns, lambda: self.called.append((name, self.moments.now_ns)))

    @property
    def names(self) -> str:
        return "".join(name for name, _ in self.called)

    def run(self, count: int) -> str:
        self.loop.run(lambda: len(self.called) >= count)
        return self.names


def test_it_is_the_port(loop: Loop) -> None:
    port: Moments = RealMoments(loop)
    assert port.now_ns >= 0


def test_callbacks_come_in_the_order_of_their_times_and_never_early(loop: Loop) -> None:
    diary = Diary(loop)
    now_ns = diary.moments.now_ns
    times = {"d": 30 * MS, "a": 5 * MS, "c": 20 * MS, "b": 10 * MS}
    for name, delay_ns in times.items():
        diary.ask(name, now_ns + delay_ns)
    assert diary.run(4) == "abcd"
    assert all(at_ns >= now_ns + times[name] for name, at_ns in diary.called)


def test_callbacks_of_one_time_come_in_the_order_in_which_they_were_asked_for(loop: Loop) -> None:
    diary = Diary(loop)
    at_ns = diary.moments.now_ns + 5 * MS
    names = "abcdefghijklmnopqrstuvwxyz"
    for name in names:
        diary.ask(name, at_ns)
    assert diary.run(26) == names


def test_what_is_sooner_is_not_held_up_by_what_was_asked_for_before(loop: Loop) -> None:
    diary = Diary(loop)
    diary.ask("late", diary.moments.now_ns + 3_600_000 * MS)
    diary.ask("soon", diary.moments.now_ns + 5 * MS)
    loop.asyncio.call_later(10, loop.asyncio.stop)
    assert diary.run(1) == "soon"


def test_what_has_passed_is_called_after_what_is_under_way(loop: Loop) -> None:
    diary = Diary(loop)

    def busy() -> None:
        diary.ask("late", 0)
        diary.called.append(("busy", 0))

    diary.moments.at(0, busy)
    diary.ask("then", diary.moments.now_ns)
    assert not diary.called
    assert diary.run(3) == "busythenlate"


def test_what_is_called_off_does_not_happen(loop: Loop) -> None:
    diary = Diary(loop)
    timer = diary.moments.at(diary.moments.now_ns + MS, lambda: diary.called.append(("no", 0)))
    diary.ask("yes", diary.moments.now_ns + 5 * MS)
    timer.cancel()
    assert diary.run(1) == "yes"
    timer.cancel()


def test_the_calendar_goes_on_with_the_clock(loop: Loop) -> None:
    moments = RealMoments(loop)
    assert abs(moments.unix_ns - time.time_ns()) < 60_000 * MS
    assert moments.unix_at(moments.now_ns) <= moments.unix_ns


def test_the_first_error_ends_the_run(loop: Loop) -> None:
    moments = RealMoments(loop)

    def fail() -> None:
        raise ZeroDivisionError("first")

    moments.at(0, fail)
    with pytest.raises(ZeroDivisionError, match="first"):
        loop.run(lambda: False)


def test_work_that_fails_ends_the_run(loop: Loop) -> None:
    async def fail() -> None:
        raise ZeroDivisionError("beside")

    loop.spawn(fail())
    with pytest.raises(ZeroDivisionError, match="beside"):
        loop.run(lambda: False)


def test_a_run_that_is_over_does_not_begin(loop: Loop) -> None:
    diary = Diary(loop)
    diary.ask("no", 0)
    loop.run(lambda: True)
    assert not diary.called


def test_others_are_heard_while_nothing_happens(loop: Loop) -> None:
    said: list[str] = []
    threading.Timer(0.05, lambda: loop.call_soon_threadsafe(lambda: said.append("thread"))).start()
    loop.run(lambda: bool(said))

    before = signal.signal(
        signal.SIGALRM, lambda *_: loop.call_soon_threadsafe(lambda: said.append("signal"))
    )
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        loop.run(lambda: len(said) == 2)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert said == ["thread", "signal"]


def test_what_is_under_way_is_given_up_at_the_end() -> None:
    ended: list[str] = []

    async def wait() -> None:
        try:
            await asyncio.sleep(3600)
        finally:
            ended.append("given up")

    loop = Loop()
    diary = Diary(loop)
    loop.spawn(wait())
    diary.ask("x", 0)
    diary.run(1)
    loop.close()
    loop.close()
    assert ended == ["given up"]


def test_after_an_interrupt_of_a_task_work_still_completes(loop: Loop) -> None:
    """A task that was interrupted is an error of the run, not of what closes connections."""

    async def interrupted() -> None:
        raise KeyboardInterrupt

    async def closing() -> str:
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        return "closed"

    loop.spawn(interrupted())
    with pytest.raises(KeyboardInterrupt):
        loop.run(lambda: False)
    assert loop.complete(closing()) == "closed"
