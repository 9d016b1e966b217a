"""What the options of a server mean together: checked, and turned into values of their parts."""

from __future__ import annotations

import os
import pathlib
import typing
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.errors import InputError
from kubestage.golang import durations
from kubestage.objects import quantity
from kubestage.results.history.cluster_history import HistoryLimits as PastLimits
from kubestage.runs import choices
from kubestage.runs.inputs import control_plane as control_planes
from kubestage.runs.shared_flags import STRATEGY_VARIABLE, Strategy
from kubestage.server.external_scheduler import ExternalSchedulerSettings
from kubestage.server.history import HistoryLimits
from kubestage.server.launch.options import GRACE
from kubestage.server.pacing import Mode
from kubestage.server.security import hosts
from kubestage.server.security.settings import MOST_BYTES, REMOTE_SCENARIO_BYTES, RequestLimits
from kubestage.store.authorization import authorizer
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from kubestage.cluster.profile import Profile as ControlPlane
    from kubestage.server.launch.options import Pace, ServeOptions

_DATA_DIR: Final = ".kubestage"
_FASTEST: Final = 1e6
_MODES: Final = {"jump": Mode.JUMP, "still": Mode.PAUSED, "realtime": Mode.SPEED}
_DURATION_FIX: Final = "write it as 500ms, 2s or 1m"


def resolve(options: ServeOptions) -> ServeOptions:
    """The options with what --api-only and others stand for; those that contradict are refused."""
    options = _no_controllers(options)
    if options.api_only:
        options = _api_only(options)
    if options.simulate == "kubelets":
        options = _kubelets_only(options)
    data_directory(options)
    limits(options)
    history(options)
    past(options)
    external_scheduler(options)
    variable = os.environ.get(STRATEGY_VARIABLE)
    if variable:
        choices.check_choice(variable, typing.get_args(Strategy), STRATEGY_VARIABLE)
    mode_and_speed(options)
    control_plane(options)
    webhook_urls(options)
    authorization_modes(options)
    return options


def webhook_urls(options: ServeOptions) -> dict[str, str]:
    """Where webhooks and API servers behind Services really are, by ``NAMESPACE/SERVICE``."""
    found: dict[str, str] = {}
    for text in options.webhook_urls:
        service, has_url, url = text.partition("=")
        namespace, _, name = service.partition("/")
        if not has_url or not namespace or not name or "://" not in url:
            fix = "write it as NAMESPACE/SERVICE=URL, as in shop/policy=https://localhost:8443"
            raise InputError(f"cannot be understood: {text}", path="--webhook-url", fix=fix)
        found[service] = url
    return found


def authorization_modes(options: ServeOptions) -> tuple[str, ...]:
    """How is decided who may do what."""
    texts = [name for each in options.authorization_mode for name in each.split(",") if name]
    return authorizer.modes_of(texts, "--authorization-mode") or authorizer.DEFAULT


def _api_only(options: ServeOptions) -> ServeOptions:
    if options.scheduler == "outside":
        fix = "leave it out, and say --scheduler outside --no-controllers"
        raise InputError("has no scheduler", path="--api-only", fix=fix)
    if options.simulate == "kubelets":
        raise InputError("has no kubelets", path="--api-only", fix="leave out --simulate kubelets")
    return msgspec.structs.replace(
        options,
        scheduler="none",
        controllers="none",
        pace=options.pace or _realtime(options),
        allow_privileged=bool(options.allow_privileged),
        authorization_mode=options.authorization_mode or ("AlwaysAllow",),
        # Nothing creates the accounts that it demands.
        disable_admission_plugins=(*options.disable_admission_plugins, "ServiceAccount"),
    )


def _no_controllers(options: ServeOptions) -> ServeOptions:
    if not options.no_controllers:
        return options
    if options.controllers == "outside" or options.simulate == "kubelets":
        fix = "leave it out: kubelets are at work where controllers are outside"
        raise InputError("has no kubelets either", path="--no-controllers", fix=fix)
    return msgspec.structs.replace(options, controllers="none")


def _kubelets_only(options: ServeOptions) -> ServeOptions:
    return msgspec.structs.replace(
        options,
        scheduler="outside",
        controllers="outside",
        pace=options.pace or _realtime(options),
    )


def _realtime(options: ServeOptions) -> Pace | None:
    """The pace of programs that live on the wall clock, unless a speed was chosen."""
    return "realtime" if options.speed is None else None


