"""The cluster that a rehearsal is about: a quiescent copy of whatever the user has."""

from __future__ import annotations

import dataclasses
import pathlib
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage import lazy
from kubestage.errors import InputError
from kubestage.files import pinned, reading
from kubestage.results import run_place
from kubestage.runs import living, run_settings
from kubestage.runs.inputs import (
    edits,
    plain_nodes,
    plugin_files,
    price_files,
    sources,
    stage_inputs,
)
from kubestage.runs.observer import SILENT
from kubestage.runs.rehearse import dump, settling, stage_copies
from kubestage.runs.rehearse.options import ClusterOptions, RehearsalOptions
from kubestage.runs.rehearse.settling import Activity
from kubestage.runs.run_options import RunOptions
from kubestage.scenario import resource
from kubestage.scheduler.record import Recording
from kubestage.stage import Stage, few_collections
from kubestage.stage.collections import RARELY
from kubestage.units import MILLISECOND_NS
from kubestage.wording import plural

with lazy.imports():
    from kubestage.runs.rehearse import kept_run, served

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kubestage.results.history.history_recorder import HistoryBeginning
    from kubestage.runs.inputs.manifests import LoadedManifests
    from kubestage.runs.inputs.sources import Files
    from kubestage.runs.observer import Observer
    from kubestage.runs.rehearse.kept_run import RepeatedRun
    from kubestage.runs.rehearse.served import ServedCluster
    from kubestage.runs.run_settings import RunSettings

_DEFAULT: Final = ClusterOptions()
_NO_SETTINGS: Final[Mapping[str, str]] = {}
_FIX: Final = "add -f cluster/, -f DUMP, -f RUN, or --server http://127.0.0.1:18080"


class Cluster(msgspec.Struct, frozen=True):
    """A quiescent cluster, which a rehearsal works on."""

    stage: Stage
    origin: str
    """Where it comes from, as messages name it."""
    notes: Sequence[str] = ()
    """What the user should know about it."""
    keeps_history: bool = False
    """Whether rehearsals on it keep their history."""
    start_state: HistoryBeginning | None = None
    """How those histories begin, if all begin with the cluster as it is."""

    def copy(self) -> Cluster:
        """Another one that is just like it."""
        return msgspec.structs.replace(self, stage=self.stage.fork())


@few_collections(RARELY)
def open_cluster(
    files: Files | Stage | Cluster | None = None,
    options: ClusterOptions = _DEFAULT,
    *,
    observer: Observer = SILENT,
) -> Cluster:
    """A quiescent cluster: of manifests, a dump, a kept run, or a server; of a Stage, a copy.

    What is new is created, and runs until all pods are ready, or nothing changes any more.
    """
    cluster = _opened(files, options, observer)
    keeps = isinstance(options, RehearsalOptions) and options.out is not None
    return msgspec.structs.replace(cluster, keeps_history=cluster.keeps_history or keeps)


def _opened(
    files: Files | Stage | Cluster | None, options: ClusterOptions, observer: Observer
) -> Cluster:
    if isinstance(files, Cluster):
        return files.copy()
    if isinstance(files, Stage):
        stage = files.fork()
        return _at_rest(stage, "the stage", price_files.apply(stage, options.prices))
    names = [] if files is None else sources.file_names(files)
    is_served = options.server is not None or options.kubeconfig is not None
    if names and is_served:
        raise InputError("two clusters are named", path="--server", fix="leave out -f or --server")
    if is_served:
        key = ("served", options.server, options.kubeconfig, options.config, options.plugins)
        found = pinned.once(key, lambda: served.export(options), ships=True)
        return _of_server(found, edits.manifests(found.loaded, key), options, observer)
    if not names:
        raise InputError("no cluster is named", fix=_FIX)
    runs = [each for each in names if run_place.is_run(pathlib.Path(each))]
    if runs:
        if len(names) > 1:
            raise InputError("a run stands by itself", file=runs[0], fix="name only the run")
        stage = _stage_of_run(runs[0], observer)
        return _at_rest(stage, runs[0], price_files.apply(stage, options.prices))
    loaded, notes = _loaded(names, options, observer)
    settings = read_settings(options, loaded)
    return _at_rest(stage_of(loaded, settings, observer), ", ".join(names), notes)


def _of_server(
    found: ServedCluster, loaded: LoadedManifests, options: ClusterOptions, observer: Observer
) -> Cluster:
    notes = [*found.notes, *price_files.add(loaded, options.prices)]
    settings = read_settings(options, loaded, found.settings)
    if found.configuration is not None:
        plugins = plugin_files.load(options.plugins, found.configuration)
        settings = dataclasses.replace(settings, configuration=found.configuration, plugins=plugins)
    stage = stage_of(loaded, settings, observer)
    return _at_rest(stage, options.server or "the server", notes)


