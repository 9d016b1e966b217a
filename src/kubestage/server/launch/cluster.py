"""The cluster behind a server: new, or as an earlier process left it."""

from __future__ import annotations

import dataclasses
import sys
import time
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from kubestage import stage as stages
from kubestage.errors import ApiError, InputError
from kubestage.objects import timestamps
from kubestage.runs import living, run_settings
from kubestage.runs.inputs import (
    config_file,
    manifests,
    plain_nodes,
    plugin_files,
    price_files,
    stage_inputs,
)
from kubestage.runs.run_settings import RunSettings
from kubestage.scenario import recorded_times, resource
from kubestage.scheduler import config
from kubestage.scheduler.record import Recording
from kubestage.scheduler.selection import TieBreak
from kubestage.server.journal import opening
from kubestage.server.kubestage_api import configuration
from kubestage.server.launch import resolution
from kubestage.server.pacing import Mode
from kubestage.server.wall_clock import LAG_NS
from kubestage.store.admission import plugins as admission_plugins
from kubestage.units import MILLISECOND_NS, SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kubestage.aliases import Json
    from kubestage.controllers.settings import Settings as ControllerSettings
    from kubestage.objects.manifest import Document
    from kubestage.runs.inputs.manifests import LoadedManifests
    from kubestage.runs.observer import Observer
    from kubestage.server.journal.journal import Journal
    from kubestage.server.launch.options import ServeOptions
    from kubestage.stage import Stage

# Infrastructure is ready, and quotas are counted, before the first pod is requested.
_SETTLING_NS: Final = MILLISECOND_NS
# What a data directory stores of a clock that began with the wall clock's time.
_CLOCK: Final = "clock"
_WALL: Final = "wall"


class ServeInputs(NamedTuple):
    """Everything that the options name, read and checked."""

    loaded: LoadedManifests | None
    """The objects of files, and nodes that were requested; None if there are none."""
    scheduling: RunSettings
    controllers: ControllerSettings | None
    """None if there are to be no controllers."""
    now: str
    """When time begins if neither options nor objects say so."""
    start: str | None
    """When time begins on a new stage, if the options say so."""
    catalogs: Sequence[Json] = ()
    """Prices of nodes: all of them, for nodes may be of any type later."""


class ServedCluster(NamedTuple):
    """A stage with everything on it, and its journal."""

    stage: Stage
    follows_wall: bool
    """Whether its time began with the wall clock's."""
    journal: Journal | None = None
    is_new: bool = True
    remembered: Mapping[str, str] = {}
    """What was changed over the API before, by name."""


def read(options: ServeOptions, observer: Observer) -> ServeInputs:
    """Read everything that the options name."""
    loaded = manifests.LoadedManifests()
    if options.files:
        loaded = stage_inputs.load(options.files, options.config, observer)
    plain_nodes.add(loaded, options.nodes, options.node)
    has_objects = bool(loaded.documents or loaded.imported)
    values = run_settings.setting_values(options.settings)
    scheduling = _scheduling(options, loaded, values)
    controllers = living.controller_settings(values) if options.controllers else None
    now = _now(options)
    start = now if options.start == "now" else _start(options.start)
    catalogs = _catalogs(options, observer)
    return ServeInputs(
        loaded if has_objects else None, scheduling, controllers, now, start, catalogs
    )


def _catalogs(options: ServeOptions, observer: Observer) -> list[Json]:
    if options.prices is None:
        return []
    notes: list[str] = []
    catalogs = price_files.load(options.prices, notes)
    for note in notes:
        observer.note(note)
    return catalogs


def _scheduling(
    options: ServeOptions, loaded: LoadedManifests, values: Mapping[str, str]
) -> RunSettings:
    scheduler_config = config_file.load(options.config, config_file.Flags(), loaded.imported)
    plugins = plugin_files.load(options.plugins, scheduler_config)
    config_file.check(scheduler_config, plugins, options.config)
    # What a server records of attempts is up to its own settings; here it would grow forever.
    return RunSettings(
        scheduler_config,
        plugins,
        options.seed or 0,
        TieBreak("heap"),
        Recording.NONE,
        values,
        as_written=options.as_written,
        stopwatch=time.perf_counter_ns if options.timings else None,
        control_plane=resolution.control_plane(options),
    )