def data_directory(options: ServeOptions) -> pathlib.Path | None:
    """Where everything is stored; None if nothing is."""
    is_relaxed = options.durability == "relaxed"
    if options.in_memory and (options.data_dir is not None or is_relaxed):
        what = "--durability" if is_relaxed else "--data-dir"
        fix = "leave one of them out"
        raise InputError(f"keeps nothing, so it has no {what}", path="--in-memory", fix=fix)
    return None if options.in_memory else pathlib.Path(options.data_dir or _DATA_DIR)


def limits(options: ServeOptions) -> RequestLimits:
    """How much clients may send; by default less where clients are on other machines."""
    found = RequestLimits(objects=options.max_objects, watchers=options.max_watchers)
    if options.max_request_bytes is not None:
        most = _bytes(options.max_request_bytes, "--max-request-bytes")
        return msgspec.structs.replace(
            found, body_bytes=most, scenario_body_bytes=most, own_body_bytes=most
        )
    if hosts.is_loopback(options.host):
        return found
    return msgspec.structs.replace(found, scenario_body_bytes=REMOTE_SCENARIO_BYTES)


def history(options: ServeOptions) -> HistoryLimits:
    """How far back watches reach."""
    return HistoryLimits(
        most_bytes=_bytes(options.history_size, "--history-size"),
        most_s=_seconds(options.history_time, "--history-time"),
    )


def past(options: ServeOptions) -> PastLimits:
    """How much of the past can be looked at again; 0 changes if none of it can."""
    if options.past_memory.strip() == "0":
        return PastLimits(0, 0)
    return PastLimits(options.past_changes, _bytes(options.past_memory, "--past-memory"))


def _bytes(text: str, path: str) -> int:
    fix = "write it as 67108864 or 64Mi"
    try:
        count = quantity.parse(text).value
    except quantity.QuantityError:
        raise InputError(f'"{text}" is no size', path=path, fix=fix) from None
    if not 0 < count <= MOST_BYTES:
        problem = f"must be above 0 and at most {MOST_BYTES >> 30}Gi"
        raise InputError(problem, path=path, fix=fix)
    return count


def external_scheduler(options: ServeOptions) -> ExternalSchedulerSettings:
    """How long an external scheduler is waited for, and whose pods it schedules."""
    set_flags = {
        "--scheduler-timeout": options.scheduler_timeout is not None,
        "--scheduler-name": bool(options.scheduler_names),
        "--scheduler-grace": options.scheduler_grace != GRACE,
    }
    if options.scheduler != "outside" and any(set_flags.values()):
        path = next(name for name, is_set in set_flags.items() if is_set)
        raise InputError("is for a scheduler outside", path=path, fix="add --scheduler outside")
    if not all(options.scheduler_names):
        raise InputError("is empty", path="--scheduler-name", fix="name it, or leave it out")
    timeout_s = None
    if options.scheduler_timeout is not None:
        timeout_s = _seconds(options.scheduler_timeout, "--scheduler-timeout")
    grace_s = _seconds(options.scheduler_grace, "--scheduler-grace")
    # A pod that it has not tried yet is waited for longer.
    return ExternalSchedulerSettings(
        grace_s, 10 * grace_s, timeout_s, options.scheduler_names or None
    )


def _seconds(text: str, path: str) -> float:
    try:
        seconds = durations.parse_duration(text) / SECOND_NS
    except ValueError as error:
        raise InputError(str(error), path=path, fix=_DURATION_FIX) from error
    if seconds <= 0:
        raise InputError("must be above 0", path=path, fix=_DURATION_FIX)
    return seconds


def mode_and_speed(options: ServeOptions) -> tuple[Mode, float]:
    """How time passes, and how fast."""
    speed = options.speed
    if speed is None:
        return _MODES[options.pace or "jump"], 1.0
    if options.pace == "still":
        fix = "leave one of them out"
        raise InputError("lets time stand still, so it has no --speed", path="--pace", fix=fix)
    if not 0 < speed <= _FASTEST:
        fix = "write it as in --speed 60, or leave it out"
        raise InputError(f"must be above 0 and at most {_FASTEST:g}", path="--speed", fix=fix)
    return Mode.SPEED, speed


def disabled_plugins(options: ServeOptions) -> list[str]:
    """The admission plugins to do without."""
    return [name for each in options.disable_admission_plugins for name in each.split(",") if name]


def control_plane(options: ServeOptions) -> ControlPlane | None:
    """The control plane that was named; durations are measured or modelled, not both."""
    if options.profile is None:
        return None
    if options.timings:
        raise InputError(
            "times are measured or modelled, not both",
            path="--timings",
            fix="leave out --timings or --profile",
        )
    return control_planes.named(options.profile)
