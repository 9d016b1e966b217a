"""One run of the scheduler over manifests: stage, schedule, look at what came of it."""

from __future__ import annotations

import dataclasses
import difflib
from typing import TYPE_CHECKING, Any, Final

from kubestage.cli import placements, progress, settling, staging
from kubestage.errors import InputError
from kubestage.scheduler import extender_http
from kubestage.scheduler.record import Recording

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from kubestage.cli.loading import Loaded
    from kubestage.scheduler.config import SchedulerConfiguration
    from kubestage.scheduler.record import Decision
    from kubestage.scheduler.scheduler import Scheduler
    from kubestage.scheduler.selection import TieBreak
    from kubestage.stage import Stage

# Fewer pods take no second.
_SLOW_PODS: Final = 500


@dataclasses.dataclass(frozen=True, slots=True)
class Settings:
    """All that a run depends on besides its objects."""

    configuration: SchedulerConfiguration
    plugins: Mapping[str, type[Any]]
    seed: int
    tie_break: TieBreak
    recording: Recording


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
    summary: placements.Summary
    decisions: list[Decision] | None
    explanations: list[dict[str, Any]] | None
    explained: str | None
    childless: list[str]

    def placement_of(self, key: str) -> placements.Placement:
        """What became of one pod."""
        return next(each for each in self.pods if each.key == key)


def run(loaded: Loaded, settings: Settings, explained: str | None = None) -> Outcome:
    """Schedule what is pending.

    To explain a pod, the run is repeated: it is the same again, and the numbers of the attempts
    to be told in full are known then.
    """
    stage = staging.stage_of(loaded, settings.seed)
    key = _pod_of(stage, explained) if explained else None
    before = placements.Before(stage)
    told_in_full = settings.recording is Recording.FULL and key is None
    level = Recording.FULL if told_in_full else Recording.DECISIONS
    at_work = dataclasses.replace(settings, recording=level)
    scheduler = _schedule(stage, at_work, len(before.pending))
    found = placements.placements(before, stage, scheduler)
    record = scheduler.record
    explanations = _told(record.explanations) if told_in_full else None
    if key is not None:
        numbers = [each.number for each in record.decisions if each.pod == key]
        again = staging.stage_of(loaded, settings.seed)
        repeated = _schedule(again, at_work, len(before.pending), numbers)
        explanations = _told(repeated.record.explanations)
    return Outcome(
        settings.seed,
        stage.clock.unix_ns - stage.clock.now_ns,
        found,
        placements.summary(before, found, scheduler),
        None if settings.recording is Recording.NONE else record.decisions,
        explanations,
        key,
        staging.childless(stage, loaded),
    )


def _schedule(
    stage: Stage, settings: Settings, pending: int, explain_at: Collection[int] = ()
) -> Scheduler:
    scheduler = add_scheduler(stage, settings, explain_at)
    with progress.shown("scheduling", pending, at_least=_SLOW_PODS) as tell:
        settling.settle(stage, scheduler, lambda attempts: tell(min(attempts, pending)))
    return scheduler


def add_scheduler(stage: Stage, settings: Settings, explain_at: Collection[int]) -> Scheduler:
    """The scheduler that a person asked for; the attempts of these numbers are told in full."""
    scheduler = stage.add_scheduler(
        settings.configuration,
        plugins=settings.plugins,
        tie_break=settings.tie_break,
        recording=settings.recording,
        transport=extender_http.post,
    )
    for number in explain_at:
        scheduler.record.explain_at(number)
    return scheduler


def _told(explanations: Mapping[int, dict[str, Any]]) -> list[dict[str, Any]]:
    return [{"number": number, **told} for number, told in explanations.items()]


def _pod_of(stage: Stage, wanted: str) -> str:
    """The key of the pod that a person means."""
    pods = stage.store.read(("v1", "Pod"))
    found = [key for key in pods if wanted in (key, key.partition("/")[2])]
    if len(found) > 1:
        fix = f"write one of {', '.join(found)}"
        raise InputError(f'several pods are called "{wanted}"', path="--explain", fix=fix)
    if not found:
        near = difflib.get_close_matches(wanted, [*pods, *(key.split("/")[1] for key in pods)], n=1)
        fix = f"did you mean {near[0]}?" if near else "write it as NAMESPACE/POD"
        raise InputError(f'there is no pod "{wanted}"', path="--explain", fix=fix)
    (key,) = found
    node = pods[key]["spec"].get("nodeName")
    if node:
        raise InputError(
            f"{key} is on {node} already, so nothing is decided about it",
            path="--explain",
            fix="name a pod without spec.nodeName",
        )
    return key
