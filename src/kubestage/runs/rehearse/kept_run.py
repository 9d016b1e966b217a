"""The cluster at the end of a kept run: the run is repeated to its end."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.errors import InputError
from kubestage.objects import gvk
from kubestage.results import run_directory
from kubestage.runs import living_run, scenario_run
from kubestage.runs.explain import living as explained_life
from kubestage.runs.explain import repetition
from kubestage.runs.inputs import autoscaler_files, manifests, plugin_files, python_file, sources
from kubestage.scheduler.record import Recording

if TYPE_CHECKING:
    from kubestage.runs.inputs.manifests import LoadedManifests
    from kubestage.runs.observer import Observer
    from kubestage.runs.run_settings import RunSettings
    from kubestage.stage import Stage
    from kubestage.store.store import Store

# What reports the past, or would empty the cluster.
_LEFT_OUT: Final = (gvk.EVENT, gvk.LEASE, gvk.SCENARIO)
_AGAIN: Final = "run it again with --out"


class RepeatedRun(msgspec.Struct, frozen=True):
    """A run that was repeated: a stage that lives, or objects to start one with."""

    stage: Stage | None = None
    loaded: LoadedManifests | None = None
    settings: RunSettings | None = None


def repeat(path: str, observer: Observer) -> RepeatedRun:
    """Repeat the run of a directory."""
    if run_directory.is_life(path):
        return RepeatedRun(stage=_repeat_life(path, observer))
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


def _repeat_life(path: str, observer: Observer) -> Stage:
    this = explained_life.repeatable(path, None, observer)
    for warning in this.warnings:
        observer.note(warning)
    files = autoscaler_files.files(this.plan.autoscalers)
    with plugin_files.error_context(this.settings.plugins), python_file.error_context(*files):
        lived = living_run.live(this.loaded, this.settings, this.plan, observer, halts=False)
    return lived.stage


def _quiet(settings: RunSettings) -> RunSettings:
    return dataclasses.replace(settings, recording=Recording.NONE)
