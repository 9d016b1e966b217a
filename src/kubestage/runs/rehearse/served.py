"""A copy of the cluster that `kubestage serve` serves, and how its components work there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.errors import InputError
from kubestage.remote.kubestage_server import KubestageServer
from kubestage.runs import clock_server
from kubestage.runs.inputs import config_file, manifests, plugin_files, sources
from kubestage.runs.inputs.manifests import LoadedManifests  # noqa: TC001 - msgspec reads it
from kubestage.scheduler import config
from kubestage.scheduler.config import SchedulerConfiguration  # noqa: TC001 - msgspec reads it
from kubestage.wording import plural

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kubestage.aliases import Json
    from kubestage.runs.rehearse.options import ClusterOptions

_API: Final = "/kubestage/v1"
_NOT_COPIED: Final = "not copied from the server: its seed, Events, and past usage of autoscalers"
_FIX: Final = "name the plugins of `kubestage serve` with --plugin, or another file with --config"


class ServedCluster(msgspec.Struct, frozen=True, kw_only=True):
    """What a server exposes of its cluster."""

    loaded: LoadedManifests
    configuration: SchedulerConfiguration | None
    """That of its scheduler; None if it has none of its own, or if another one is to be used."""
    settings: Mapping[str, str]
    """Of controllers and autoscalers, by name."""
    notes: list[str]
    """What is as on the server, and what is not."""


def export(options: ClusterOptions) -> ServedCluster:
    """All objects of a server that matter, as if a file had them, and its configuration."""
    access = clock_server.find(options.server, options.kubeconfig)
    server = KubestageServer(access, "export")
    _, found = server.call("GET", f"{_API}/export")
    loaded = manifests.load_sources([sources.Source(access.server, msgspec.json.encode(found))])
    for problem in loaded.problems:
        raise problem
    configuration, reason = _configuration(server, options)
    settings = _settings(server)
    return ServedCluster(
        loaded=loaded,
        configuration=configuration,
        settings=settings,
        notes=[*_notes(configuration, reason, settings), _NOT_COPIED],
    )


def _configuration(
    server: KubestageServer, options: ClusterOptions
) -> tuple[SchedulerConfiguration | None, str]:
    """The configuration of the server's scheduler, or why another one is used."""
    if options.config is not None:
        return None, f"the scheduler's configuration is {options.config}, not that of the server"
    try:
        _, found = server.call("GET", f"{_API}/scheduler/configuration")
    except InputError as error:
        problem = f"the scheduler's configuration is the default, as {error.problem}"
        return None, problem.partition(": start kubestage")[0]
    return _checked(found, options), ""


def _checked(found: Json, options: ClusterOptions) -> SchedulerConfiguration:
    try:
        configuration = config.from_dict(found)
        plugins = plugin_files.load(options.plugins, configuration)
        config_file.check(configuration, plugins, None)
    except config.ConfigError as error:
        problem = f"the configuration of the server's scheduler cannot be used here: {error}"
        raise InputError(problem, fix=_FIX) from None
    return configuration


def _settings(server: KubestageServer) -> Mapping[str, str]:
    """Settings of components; a server without a scheduler, or an older one, exposes none."""
    try:
        _, found = server.call("GET", f"{_API}/settings")
    except InputError:
        return {}
    exposed: Mapping[str, str] = (found or {}).get("components") or {}
    return exposed


def _notes(
    configuration: SchedulerConfiguration | None, reason: str, settings: Mapping[str, str]
) -> Iterator[str]:
    if configuration is None:
        yield reason
    else:
        names = [each.scheduler_name for each in configuration.profiles]
        profiles = f"{'profile' if len(names) == 1 else 'profiles'} {', '.join(names)}"
        yield f"the scheduler's configuration is that of the server ({profiles})"
    if settings:
        named = ", ".join(f"{name}={value}" for name, value in settings.items())
        verb = "is as" if len(settings) == 1 else "are as"
        yield f"{plural(len(settings), 'setting')} {verb} on the server: {named}"
