"""The scheduler's configuration: read the current one, or replace it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage import lazy
from kubestage import stage as stages
from kubestage.errors import ApiError, BadRequest, Conflict, Invalid, RequestTooLarge
from kubestage.scheduler import config
from kubestage.server import background
from kubestage.server.kubestage_api.editing_shapes import SchedulerProfiles

# NOTE: a server without a journal needs no database.
with lazy.imports():
    from kubestage.runs.inputs import config_file
    from kubestage.server.journal import journal

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.scheduler.config import SchedulerConfiguration
    from kubestage.scheduler.scheduler import Scheduler
    from kubestage.server.kubestage_api.call import ApiCall
    from kubestage.server.live import Live

    Checked = SchedulerConfiguration


REMEMBERED: Final = "schedulerConfiguration"
"""Under this name a journal remembers the configuration that was put last, as JSON."""

_OUTSIDE: Final = (
    "an external scheduler schedules, and has its configuration elsewhere: start kubestage with "
    "--scheduler built-in to configure its own"
)
_MOST_BYTES: Final = 1 << 20
_MOST_PROFILES: Final = 20
_NONE: Final = "no scheduler is running here: start kubestage with --scheduler built-in"


async def get(call: ApiCall) -> Json:
    """The current configuration."""
    return _scheduler(call.live).configuration.to_dict()


async def put(call: ApiCall) -> Json:
    """Have a scheduler of another configuration take over."""
    live = call.live
    _scheduler(live)
    is_dry = call.choice("dryRun", ("false", "true")) == "true"
    checked = await check(live, _body(call))
    if is_dry:
        return checked.to_dict()
    take_over(live, checked)
    await keep(live)
    return _scheduler(live).configuration.to_dict()


async def profiles(call: ApiCall) -> SchedulerProfiles:
    """The plugins of the current configuration."""
    live = call.live
    return _profiles(live, _scheduler(live).configuration)


async def profiles_of(call: ApiCall) -> SchedulerProfiles:
    """The plugins of another configuration, which need not take over."""
    _scheduler(call.live)
    return _profiles(call.live, await check(call.live, _body(call)))


def _profiles(live: Live, configuration: Checked) -> SchedulerProfiles:
    points = _points(live)
    order = config.EXTENSION_POINTS
    return SchedulerProfiles(
        configuration=configuration.to_dict(),
        profiles=[each.to_dict() for each in config.complete(configuration, points).profiles],
        plugins={
            name: sorted(found, key=order.index) for name, found in config.rows(points).items()
        },
    )


def _body(call: ApiCall) -> bytes:
    if not call.request.body:
        raise BadRequest("the body is empty: send a KubeSchedulerConfiguration, as JSON or YAML")
    return call.request.body


def _points(live: Live) -> dict[str, frozenset[str]]:
    return {name: config.points_of(each) for name, each in live.state.plugins.items()}


def _scheduler(live: Live) -> Scheduler:
    scheduler = live.stage.scheduler
    if scheduler is None:
        raise Conflict(_NONE if live.stage.scenarios is None else _OUTSIDE)
    return scheduler


async def check(live: Live, source: bytes | Json) -> Checked:
    """A configuration that can be used, from its text or as an object; refused with all reasons."""
    if isinstance(source, bytes) and len(source) > _MOST_BYTES:
        raise RequestTooLarge(f"Request entity too large: limit is {_MOST_BYTES}")
    return await background.run(_checked, live, source)


def _checked(live: Live, source: bytes | Json) -> Checked:
    try:
        read = _read(source)
        if len(read.profiles) > _MOST_PROFILES:
            # The scheduler that takes over is made between two other requests.
            raise BadRequest(
                f"{len(read.profiles)} profiles are more than a running server takes, which is "
                f"{_MOST_PROFILES}: start kubestage serve with --config"
            )
        config.complete(read, _points(live))
        # Plugins are created again and may refuse: try that on an empty stage first.
        stages.Stage().add_scheduler(read, plugins=live.state.plugins)
    except UnicodeDecodeError:
        raise BadRequest("the body is not text: send JSON or YAML") from None
    except config.ConfigError as error:
        raise _refusal(error, source) from None
    return read


def _read(source: bytes | Json) -> Checked:
    return config.from_dict(source) if isinstance(source, dict) else config.load(source.decode())


def _refusal(error: config.ConfigError, source: bytes | Json) -> ApiError:
    """The refusal in kube-scheduler's words; its causes have the lines of a text."""
    text = str(error)
    if isinstance(source, bytes):
        found = config_file.problems(error, source.decode(), "")
        causes = [_cause(str(each.path or ""), each.problem, each.line) for each in found]
    else:
        split = (each.partition(": ") for each in error.named_errors)
        causes = [
            _cause(path, rest) if colon and " " not in path else _cause("", path + colon + rest)
            for path, colon, rest in split
        ]
    details = {"kind": "KubeSchedulerConfiguration", "causes": causes}
    return BadRequest(text, details) if error.stage == "decode" else Invalid(text, details)


def _cause(path: str, message: str, line: int | None = None) -> Json:
    cause = {"reason": "FieldValueInvalid", "message": message, "field": path}
    return cause if line is None else {**cause, "line": line}


def take_over(live: Live, checked: Checked) -> None:
    """Have a scheduler of this configuration take over, now and, once it is kept, at a restart."""
    state, before = live.state, _scheduler(live)
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
    if isinstance(live.durability, journal.Journal):
        text = msgspec.json.encode(checked.to_dict()).decode()
        live.durability.note(REMEMBERED, text)


async def keep(live: Live) -> None:
    """Wait until a configuration that took over is kept."""
    if isinstance(live.durability, journal.Journal):
        await live.durability.keep_noted()
