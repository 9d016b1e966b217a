"""The cluster at the end of a kept run: the run is repeated to its end."""

from __future__ import annotations

import dataclasses
import pathlib
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.cluster.profile import Profile
from kubestage.errors import InputError
from kubestage.objects import gvk
from kubestage.results import run_directory
from kubestage.runs import living, living_run, scenario_run
from kubestage.runs.explain import repetition
from kubestage.runs.inputs import autoscaler_files, manifests, plugin_files, sources, stage_inputs
from kubestage.scheduler.record import Recording

if TYPE_CHECKING:
    from kubestage.results.repeat import LifeRepeat
    from kubestage.runs.inputs.manifests import LoadedManifests
    from kubestage.runs.observer import Observer
    from kubestage.runs.run_settings import RunSettings
    from kubestage.stage import Stage
    from kubestage.store.store import Store

# What reports the past, or would empty the cluster.
_LEFT_OUT: Final = (gvk.EVENT, gvk.LEASE, gvk.SCENARIO)
_FIRST: Final = "manifests.yaml"
_AGAIN: Final = "run it again with --out"


class RepeatedRun(msgspec.Struct, frozen=True):
    """A run that was repeated: a stage that lives, or objects to start one with."""

    stage: Stage | None = None
    loaded: LoadedManifests | None = None
    settings: RunSettings | None = None


def repeat(path: str, observer: Observer) -> RepeatedRun:
    """Repeat the run of a directory."""
    if run_directory.is_life(path):
        return RepeatedRun(stage=_repeat_life(pathlib.Path(path), observer))
    return _repeat_scenario(path, observer)


def _repeat_scenario(path: str, observer: Observer) -> RepeatedRun:
    with run_directory.open_run(path) as run:
        if run.repeat is None:
            raise InputError("does not say how to repeat the run", file=path, fix=_AGAIN)
        this = repetition.repeatable(run)
        for warning in this.warnings:
            observer.note(warning)
        with plugin_files.error_context(this.settings.plugins):
            ended = scenario_run.run_scenario(this.inputs, this.settings)
    source = sources.Source(path, msgspec.json.encode(_as_list(ended.stage.store)))
    loaded = manifests.load_sources([source])
    return RepeatedRun(loaded=loaded, settings=_quiet(this.settings))


def _as_list(store: Store) -> dict[str, object]:
    items = []
    for collection in store.collections():
        kind = (collection.kind.api_version, collection.kind.kind)
        if kind not in _LEFT_OUT:
            items += [collection.objects[key] for key in collection.keys(None)]
    return {"apiVersion": "v1", "kind": "List", "items": items}


def _repeat_life(path: pathlib.Path, observer: Observer) -> Stage:
    life, how = run_directory.open_life(path)
    if how is None:
        raise InputError("does not say how to repeat the run", file=str(path), fix=_AGAIN)
    del life
    settings = _quiet(repetition.settings_of(how))
    if not isinstance(how.control_plane, msgspec.UnsetType):
        plane = msgspec.convert(how.control_plane, Profile)
        settings = dataclasses.replace(settings, control_plane=plane)
    inputs = path / run_directory.INPUTS
    loaded = stage_inputs.load([str(inputs / _FIRST)], None, observer)
    plan = _plan(how, settings, loaded, inputs, observer)
    with plugin_files.error_context(settings.plugins):
        return living_run.live(loaded, settings, plan, observer, halts=False).stage


def _plan(
    how: LifeRepeat,
    settings: RunSettings,
    loaded: LoadedManifests,
    inputs: pathlib.Path,
    observer: Observer,
) -> living.LivingPlan:
    later = [
        living.LaterManifests(
            living.parse_duration(at), stage_inputs.load([str(inputs / name)], None, observer)
        )
        for at, name in how.later
    ]
    every = [loaded, *(each.loaded for each in later)]
    references = [each.reference for each in how.autoscalers]
    return living.LivingPlan(
        duration_ns=living.parse_duration(how.duration),
        later=later,
        controllers=living.controller_settings(settings.setting_values, settings.control_plane),
        autoscalers=autoscaler_files.load(references, every),
    )


def _quiet(settings: RunSettings) -> RunSettings:
    return dataclasses.replace(settings, recording=Recording.NONE)
