"""Why a pod of a run went where it went: the attempts at it, in full."""

from __future__ import annotations

import dataclasses
import difflib
from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.errors import InputError
from kubestage.objects import gvk
from kubestage.runs import fit, placements, scenario_run
from kubestage.scheduler.record import Recording

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kubestage.aliases import Json
    from kubestage.runs.fit import FitAdvice
    from kubestage.runs.inputs.scenario_inputs import Inputs
    from kubestage.runs.placements import Placement
    from kubestage.runs.run_settings import RunSettings, SchedulerInputs
    from kubestage.runs.scenario_run import ScenarioRun
    from kubestage.scheduler.scheduler import Scheduler
    from kubestage.stage import Stage

_OPTION: Final = "--explain"


class PodExplanation(NamedTuple):
    """What became of a pod, and every attempt at it."""

    placement: Placement
    attempts: Sequence[Json]
    """Each with its number, and the verdict and scores of each plugin."""
    weights: Mapping[str, int]
    """How much the scores of the profile's plugins count."""
    node_count: int
    """How many nodes there were in the last attempt."""
    advice: FitAdvice | None = None
    """What would make it fit, if it waits."""


def explain_in_scenario(
    run: ScenarioRun, inputs: Inputs, settings: RunSettings, scheduler: SchedulerInputs, pod: str
) -> PodExplanation:
    """Explain a pod of a Scenario.

    The run is repeated for that: it is the same again, and the numbers of the attempts are known.
    """
    key = find_pod(run, pod)
    numbers = [each.number for each in run.scheduler.record.decisions if each.pod == key]
    if not numbers:
        return explanation(key, [], 0, run.stage, run.scheduler, scheduler)
    quiet = dataclasses.replace(settings, recording=Recording.NONE, stopwatch=None)
    again = scenario_run.run_scenario(inputs, quiet, explain_at=numbers).scheduler
    attempts = numbered(again.record.explanations)
    nodes = len(again.cache.columns)
    return explanation(key, attempts, nodes, run.stage, run.scheduler, scheduler)


def explanation(
    key: str,
    attempts: Sequence[Json],
    node_count: int,
    stage: Stage,
    scheduler: Scheduler,
    inputs: SchedulerInputs,
) -> PodExplanation:
    """The explanation of the pod of this key."""
    placement = placements.placement_of(key, stage, scheduler)
    pod = stage.store.read(gvk.POD).get(key)
    advice = None
    if pod is not None and placement.status in (placements.PENDING, placements.GATED):
        advice = fit.advise(stage, pod)
    weights = inputs.weights_of(placement.profile)
    return PodExplanation(placement, attempts, weights, node_count, advice)


def numbered(explanations: Mapping[int, Json]) -> list[Json]:
    """Explanations of attempts with their numbers, as they are printed."""
    return [{"number": number, **each} for number, each in explanations.items()]


def find_pod(run: ScenarioRun, name: str) -> str:
    """The key of the pod of a name: one that was tried, or waits to be."""
    pods = run.stage.store.read(gvk.POD)
    tried = dict.fromkeys(each.pod for each in run.scheduler.record.decisions)
    waiting = [key for key, pod in pods.items() if not pod["spec"].get("nodeName")]
    keys = list(dict.fromkeys([*tried, *waiting]))
    found = [key for key in keys if name in (key, key.partition("/")[2])]
    if len(found) > 1:
        fix = f"write one of {', '.join(found)}"
        raise InputError(f'several pods are called "{name}"', path=_OPTION, fix=fix)
    if found:
        return found[0]
    for key, pod in pods.items():
        if name in (key, pod["metadata"]["name"]):
            raise InputError(
                f"{key} is on {pod['spec']['nodeName']} already, so nothing is decided about it",
                path=_OPTION,
                fix="name a pod without spec.nodeName",
            )
    near = difflib.get_close_matches(name, [*keys, *(key.split("/")[1] for key in keys)], n=1)
    fix = f"did you mean {near[0]}?" if near else "write it as NAMESPACE/POD"
    raise InputError(f'there is no pod "{name}"', path=_OPTION, fix=fix)
