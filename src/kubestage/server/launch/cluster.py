"""The cluster behind a server: new, or as an earlier process left it."""

from __future__ import annotations

import dataclasses
import sys
import time
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from kubestage import stage as stages
from kubestage.controllers import registry
from kubestage.errors import InputError
from kubestage.objects import timestamps
from kubestage.runs import living, run_settings
from kubestage.runs.inputs import (
    catalog_files,
    config_file,
    manifests,
    plain_nodes,
    plugin_files,
    price_files,
    stage_inputs,
)
from kubestage.runs.run_settings import RunSettings
from kubestage.scheduler import config
from kubestage.scheduler.record import Recording
from kubestage.scheduler.selection import TieBreak
from kubestage.server.bootstrap import installing
from kubestage.server.journal import opening
from kubestage.server.kubestage_api import configuration
from kubestage.server.launch import file_objects, resolution
from kubestage.server.pacing import Mode
from kubestage.server.wall_clock import LAG_NS
from kubestage.store.admission import plugins as admission_plugins
from kubestage.units import MILLISECOND_NS, SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kubestage.aliases import Json
    from kubestage.controllers.settings import Settings as ControllerSettings
    from kubestage.runs.inputs.manifests import LoadedManifests
    from kubestage.runs.observer import Observer
    from kubestage.server.journal.journal import Journal
    from kubestage.server.launch.options import ServeOptions
    from kubestage.stage import Stage
    from kubestage.store.bootstrap import Bootstrap

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
    """None if there are to be neither controllers nor kubelets."""
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
        loaded = stage_inputs.load_cluster(options.files, options.config, observer)
    plain_nodes.add(loaded, options.nodes, options.node)
    has_objects = bool(loaded.documents or loaded.imported)
    values = run_settings.setting_values(options.settings)
    scheduling = _scheduling(options, loaded, values)
    has_kubelets = options.controllers != "none"
    controllers = living.controller_settings(values) if has_kubelets else None
    now = _now(options)
    start = now if options.start == "now" else _start(options.start)
    catalogs = _catalogs(options, observer)
    return ServeInputs(
        loaded if has_objects else None, scheduling, controllers, now, start, catalogs
    )


def _catalogs(options: ServeOptions, observer: Observer) -> list[Json]:
    notes: list[str] = []
    catalogs: list[Json] = []
    if options.catalogue is not None:
        catalogs += catalog_files.load(options.catalogue, notes)
    if options.prices is not None:
        catalogs += price_files.load(options.prices, notes)
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
        TieBreak(options.tie_break),
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


def fill(
    served: ServedCluster,
    options: ServeOptions,
    inputs: ServeInputs,
    server: Bootstrap,
    observer: Observer,
) -> None:
    """Start the cluster, with what its API server makes, and put the objects of files on it."""
    stage, loaded = served.stage, inputs.loaded
    if options.scheduler == "built-in":
        scheduling = _scheduler_settings(options, inputs, served)
        run_settings.add_scheduler(stage, scheduling, (), observer)
    infrastructure, workloads, scenarios = file_objects.split(loaded)
    # The API alone is that of a new cluster, in which nothing is defined yet.
    if options.scheduler != "none" or options.controllers != "none":
        stage.store.show_definitions()
    stage.store.implicit_namespaces = True
    ordered = stage_inputs.in_order(infrastructure, as_written=options.as_written)
    file_objects.put(stage, loaded, ordered, is_new_stage=served.is_new)
    # One that an earlier process left becomes what the file says, as with other files.
    stage.apply(inputs.catalogs)
    if inputs.controllers is not None:
        # Files of workloads are rarely all of a cluster: the rest is assumed to exist.
        is_whole = options.controllers == "built-in"
        stage.add_controllers(
            inputs.controllers,
            loops=registry.ALL if is_whole else registry.MACHINES,
            holds_pods=not workloads,
        )
    installing.install(stage, server)
    if stage.controllers is not None:
        stage.run(_SETTLING_NS)
    file_objects.put(stage, loaded, workloads, is_new_stage=served.is_new)
    stage.store.implicit_namespaces = False
    file_objects.put(stage, loaded, scenarios, is_new_stage=served.is_new)
    for each in () if loaded is None else loaded.imported:
        stage.apply([each.scenario])


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


def open_stage(options: ServeOptions, inputs: ServeInputs) -> ServedCluster:
    """A new stage, or that of the data directory, as it was left."""
    data_dir = resolution.data_directory(options)
    start = inputs.start or file_objects.newest_time(inputs.loaded) or inputs.now
    follows_wall = start == inputs.now
    if data_dir is None:
        store = _store_options(options)
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
        options.seed, start=start, remembered=remembered, **_store_options(options)
    )
    return ServedCluster(stage, follows_wall, journal, opened.is_new, opened.remembered)


def _store_options(options: ServeOptions) -> dict[str, Any]:
    """What the store is made with. Without controllers of its own, garbage stays and namespaces
    are not finalized.
    """
    try:
        chosen = admission_plugins.without(resolution.disabled_plugins(options))
    except InputError as error:
        error.path = "--disable-admission-plugins"
        raise
    return {
        **chosen._asdict(),
        "garbage": "immediate" if options.controllers == "built-in" else "manual",
        "seeded_by": "kube-apiserver",
        "allow_privileged": options.allow_privileged is not False,
        # The server bounds its history itself, as soon as changes are kept.
        "history": sys.maxsize,
        # No client takes these versions for another cluster's. A clock may be set before 1970.
        "first_revision": max(time.time_ns() // MILLISECOND_NS, 1),
    }