def _now(options: ServeOptions) -> str:
    """When time begins, in whole seconds; a clock that jumps needs some distance to jump."""
    mode, _ = resolution.mode_and_speed(options)
    now_ns = time.time_ns() - (LAG_NS if mode is Mode.JUMP else 0)
    return timestamps.format_time(now_ns // SECOND_NS * SECOND_NS)


def _start(text: str | None) -> str | None:
    if text is None:
        return None
    try:
        return timestamps.format_time(timestamps.parse_time(text))
    except ValueError:
        fix = "write now, or as in 2026-01-01T00:00:00Z"
        raise InputError(f'"{text}" is no time', path="--start", fix=fix) from None


def build(options: ServeOptions, inputs: ServeInputs, observer: Observer) -> ServedCluster:
    """Open the data directory, start the cluster and put the objects of files on it."""
    served = _open(options, inputs)
    stage, loaded = served.stage, inputs.loaded
    if options.scheduler == "built-in":
        scheduling = _scheduler_settings(options, inputs, served)
        run_settings.add_scheduler(stage, scheduling, (), observer)
    infrastructure, workloads, scenarios = _split(loaded)
    # The API alone is that of a new cluster, in which nothing is defined yet.
    if options.scheduler != "none" or options.controllers:
        stage.store.show_definitions()
    stage.store.implicit_namespaces = True
    ordered = stage_inputs.in_order(infrastructure, as_written=options.as_written)
    _put(served, loaded, ordered)
    # One that an earlier process left becomes what the file says, as with other files.
    stage.apply(inputs.catalogs)
    if inputs.controllers is not None:
        stage.add_controllers(inputs.controllers)
        stage.run(_SETTLING_NS)
    _put(served, loaded, workloads)
    stage.store.implicit_namespaces = False
    _put(served, loaded, scenarios)
    for each in () if loaded is None else loaded.imported:
        stage.apply([each.scenario])
    return served


def _scheduler_settings(
    options: ServeOptions, inputs: ServeInputs, served: ServedCluster
) -> RunSettings:
    """The settings of the scheduler; a configuration that was put over the API is not forgotten."""
    text = served.remembered.get(configuration.REMEMBERED)
    if text is None or options.config is not None:
        return inputs.scheduling
    try:
        known = config.from_dict(msgspec.json.decode(text))
        config_file.check(known, inputs.scheduling.plugins, None)
    except config.ConfigError as error:
        fix = "name the plugins that it needs with --plugin, or another one with --config"
        problem = f"the scheduler's configuration that was put last cannot be used: {error}"
        raise InputError(problem, fix=fix) from None
    return dataclasses.replace(inputs.scheduling, configuration=known)


def _open(options: ServeOptions, inputs: ServeInputs) -> ServedCluster:
    data_dir = resolution.data_directory(options)
    start = inputs.start or _newest_time(inputs.loaded) or inputs.now
    follows_wall = start == inputs.now
    if data_dir is None:
        store = _store_options(options, inputs)
        seed = options.seed or 0
        new = stages.Stage(seed, start=start, implicit_namespaces=False, **store)
        return ServedCluster(new, follows_wall)
    opened = opening.open_directory(data_dir, is_relaxed=options.durability == "relaxed")
    if inputs.start is not None and not opened.is_new:
        opened.close()
        fix = "leave it out, or begin anew with another --data-dir"
        raise InputError("time goes on from where it stopped", path="--start", fix=fix)
    if opened.is_new:
        remembered = {_CLOCK: _WALL} if follows_wall else {}
    else:
        remembered, follows_wall = {}, opened.remembered.get(_CLOCK) == _WALL
    stage, journal = opened.stage(
        options.seed, start=start, remembered=remembered, **_store_options(options, inputs)
    )
    return ServedCluster(stage, follows_wall, journal, opened.is_new, opened.remembered)


def _store_options(options: ServeOptions, inputs: ServeInputs) -> dict[str, Any]:
    """What the store is made with. Without controllers, garbage stays and namespaces are not
    finalized.
    """
    try:
        chosen = admission_plugins.without(resolution.disabled_plugins(options))
    except InputError as error:
        error.path = "--disable-admission-plugins"
        raise
    return {
        **chosen._asdict(),
        "garbage": "manual" if inputs.controllers is None else "immediate",
        "seeded_by": "kube-apiserver",
        # The server bounds its history itself, as soon as changes are kept.
        "history": sys.maxsize,
        # A client that knew another cluster here must not take this one's versions for that one's.
        # A clock may be set to a time before 1970.
        "first_revision": max(time.time_ns() // MILLISECOND_NS, 1),
    }


def _newest_time(loaded: LoadedManifests | None) -> str | None:
    """The newest time in the objects: it must not be in the future. A recording begins when it was
    started.
    """
    if loaded is None:
        return None
    imported = [each.scenario for each in loaded.imported]
    started: list[str | None] = [each["metadata"].get("creationTimestamp") for each in imported]
    if any(started):
        return min(each for each in started if each)
    written = (document.object for document in loaded.documents)
    recorded_ns = recorded_times.newest_ns([*written, *imported])
    return timestamps.format_time(recorded_ns) if recorded_ns else None


def _split(
    loaded: LoadedManifests | None,
) -> tuple[list[Document], list[Document], list[Document]]:
    """Infrastructure, what runs on it, and Scenarios, which come last."""
    if loaded is None:
        return [], [], []
    first, rest = stage_inputs.split(loaded)
    scenarios = [each for each in first if resource.is_scenario(each.object)]
    return [each for each in first if each not in scenarios], rest, scenarios


def _put(
    served: ServedCluster, loaded: LoadedManifests | None, documents: Sequence[Document]
) -> None:
    if loaded is None:
        return
    if served.is_new:
        stage_inputs.put(served.stage, loaded, documents, is_new=stage_inputs.is_new)
        return
    for document in documents:
        _apply(served.stage, loaded, document)


def _apply(stage: Stage, loaded: LoadedManifests, document: Document) -> None:
    """Put an object on a stage that may have it already: then it becomes what the file says."""
    obj: Json = document.object
    if "uid" in (obj.get("metadata") or {}):
        fix = "begin anew with another --data-dir, or take its uid and status out"
        problem = "was recorded in another cluster, and here is one already"
        raise loaded.place(document, InputError(problem, path="metadata.uid", fix=fix))
    try:
        stage.apply([obj])
    except ApiError as error:
        raise loaded.place(document, stage_inputs.refusal(error)) from error
    except InputError as error:
        raise loaded.place(document, error) from None
