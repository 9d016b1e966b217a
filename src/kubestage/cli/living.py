"""A run in which the cluster lives: controllers, kubelets and the scheduler, in virtual time."""

from __future__ import annotations

import contextlib
import dataclasses
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.cli import life_records, live_view, running
from kubestage.errors import ApiError, InputError
from kubestage.objects import distributions, durations
from kubestage.runs.inputs import staging
from kubestage.scheduler.record import Recording
from kubestage.units import DAY_NS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from kubestage.cli.running import Settings
    from kubestage.cluster.profile import Profile as ControlPlane
    from kubestage.controllers.settings import Settings as ControllerSettings
    from kubestage.results.life.life import Life as Record
    from kubestage.runs.inputs.autoscaler_files import Brought
    from kubestage.runs.inputs.loading import Loaded
    from kubestage.scheduler.scheduler import Scheduler
    from kubestage.stage import Stage
    from kubestage.store.log import Change

# Infrastructure is there, and quotas are counted, before the first pod is asked for.
_SETTLING_NS: Final = 1_000_000
# What has an option of its own; all else is set by --setting.
LAWS: Final = ("launch_delay", "job_run_duration", "terminate_delay")
_FIX: Final = "write it as in 10m, 1h30m or 7d"
_CENTURY_NS: Final = 36_525 * DAY_NS


class Later(msgspec.Struct, frozen=True):
    """Manifests that are applied when some time has passed."""

    at_ns: int
    loaded: Loaded


class Plan(msgspec.Struct, frozen=True):
    """What is to happen: how long to live, what comes later, who is told of what happens.

    `trace` is the file that the movements are written to, with those of timers if
    `traces_internal`; `recorded` whether a record is kept of traffic, autoscalers and nodes.
    `autoscalers` are those that a person brings.
    """

    duration_ns: int
    later: Sequence[Later]
    controllers: ControllerSettings
    tell: Callable[[Stage, Change], None] | None = None
    trace: str | None = None
    traces_internal: bool = False
    autoscalers: Sequence[Brought] = ()
    watched: bool = True
    recorded: bool = False


class Life(msgspec.Struct, frozen=True):
    """The stage as it is at the end, and the attempts at one pod if they were to be explained.

    `record` tells what happened on the way, if that was to be recorded.
    """

    stage: Stage
    scheduler: Scheduler
    explanations: list[dict[str, Any]]
    explained: str | None
    record: Record | None = None


def duration(text: str, option: str = "--for") -> int:
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
    if parsed < 1:
        raise InputError("a run takes some time", path=option, fix=_FIX)
    return parsed


def later(text: str, config_file: str | None) -> Later:
    """What ``5m=update.yaml`` asks for."""
    when, equals, name = text.partition("=")
    if not equals or not name:
        fix = "write it as in --at 5m=update.yaml"
        raise InputError(f'"{text}" is not a time and a file', path="--at", fix=fix)
    return Later(duration(when, "--at"), staging.load([name], config_file))


def check(plan: Plan) -> None:
    """Refuse what would never happen."""
    for each in plan.later:
        if each.at_ns >= plan.duration_ns:
            fix = "let the cluster live longer, or apply it earlier"
            when = durations.go_string(each.at_ns)
            raise InputError(f"{when} comes after the end of --for", path="--at", fix=fix)


def controller_settings(
    laws: Mapping[str, str], control_plane: ControlPlane | None = None
) -> ControllerSettings:
    """The settings of a stage with what a person gave by option, on top of a control plane's."""
    from kubestage.controllers.settings import Settings as Controllers
    from kubestage.runs.inputs import setting_option

    own = {name: law for name, law in laws.items() if name in LAWS}
    for name, law in own.items():
        try:
            distributions.parse(law)
        except InputError as error:
            raise InputError(error.problem, path=option(name), fix=error.fix) from None
    settings = Controllers()
    if control_plane is not None:
        from kubestage.cluster import staging as profile_staging

        settings, _ = profile_staging.stage_settings(control_plane)
    kubelet = msgspec.structs.replace(settings.kubelet, **own)
    settings = msgspec.structs.replace(settings, kubelet=kubelet)
    others = {name: value for name, value in laws.items() if name not in own}
    return setting_option.apply(settings, others)


