"""How a cluster is to live: for how long, with which settings, and what is applied later."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.errors import InputError
from kubestage.golang import durations
from kubestage.objects import distributions
from kubestage.runs.inputs import stage_inputs
from kubestage.runs.observer import SILENT
from kubestage.units import DAY_NS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from kubestage.cluster.profile import Profile as ControlPlane
    from kubestage.controllers.settings import Settings as ControllerSettings
    from kubestage.runs.inputs.autoscaler_files import UserAutoscaler
    from kubestage.runs.inputs.manifests import LoadedManifests
    from kubestage.runs.observer import Observer
    from kubestage.runs.replaying.demand import Demand
    from kubestage.stage import Stage
    from kubestage.store.log import Change

    EventListener = Callable[[Stage, Change], None]

# Settings that have a flag of their own; all others are set by --setting.
KUBELET_OPTIONS: Final = ("launch_delay", "job_run_duration", "terminate_delay")
TIMED_KINDS: Final = frozenset(
    {"HorizontalPodAutoscaler", "NodeGroup", "NodePool", "Traffic", "VerticalPodAutoscaler"}
)
"""Kinds of which nothing comes while no time passes."""
_FIX: Final = "write it as in 10m, 1h30m or 7d"
_CENTURY_NS: Final = 36_525 * DAY_NS


class LaterManifests(msgspec.Struct, frozen=True):
    """Manifests that are applied when some time has passed."""

    at_ns: int
    loaded: LoadedManifests
    is_marked: bool = True
    """Whether charts mark the moment; there are too many arrivals of traces for that."""


class LivingPlan(msgspec.Struct, frozen=True):
    """What is to happen in a living cluster."""

    duration_ns: int
    later: Sequence[LaterManifests]
    controllers: ControllerSettings
    on_event: EventListener | None = None
    """Is called with every change of an Event."""
    on_stage: Callable[[Stage], None] | None = None
    """Is called with the stage before anything happens on it."""
    demands: Sequence[Demand] = ()
    """What workloads of a recording used: their pods use that much here."""
    trace: str | None = None
    """The file that movements are written to."""
    traces_internal: bool = False
    """Whether the movements of timers are written, too."""
    autoscalers: Sequence[UserAutoscaler] = ()
    """The user's own autoscalers."""
    recorded: bool = True
    """Whether health, traffic, autoscalers and nodes are recorded."""

    def check(self) -> None:
        """Refuse what would never happen."""
        for each in self.later:
            if each.at_ns >= self.duration_ns:
                fix = "let the cluster live longer, or apply it earlier"
                when = durations.go_string(each.at_ns)
                raise InputError(f"{when} comes after the end of --for", path="--at", fix=fix)


def parse_duration(text: str, option: str = "--for", *, least_ns: int = 1) -> int:
    """Nanoseconds of a duration; days are understood too, as in 7d, 1.5d or 1d12h."""
    days, mark, rest = text.rpartition("d")
    try:
        parsed = round(float(days) * DAY_NS) if mark else 0
        if rest or not mark:
            parsed += durations.parse_duration(rest)
        if mark and rest.startswith(("+", "-")):
            raise ValueError(rest)
    except (ValueError, OverflowError):
        problem = f"invalid duration {durations.quote(text)}"
        raise InputError(problem, path=option, fix=_FIX) from None
    if parsed > _CENTURY_NS:
        raise InputError("is more than a hundred years", path=option, fix=_FIX)
    if parsed < least_ns:
        raise InputError("a run takes some time", path=option, fix=_FIX)
    return parsed


def parse_later(
    text: str, config_file: str | None, observer: Observer = SILENT, *, least_ns: int = 1
) -> LaterManifests:
    """The manifests of ``5m=update.yaml``, read."""
    when, equals, name = text.partition("=")
    if not equals or not name:
        fix = "write it as in --at 5m=update.yaml"
        raise InputError(f'"{text}" is not a time and a file', path="--at", fix=fix)
    loaded = stage_inputs.load([name], config_file, observer, takes_actions=True)
    return LaterManifests(parse_duration(when, "--at", least_ns=least_ns), loaded)


def controller_settings(
    values: Mapping[str, str], control_plane: ControlPlane | None = None
) -> ControllerSettings:
    """The settings of controllers and kubelets with these values, on top of a control plane's."""
    from kubestage.controllers.settings import Settings as Controllers
    from kubestage.runs.inputs import setting_option

    kubelet = {name: value for name, value in values.items() if name in KUBELET_OPTIONS}
    for name, distribution in kubelet.items():
        try:
            distributions.parse(distribution)
        except InputError as error:
            raise InputError(error.problem, path=flag_of(name), fix=error.fix) from None
    settings = Controllers()
    if control_plane is not None:
        from kubestage.cluster import staging as profile_staging

        settings, _ = profile_staging.stage_settings(control_plane)
    changed = msgspec.structs.replace(settings.kubelet, **kubelet)
    settings = msgspec.structs.replace(settings, kubelet=changed)
    others = {name: value for name, value in values.items() if name not in kubelet}
    return setting_option.apply(settings, others)


def flag_of(name: str) -> str:
    """The flag by which a setting is set."""
    if name not in KUBELET_OPTIONS:
        return "--setting"
    return f"--{name.removeprefix('job_').replace('_', '-')}"
