"""The scheduler's configuration: which one is at work, and another in its place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage import stage as stages
from kubestage.errors import ApiError, BadRequest, Conflict, Invalid
from kubestage.scheduler import config
from kubestage.server.kubestage_api import states

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.scheduler.config import SchedulerConfiguration
    from kubestage.scheduler.scheduler import Scheduler
    from kubestage.server.kubestage_api.call import Call
    from kubestage.server.live import Live

    Checked = SchedulerConfiguration


REMEMBERED: Final = "schedulerConfiguration"
"""Under this name a journal remembers the configuration that was put last, as JSON."""

_OUTSIDE: Final = (
    "a scheduler outside schedules, and has its configuration elsewhere: start kubestage with "
    "--scheduler built-in to configure its own"
)
_NONE: Final = "nobody schedules here: start kubestage with --scheduler built-in"


async def get(call: Call) -> Json:
    """The configuration at work."""
    return _scheduler(call.live).configuration.to_dict()


async def put(call: Call) -> Json:
    """Have a scheduler of another configuration take over."""
    live = call.live
    _scheduler(live)
    if not call.request.body:
        raise BadRequest("the body is empty: send a KubeSchedulerConfiguration, as JSON or YAML")
    await take_over(live, check(live, call.request.body))
    return _scheduler(live).configuration.to_dict()


def _scheduler(live: Live) -> Scheduler:
    scheduler = live.stage.scheduler
    if scheduler is None:
        raise Conflict(_NONE if live.stage.scenarios is None else _OUTSIDE)
    return scheduler


def check(live: Live, given: bytes | Json) -> Checked:
    """A configuration that can be used, from its text or as an object; refused with all reasons."""
    try:
        read = _read(given)
        plugins = states.of(live).plugins
        points = {name: config.points_of(each) for name, each in plugins.items()}
        config.complete(read, points)
        # Plugins are made anew and may refuse: that is found out where nothing is lost by it.
        stages.Stage().add_scheduler(read, plugins=plugins)
    except UnicodeDecodeError:
        raise BadRequest("the body is not text: send JSON or YAML") from None
    except config.ConfigError as error:
        raise _refusal(error) from None
    return read


def _read(given: bytes | Json) -> Checked:
    return config.from_dict(given) if isinstance(given, dict) else config.load(given.decode())


def _refusal(error: config.ConfigError) -> ApiError:
    told = str(error)
    if error.stage == "decode":
        return BadRequest(told)
    causes = [_cause(each) for each in error.named_errors]
    return Invalid(told, {"kind": "KubeSchedulerConfiguration", "causes": causes})


def _cause(problem: str) -> Json:
    path, colon, rest = problem.partition(": ")
    is_path = bool(colon) and " " not in path
    return {
        "reason": "FieldValueInvalid",
        "message": rest if is_path else problem,
        "field": path if is_path else "",
    }


async def take_over(live: Live, checked: Checked) -> None:
    """Have a scheduler of this configuration take over, now and after a restart."""
    # NOTE: loaded when asked for: a server that keeps nothing needs no database.
    from kubestage.server.journal.journal import Journal  # noqa: PLC0415

    state, before = states.of(live), _scheduler(live)
    live.stage.configure_scheduler(
        checked,
        plugins=state.plugins,
        recording=before.record.level,
        stopwatch=before.timing.stopwatch,
        model=before.timing.model,
    )
    if state.attempts is not None:
        state.attempts.attach()
    live.pace.wake()
    if isinstance(live.durability, Journal):
        text = msgspec.json.encode(checked.to_dict()).decode()
        await live.durability.remember(REMEMBERED, text)