def option(law: str) -> str:
    """The option by which something was set."""
    return f"--{law.removeprefix('job_').replace('_', '-')}" if law in LAWS else "--setting"


def run(loaded: Loaded, settings: Settings, plan: Plan, explained: str | None = None) -> Life:
    """Let the cluster live.

    To explain a pod, the run is repeated: it is the same again, and the numbers of the attempts
    to be told in full are known then.
    """
    check(plan)
    life = _live(loaded, settings, plan)
    if explained is None:
        return life
    decisions = life.scheduler.record.decisions
    keys = dict.fromkeys(each.pod for each in decisions)
    found = [key for key in keys if explained in (key, key.partition("/")[2])]
    if not found:
        fix = "the tables at the end name the pods; write it as NAMESPACE/POD"
        raise InputError(f'no attempt was made at a pod "{explained}"', path="--explain", fix=fix)
    key = found[0]
    numbers = [each.number for each in decisions if each.pod == key]
    quiet = msgspec.structs.replace(plan, tell=None, trace=None, watched=False, recorded=False)
    again = _live(loaded, settings, quiet, numbers)
    told = again.scheduler.record.explanations
    explanations = [{"number": number, **each} for number, each in told.items()]
    return msgspec.structs.replace(life, explanations=explanations, explained=key)


def _live(loaded: Loaded, settings: Settings, plan: Plan, explain_at: Collection[int] = ()) -> Life:
    stage = staging.empty(loaded, settings.seed)
    recorded = dataclasses.replace(settings, recording=Recording.DECISIONS)
    scheduler = running.add_scheduler(stage, recorded, explain_at, is_paced=True)
    first, rest = staging.split(loaded)
    there = staging.in_order(first, as_written=settings.as_written)
    staging.put(stage, loaded, there, is_new=staging.is_new)
    if plan.tell is not None:
        stage.store.subscribe(_Teller(stage, plan.tell))
    stage.add_controllers(
        plan.controllers,
        traces_requests=plan.trace is not None,
        autoscalers={each.key: each.autoscaler for each in plan.autoscalers},
    )
    recorder = life_records.begin(stage, plan.duration_ns) if plan.recorded else None
    with contextlib.ExitStack() as stack:
        if plan.trace is not None:
            from kubestage.results import trace

            movements = trace.SqliteRecorder(
                plan.trace, seed=settings.seed, internal=plan.traces_internal
            )
            stage.environment.recorder = stack.enter_context(movements)
        view = stack.enter_context(live_view.shown(stage, plan.duration_ns, plan.watched))
        stage.run(min(_SETTLING_NS, plan.duration_ns))
        staging.put(stage, loaded, rest, is_new=staging.is_new)
        for each in sorted(plan.later, key=lambda one: one.at_ns):
            view.run_until(each.at_ns)
            _apply(stage, each.loaded, as_written=settings.as_written)
        view.run_until(plan.duration_ns)
        # Not earlier: a timer that is refused for the halt would look switched off meanwhile.
        stage.environment.halt(plan.duration_ns)
        stage.environment.run()
        assert stage.traffic is not None
        stage.traffic.report()
    record = None if recorder is None else life_records.end(recorder, stage)
    return Life(stage, scheduler, [], None, record)


def _apply(stage: Stage, loaded: Loaded, *, as_written: bool) -> None:
    for document in staging.in_order(loaded.documents, as_written=as_written):
        try:
            stage.apply([document.object])
        except ApiError as error:
            raise loaded.place(document, staging.refusal(error)) from error
        except InputError as error:
            raise loaded.place(document, error) from None


class _Teller:
    """Hands changes of Events on, together with the stage."""

    def __init__(self, stage: Stage, tell: Callable[[Stage, Change], None]) -> None:
        self._stage = stage
        self._tell = tell

    def __call__(self, change: Change) -> None:
        if change.kind.kind == "Event":
            self._tell(self._stage, change)