def _stage_of_run(path: str, observer: Observer) -> Stage:
    key = ("kept run", path)
    repeated = pinned.once(key, lambda: _repeated(path, observer), ships=True)
    if repeated.stage is not None:
        # With pinned files it is used again.
        return repeated.stage if pinned.current() is None else repeated.stage.fork()
    assert repeated.loaded is not None
    assert repeated.settings is not None
    return stage_of(edits.manifests(repeated.loaded, key), repeated.settings, observer)


def check(files: Files | None, options: ClusterOptions) -> None:
    """Read and check the files of a cluster, and run nothing but a run that was kept."""
    names = [] if files is None else sources.file_names(files)
    kept = [each for each in names if run_place.is_run(pathlib.Path(each))]
    if kept or not names or options.server is not None or options.kubeconfig is not None:
        _opened(files, options, SILENT)
        return
    loaded = _loaded(names, options, SILENT)[0]
    settings = read_settings(options, loaded)
    _refuse_scenarios(loaded)
    living.controller_settings(settings.setting_values)


def _loaded(
    names: Sequence[str], options: ClusterOptions, observer: Observer
) -> tuple[LoadedManifests, list[str]]:
    loaded = stage_inputs.load_cluster(names, options.config, observer)
    plain_nodes.add(loaded, options.nodes, options.node)
    return loaded, [*loaded.notes, *price_files.add(loaded, options.prices)]


def _repeated(path: str, observer: Observer) -> RepeatedRun:
    if pinned.current() is not None:
        # What the result depends on: pinned, they identify it.
        for file in sorted(pathlib.Path(path).rglob("*.json")):
            reading.read(file)
    return kept_run.repeat(path, observer)


def stage_of(loaded: LoadedManifests, settings: RunSettings, observer: Observer) -> Stage:
    """A stage with these objects, on which all components are at work."""
    _refuse_scenarios(loaded)
    with plugin_files.error_context(settings.plugins):
        stage = stage_inputs.empty(loaded, settings.seed)
        run_settings.add_scheduler(stage, settings, (), observer, is_paced=True)
        first, rest = stage_inputs.split(loaded)
        there = stage_inputs.in_order(dump.ordered(first), as_written=False)
        stage_inputs.put(stage, loaded, there, is_new=stage_inputs.is_new)
        stage.add_controllers(living.controller_settings(settings.setting_values))
        # Infrastructure is there, and quotas are counted, before the first pod is requested.
        stage.run(MILLISECOND_NS)
        stage_inputs.put(stage, loaded, rest, is_new=stage_inputs.is_new)
    return stage


def read_settings(
    options: ClusterOptions, loaded: LoadedManifests, known: Mapping[str, str] = _NO_SETTINGS
) -> RunSettings:
    """How components are to work, as options say, or else as `known` settings do.

    Attempts are not recorded, as nothing reads them.
    """
    run_options = RunOptions(config=options.config, plugins=options.plugins, seed=options.seed)
    values = dict(known) | run_settings.setting_values(
        options.settings,
        launch_delay=options.launch_delay,
        terminate_delay=options.terminate_delay,
    )
    settings, _ = run_settings.read_settings(run_options, values, loaded)
    return dataclasses.replace(settings, recording=Recording.NONE)


def _refuse_scenarios(loaded: LoadedManifests) -> None:
    fix = "run it first: kubestage run SCENARIO --out DIR, then: kubestage rehearse ... -f DIR"
    for document in loaded.documents:
        if resource.is_scenario(document.object):
            raise loaded.place(document, InputError("a Scenario is not a cluster", fix=fix))
    for each in loaded.imported:
        name = each.scenario["metadata"]["name"]
        raise InputError(f'"{name}" is a recording, not a cluster', fix=fix)


def _at_rest(stage: Stage, origin: str, known: Sequence[str] = ()) -> Cluster:
    activity = Activity(stage)
    rests = settling.settle(stage, activity)
    activity.close()
    stage_copies.forget_history(stage)
    notes = list(known)
    if not rests:
        notes.append("the cluster was still changing after 2h, and is taken as it was then")
    waiting = activity.workloads.pending
    if waiting:
        verb = "is" if waiting == 1 else "are"
        notes.append(f"{plural(waiting, 'pod')} {verb} pending from the start")
    return Cluster(stage, origin, notes)
