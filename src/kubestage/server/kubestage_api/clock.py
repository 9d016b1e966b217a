"""The clock: what time it is on the stage, and how it passes."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Final

from kubestage import lazy
from kubestage.errors import BadRequest
from kubestage.golang import durations
from kubestage.objects import timestamps
from kubestage.server import next_moment
from kubestage.server.kubestage_api.call import HandlerResult
from kubestage.server.kubestage_api.shapes import Advance, ClockSetting, NoBody

# NOTE: a server without a journal needs no database.
with lazy.imports():
    from kubestage.server.journal import journal

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from kubestage.aliases import Json
    from kubestage.server.kubestage_api.call import ApiCall
    from kubestage.server.live import Live
    from kubestage.server.next_moment import NextMoment
    from kubestage.server.pacing import Pacer


_WRITTEN: Final = "write it as 90s, 10m or 1h30m"
_LONGEST_NS: Final = 50 * durations.SECOND


async def get(call: ApiCall) -> Json:
    """The time, and how it passes."""
    return await _clock_state(call)


async def put(call: ApiCall) -> Json:
    """Let time pass in another way."""
    setting, pacer = call.body(ClockSetting), call.free_pacer
    if setting.mode is None and setting.speed is None:
        raise BadRequest("the request sets nothing: give mode (paused, speed or jump), or speed")
    mode = "paused" if setting.mode == "still" else setting.mode or "speed"
    if setting.speed is not None and mode != "speed":
        raise BadRequest(f"speed: means nothing in mode {mode}: leave one of them out")
    pacer.set_mode(mode, setting.speed)
    return await _clock_state(call)


async def pause(call: ApiCall) -> Json:
    """Let time stand still."""
    call.body(NoBody)
    call.free_pacer.pause()
    return await _clock_state(call)


async def resume(call: ApiCall) -> Json:
    """Let time pass again."""
    call.body(NoBody)
    call.free_pacer.resume()
    return await _clock_state(call)


async def advance(call: ApiCall) -> HandlerResult:
    """Let so much time pass; others are served meanwhile."""
    pacer, clock = call.free_pacer, call.live.stage.clock
    setting = call.body(Advance)
    _check_one(setting)
    waits = call.choice("wait", ("true", "false")) == "true"
    wait_ns = _read("timeout", call.request.parameter("timeout") or "30s")
    if not 0 < wait_ns <= _LONGEST_NS:
        raise BadRequest("timeout: must be above 0 and at most 50s: ask again if it takes longer")
    work: Coroutine[Any, Any, str | None]
    if setting.to is not None:
        work = _advance_to(call.live, pacer, setting.to)
    else:
        work = pacer.advance(_duration_ns(setting, clock.unix_ns))
    task = asyncio.ensure_future(work)
    call.live.state.add_task(task)
    # What cannot be is refused at once, whether or not anybody waits.
    await asyncio.wait({task}, timeout=wait_ns / durations.SECOND if waits else 0.001)
    if not task.done():
        task.add_done_callback(_forget)
        return HandlerResult(await _clock_state(call), 202)
    message = await task
    state = await _clock_state(call)
    return HandlerResult({**state, "message": message or state["message"]})


async def _advance_to(live: Live, pacer: Pacer, name: str) -> str:
    """Let time pass until something happens; what there is to report if nothing did."""
    found: NextMoment
    found = next_moment.NextDecision(live) if name == "decision" else next_moment.NextChange(live)
    try:
        now_ns = live.stage.clock.now_ns
        await pacer.run_until(now_ns + next_moment.LONGEST_NS, found)
        is_late = live.stage.clock.now_ns - now_ns >= next_moment.LONGEST_NS
        return f"no {name} within 24h of virtual time" if is_late and not found.has_come else ""
    finally:
        found.close()


async def _clock_state(call: ApiCall) -> Json:
    """The state of the clock. A time that a client has seen does not come again after a crash."""
    state = call.pacer.state()
    if isinstance(call.live.durability, journal.Journal):
        await call.live.durability.keep_time()
    return state


def _forget(task: asyncio.Task[Any]) -> None:
    """The request is over; a clock that failed reports that itself."""
    if not task.cancelled():
        task.exception()


def _check_one(setting: Advance) -> None:
    if sum(each is not None for each in (setting.duration, setting.until, setting.to)) != 1:
        raise BadRequest('give one of duration, until and to, as in {"duration": "10m"}')


def _duration_ns(setting: Advance, now_ns: int) -> int:
    if setting.duration is not None:
        return _read("duration", setting.duration)
    assert setting.until is not None
    try:
        until_ns = timestamps.parse_time(setting.until)
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
