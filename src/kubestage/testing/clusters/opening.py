"""From options to a stage with all objects on it, and all components at work."""

from __future__ import annotations

import dataclasses
import pathlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.errors import InputError
from kubestage.runs.inputs import config_file, plain_nodes, plugin_files, stage_inputs
from kubestage.runs.observer import SILENT
from kubestage.runs.rehearse import cluster as clusters
from kubestage.runs.rehearse.options import ClusterOptions as RehearsedOptions
from kubestage.scheduler import config
from kubestage.testing.clusters import reading

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.runs.inputs.manifests import LoadedManifests
    from kubestage.runs.run_settings import RunSettings
    from kubestage.stage import Stage
    from kubestage.testing.clusters.options import ClusterOptions

_NODES: Final = 3
_PROVIDERS: Final = ("Node", "NodeGroup")
_CONFIG_FIX: Final = "it is a KubeSchedulerConfiguration, as a file, a YAML text or a dict"
_HEAD: Final = {
    "apiVersion": "kubescheduler.config.k8s.io/v1",
    "kind": "KubeSchedulerConfiguration",
}


def open_stage(options: ClusterOptions) -> Stage:
    """A stage with nodes and manifests, on which scheduler, controllers and kubelets are at work.

    A file that cannot be used is an InputError that names file, line and path.
    """
    loaded = _loaded(options)
    plain_nodes.add(loaded, _node_count(options, loaded), options.node)
    loaded.start = options.start or loaded.start
    try:
        return clusters.stage_of(loaded, _settings(options, loaded), SILENT)
    except InputError as error:
        raise _worded(error) from None


def _loaded(options: ClusterOptions) -> LoadedManifests:
    loaded = reading.load(options.manifests, options.folder, "manifests")
    stage_inputs.check(loaded, None)
    stage_inputs.refuse_actions(loaded)
    stage_inputs.complete(loaded)
    return loaded


def _node_count(options: ClusterOptions, loaded: LoadedManifests) -> int | None:
    if options.nodes is not None:
        return options.nodes or None
    has_some = any(each.object.get("kind") in _PROVIDERS for each in loaded.documents)
    return None if has_some else _NODES


def _settings(options: ClusterOptions, loaded: LoadedManifests) -> RunSettings:
    is_file = options.config is not None and reading.is_path(options.config)
    read = RehearsedOptions(
        config=reading.path_of(options.config, options.folder) if is_file else None,
        seed=options.seed,
        settings=tuple(f"{name}={value}" for name, value in options.setting.items()),
    )
    if read.config is not None and not pathlib.Path(read.config).exists():
        fix = f"it is looked for in {options.folder or '.'}"
        raise InputError("no such file", file=read.config, path="config", fix=fix)
    brought = _plugins(options)
    if not brought and (is_file or options.config is None):
        return clusters.read_settings(read, loaded)
    settings = clusters.read_settings(msgspec.structs.replace(read, config=None), loaded)
    try:
        configuration = _configuration(options, read.config, list(brought))
        plugins = {**plugin_files.load((), configuration), **brought}
        config_file.check(configuration, plugins, read.config)
    except config.ConfigError as error:
        raise InputError(str(error), path="config", fix=_CONFIG_FIX) from None
    return dataclasses.replace(settings, configuration=configuration, plugins=plugins)


def _plugins(options: ClusterOptions) -> dict[str, type[Any]]:
    """The plugins that a test brings, by name."""
    files, classes = [], []
    for each in options.plugins:
        if reading.is_path(each):
            file, colon, name = str(each).rpartition(":")
            place = reading.path_of(file if colon else name, options.folder)
            files.append(f"{place}:{name}" if colon else place)
        else:
            classes.append(each)
    return {**plugin_files.load(files, config.default()), **plugin_files.of_classes(classes)}


def _configuration(
    options: ClusterOptions, file: str | None, plugins: Sequence[str]
) -> config.SchedulerConfiguration:
    """The configuration of the options; without one, all plugins are enabled where they can be."""
    if file is not None:
        return config_file.load(file, config_file.Flags())
    source = options.config
    if source is None:
        enabled = [{"name": name} for name in plugins]
        source = {"profiles": [{"plugins": {"multiPoint": {"enabled": enabled}}}]}
    if isinstance(source, Mapping):
        source = msgspec.json.encode({**_HEAD, **source}).decode()
    return config.load(source, "config")


def _worded(error: InputError) -> InputError:
    """The error in the words of a marker, not in those of the command line."""
    words = {"--setting": "setting", "--plugin": "plugins", "--nodes": "nodes", "--node": "node"}
    if error.path in words:
        error.path = words[error.path]
    return error
