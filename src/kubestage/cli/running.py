"""What a run of manifests depends on, and what came of it."""

from __future__ import annotations

import dataclasses
import difflib
from typing import TYPE_CHECKING, Any

from kubestage.cli import kernel_notice, placements, workloads
from kubestage.errors import InputError
from kubestage.runs.inputs import setting_option, staging
from kubestage.scheduler import extender_http
from kubestage.scheduler.record import Recording

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from kubestage.cli.scenario_run import Played
    from kubestage.cluster.profile import Profile as ControlPlane
    from kubestage.results.timings import Recorded
    from kubestage.runs.inputs.config_file import Flags
    from kubestage.runs.inputs.scenario_inputs import Inputs
    from kubestage.scheduler.config import Completed, SchedulerConfiguration
    from kubestage.scheduler.record import Decision
    from kubestage.scheduler.scheduler import Scheduler
    from kubestage.scheduler.selection import TieBreak
    from kubestage.stage import Stage


@dataclasses.dataclass(frozen=True, slots=True)
class Settings:
    """All that a run depends on besides its objects; `laws` say how long containers take to start,
    to run and to end, and what else was set of controllers and autoscalers. `as_written` is whether
    nodes come in the order of the files. With `annotates_results`, the results of attempts are
    written on their pods.

    With a `stopwatch` the scheduler is measured; with a `control_plane` the time that it takes is
    modelled.
    """

    configuration: SchedulerConfiguration
    plugins: Mapping[str, type[Any]]
    seed: int
    tie_break: TieBreak
    recording: Recording = Recording.DECISIONS
    laws: Mapping[str, str] = dataclasses.field(default_factory=dict)
    as_written: bool = False
    annotates_results: bool = False
    stopwatch: Callable[[], int] | None = None
    control_plane: ControlPlane | None = None


def laws(settings: Sequence[str] | None, **options: str | None) -> dict[str, str]:
    """What was set by options of its own, and by --setting."""
    given = {name: value for name, value in options.items() if value is not None}
    return setting_option.split(settings or ()) | given


@dataclasses.dataclass(frozen=True, slots=True)
class Wanted:
    """What a person asked to see and to keep, and the words in which they asked.

    `config` is the file of the scheduler's configuration, `configuration` its text. With
    `shows_all` no table is cut.
    """

    output: str
    shows_all: bool
    detail: str
    explain: str | None
    out: str | None
    config: str | None
    configuration: str | None
    flags: Flags
    plugins: Sequence[str]
    completed: Completed

    def weights_of(self, profile: str) -> Mapping[str, int]:
        """How much the scores of a profile's plugins count."""
        weights = {each.scheduler_name: each.weights["score"] for each in self.completed.profiles}
        return weights.get(profile, {})


@dataclasses.dataclass(frozen=True, slots=True)
class Ended:
    """How a run ended: why it failed if it did, which pods are left without a node, and what a
    person may not have meant; `timings` are how long scheduling took, if that was asked for.
    """

    failure: str | None
    left: str | None
    notes: Sequence[str]
    timings: Recorded | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Outcome:
    """What came of it.

    `decisions` and `explanations` are None where they were not asked for; if one pod was to be
    `explained`, the explanations are of the attempts at it. `childless` are the workloads of
    which there are no pods.
    """

    seed: int
    start_ns: int
    pods: list[placements.Placement]
    workloads: list[workloads.Workload]
    summary: placements.Summary
    decisions: list[Decision] | None
    explanations: list[dict[str, Any]] | None
    explained: str | None
    childless: list[str]

    def placement_of(self, key: str) -> placements.Placement:
        """What became of one pod."""
        return next(each for each in self.pods if each.key == key)


def outcome(played: Played, inputs: Inputs, settings: Settings, detail: str) -> Outcome:
    """What came of manifests, seen as placements, with as much detail as was asked for."""
    stage, scheduler = played.stage, played.scheduler
    status = played.scenario(inputs.scenarios[0]["metadata"]["name"])["status"]
    told = placements.Told(status["scenarioResult"]["timeline"])
    found = placements.placements(told, stage, scheduler)
    record = scheduler.record
    return Outcome(
        settings.seed,
        stage.clock.unix_ns - stage.clock.now_ns,
        found,
        workloads.of(found, told, stage),
        placements.summary(told, found, scheduler),
        None if detail == "summary" else record.decisions,
        numbered(record.explanations) if detail == "full" else None,
        None,
        [] if inputs.is_alive else staging.childless(stage, inputs.places.values()),
    )


def add_scheduler(
    stage: Stage, settings: Settings, explain_at: Collection[int], *, is_paced: bool = False
) -> Scheduler:
    """The scheduler that a person asked for; the attempts of these numbers are told in full.

    One that `is_paced` takes the virtual time that the control plane says; else that is only kept.
    """
    kernel_notice.expect()
    stage.annotates_results = settings.annotates_results
    scheduler = stage.add_scheduler(
        settings.configuration,
        plugins=settings.plugins,
        tie_break=settings.tie_break,
        recording=settings.recording,
        transport=extender_http.post,
        stopwatch=settings.stopwatch,
        **_modelled(settings, is_paced=is_paced),
    )
    for number in explain_at:
        scheduler.record.explain_at(number)
    return scheduler


def _modelled(settings: Settings, *, is_paced: bool) -> dict[str, Any]:
    plane = settings.control_plane
    if plane is None:
        return {}
    if is_paced:
        return {"pacing": plane.scheduler, "keeps_timings": True}
    return {"model": plane.scheduler}


def timings_of(scheduler: Scheduler) -> Recorded | None:
    """How long scheduling took, if that was measured or modelled."""
    if scheduler.timings is None:
        return None
    from kubestage.results import timings

    return timings.of(scheduler.timings)


def numbered(explanations: Mapping[int, dict[str, Any]]) -> list[dict[str, Any]]:
    """Explanations with the numbers of their attempts, as they are printed."""
    return [{"number": number, **told} for number, told in explanations.items()]


def pod_of(played: Played, wanted: str) -> str:
    """The key of the pod that a person means: one that was tried, or waits to be."""
    pods = played.stage.store.read(("v1", "Pod"))
    tried = dict.fromkeys(each.pod for each in played.scheduler.record.decisions)
    waiting = [key for key, pod in pods.items() if not pod["spec"].get("nodeName")]
    keys = list(dict.fromkeys([*tried, *waiting]))
    found = [key for key in keys if wanted in (key, key.partition("/")[2])]
    if len(found) > 1:
        fix = f"write one of {', '.join(found)}"
        raise InputError(f'several pods are called "{wanted}"', path="--explain", fix=fix)
    if found:
        return found[0]
    for key, pod in pods.items():
        if wanted in (key, pod["metadata"]["name"]):
            raise InputError(
                f"{key} is on {pod['spec']['nodeName']} already, so nothing is decided about it",
                path="--explain",
                fix="name a pod without spec.nodeName",
            )
    near = difflib.get_close_matches(wanted, [*keys, *(key.split("/")[1] for key in keys)], n=1)
    fix = f"did you mean {near[0]}?" if near else "write it as NAMESPACE/POD"
    raise InputError(f'there is no pod "{wanted}"', path="--explain", fix=fix)
