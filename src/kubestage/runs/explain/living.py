"""Explaining a pod of a kept living run: the run is repeated to its end, or to a moment."""

from __future__ import annotations

import pathlib
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from kubestage.cluster.profile import Profile
from kubestage.errors import InputError
from kubestage.objects import gvk
from kubestage.results import run_directory
from kubestage.runs import living, living_run, run_settings
from kubestage.runs.explain import names, pod_attempts, repetition, workloads
from kubestage.runs.inputs import autoscaler_files, plugin_files, python_file, stage_inputs
from kubestage.runs.observer import SILENT
from kubestage.runs.repeat_record import DEMANDS
from kubestage.runs.replaying import demand
from kubestage.scheduler.record import Recording
from kubestage.scheduler.selection import TieBreak

if TYPE_CHECKING:
    from kubestage.results.repeat import LifeRepeat
    from kubestage.runs.explain.pod_attempts import PodAttempts
    from kubestage.runs.explain_options import ExplainOptions
    from kubestage.runs.inputs.manifests import LoadedManifests
    from kubestage.runs.living import LivingPlan
    from kubestage.runs.observer import Observer

_FIRST: Final = "manifests.yaml"


class RepeatableLife(NamedTuple):
    """All that is needed to run it again; `warnings` is what has changed since."""

    loaded: LoadedManifests
    settings: run_settings.RunSettings
    plan: LivingPlan
    warnings: list[str]


def explain(
    path: str | pathlib.Path, pod: str, options: ExplainOptions, observer: Observer
) -> PodAttempts:
    """Explain a pod of the living run in a directory."""
    this = repeatable(path, options.at, observer)
    loaded, settings, plan = this.loaded, this.settings, this.plan
    files = autoscaler_files.files(plan.autoscalers)
    with plugin_files.error_context(settings.plugins), python_file.error_context(*files):
        lived = living_run.live(loaded, settings, plan, observer)
        decisions = lived.scheduler.record.decisions
        known = [*lived.stage.store.read(gvk.POD), *(each.pod for each in decisions)]
        workload = None if pod in known else workloads.find(lived.stage, pod)
        if workload is not None:
            waiting = workloads.pending_pod(lived.stage, workload)
            if waiting is None:
                return workloads.without_pods(lived.stage, workload)
            pod = waiting
        key = names.choose_pod(known, pod, str(path))
        numbers = [each.number for each in decisions if each.pod == key]
        explanations = {}
        if numbers:
            again = living_run.live(loaded, settings, plan, SILENT, numbers)
            explanations = again.scheduler.record.explanations
    found = pod_attempts.attempts_at(key, lived.stage, lived.scheduler, explanations)
    return msgspec.structs.replace(found, notes=[*this.warnings, *found.notes])


def repeatable(path: str | pathlib.Path, at: str | None, observer: Observer) -> RepeatableLife:
    """How to repeat the living run in a directory, to its end or to a moment."""
    _, how = run_directory.open_life(path)
    if how is None:
        problem = "does not say how to repeat the run"
        raise InputError(problem, file=str(path), fix="run it again with `kubestage run --out DIR`")
    place = pathlib.Path(path)
    folder = (place if place.is_dir() else place.parent) / run_directory.INPUTS
    settings, warnings = _settings(how)
    loaded = stage_inputs.load([str(folder / _FIRST)], None, observer)
    loaded.start = how.start
    plan = _plan(how, folder, loaded, settings, at, observer)
    return RepeatableLife(loaded, settings, plan, warnings)


def _settings(how: LifeRepeat) -> tuple[run_settings.RunSettings, list[str]]:
    """How the run was made, and what has changed since."""
    configuration = repetition.configuration_of(how)
    plugins = repetition.plugins_of(how, configuration)
    plane = None
    if how.control_plane is not msgspec.UNSET:
        plane = msgspec.convert(how.control_plane, Profile)
    settings = run_settings.RunSettings(
        configuration,
        plugins,
        how.seed,
        TieBreak(how.tie_break),
        Recording.DECISIONS,
        how.laws,
        how.as_written,
        control_plane=plane,
        unschedulable=how.leaving,
    )
    return settings, list(repetition.warnings_of(how, plugins))


def _plan(
    how: LifeRepeat,
    folder: pathlib.Path,
    loaded: LoadedManifests,
    settings: run_settings.RunSettings,
    at: str | None,
    observer: Observer,
) -> LivingPlan:
    """What happened until that moment."""
    whole_ns = living.parse_duration(how.duration)
    until_ns = whole_ns if at is None else living.parse_duration(at, "--at")
    if until_ns > whole_ns:
        fix = f"the run ends at {how.duration}"
        raise InputError(f"{at} comes after the end of the run", path="--at", fix=fix)
    # Of a replay, something may be done at the very beginning.
    later = [
        living.parse_later(f"{when}={folder / name}", None, observer, least_ns=0)
        for when, name in how.later
    ]
    references = [each.reference for each in how.autoscalers]
    every = [loaded, *(each.loaded for each in later)]
    return living.LivingPlan(
        duration_ns=until_ns,
        later=[each for each in later if each.at_ns < until_ns],
        controllers=living.controller_settings(settings.setting_values, settings.control_plane),
        autoscalers=autoscaler_files.load(references, every),
        demands=demand.read(folder / DEMANDS) if (folder / DEMANDS).is_file() else (),
    )
