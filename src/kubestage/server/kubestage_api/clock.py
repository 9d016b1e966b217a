"""The clock: what time it is on the stage, and how it passes."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from kubestage.errors import BadRequest
from kubestage.objects import durations, timestamps
from kubestage.server.kubestage_api.call import Answer
from kubestage.server.kubestage_api.shapes import Advance, ClockSetting, Nothing

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.server.kubestage_api.call import Call


_WRITTEN: Final = "write it as 90s, 10m or 1h30m"
_LONGEST_NS: Final = 50 * durations.SECOND


async def get(call: Call) -> Json:
    """The time, and how it passes."""
    return await _told(call)


async def put(call: Call) -> Json:
    """Let time pass in another way."""
    asked, pacer = call.body(ClockSetting), call.free_pacer
    if asked.mode is None and asked.speed is None:
        raise BadRequest("nothing is asked for: give mode (paused, speed or jump), or speed")
    mode = "paused" if asked.mode == "still" else asked.mode or "speed"
    if asked.speed is not None and mode != "speed":
        raise BadRequest(f"speed: means nothing in mode {mode}: leave one of them out")
    pacer.set_mode(mode, asked.speed)
    return await _told(call)


async def pause(call: Call) -> Json:
    """Let time stand still."""
    call.body(Nothing)
    call.free_pacer.pause()
    return await _told(call)


async def resume(call: Call) -> Json:
    """Let time pass again."""
    call.body(Nothing)
    call.free_pacer.resume()
    return await _told(call)


async def advance(call: Call) -> Answer:
    """Let so much time pass; others are served meanwhile."""
    pacer, clock = call.free_pacer, call.live.stage.clock
    duration_ns = _duration_ns(call.body(Advance), clock.unix_ns)
    waits = call.choice("wait", ("true", "false")) == "true"
    wait_ns = _read("timeout", call.request.parameter("timeout") or "30s")
    if not 0 < wait_ns <= _LONGEST_NS:
        raise BadRequest("timeout: must be above 0 and at most 50s: ask again if it takes longer")
    task = asyncio.ensure_future(pacer.advance(duration_ns))
    call.state.go_on(task)
    # What cannot be is refused at once, whether or not anybody waits.
    await asyncio.wait({task}, timeout=wait_ns / durations.SECOND if waits else 0.001)
    if not task.done():
        task.add_done_callback(_forget)
        return Answer(await _told(call), 202)
    await task
    return Answer(await _told(call))


async def _told(call: Call) -> Json:
    """The state of the clock. A time that somebody was told does not come again after a crash."""
    # NOTE: loaded when asked for: a server that keeps nothing needs no database.
    from kubestage.server.journal.journal import Journal  # noqa: PLC0415

    told = call.pacer.state()
    if isinstance(call.live.durability, Journal):
        await call.live.durability.keep_time()
    return told


def _forget(task: asyncio.Task[None]) -> None:
    """Nobody waits any more; a clock that broke down says so itself."""
    if not task.cancelled():
        task.exception()


def _duration_ns(asked: Advance, now_ns: int) -> int:
    if (asked.duration is None) == (asked.until is None):
        raise BadRequest('give one of duration and until, as in {"duration": "10m"}')
    if asked.duration is not None:
        return _read("duration", asked.duration)
    assert asked.until is not None
    try:
        until_ns = timestamps.parse_time(asked.until)
    except ValueError as error:
        raise BadRequest(f"until: {error}: write it as 2026-01-01T00:10:00Z") from None
    if until_ns < now_ns:
        now = timestamps.format_time(now_ns)
        raise BadRequest(f"until: time does not pass backwards: it is {now} already")
    return until_ns - now_ns


def _read(name: str, text: str) -> int:
    try:
        return durations.parse_duration(text)
    except ValueError as error:
        raise BadRequest(f"{name}: {error}: {_WRITTEN}") from None
