"""Makes the profiles of a configuration, with all their plugins."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from kubestage.scheduler import config, registry
from kubestage.scheduler.contract.checked_plugin import CheckedPlugin
from kubestage.scheduler.hooks import Hooks
from kubestage.scheduler.runtime import Profile

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kubestage.scheduler.config import Completed, ProfilePlugins, SchedulerConfiguration
    from kubestage.scheduler.device_definition import Devices
    from kubestage.scheduler.handle import Handle


def build(
    configuration: SchedulerConfiguration,
    handle: Handle,
    user_plugins: Mapping[str, type[Any]] | None = None,
    prepare: Callable[[Any], None] | None = None,
    completed: Completed | None = None,
) -> dict[str, Profile]:
    """One profile per schedulerName; `user_plugins` holds a user's plugin classes by name.

    Every plugin is handed to `prepare`, if given, before it is put to work. `completed` is what
    the configuration means, if that is known.
    """
    user_plugins = user_plugins or {}
    hooks = Hooks()
    # A user's plugin may have changed the arguments that it got.
    if completed is None or user_plugins:
        completed = config.complete(
            configuration, {name: config.points_of(each) for name, each in user_plugins.items()}
        )
    built = {}
    for plugins in completed.profiles:
        profile, own = _profile(plugins, dataclasses.replace(handle), user_plugins, prepare)
        built[plugins.scheduler_name] = profile
        hooks.add(own)
    handle.cache.hooks = hooks if hooks.are_used else None
    return built


def _profile(
    plugins: ProfilePlugins,
    handle: Handle,
    user_plugins: Mapping[str, type[Any]],
    prepare: Callable[[Any], None] | None,
) -> tuple[Profile, list[Any]]:
    """A profile, and the plugins of a user in it."""
    built = {
        name: _created(name, plugins.args[name] or {}, handle, user_plugins)
        for name in plugins.names
    }
    if prepare is not None:
        for plugin in built.values():
            prepare(plugin)
    points = {point: [built[name] for name in names] for point, names in plugins.points.items()}
    profile = Profile(
        plugins.scheduler_name,
        points,
        plugins.weights["score"],
        plugins.percentage_of_nodes_to_score,
    )
    handle.profile, profile.definitions = profile, handle.cache.own
    own = [each for each in built.values() if isinstance(each, CheckedPlugin)]
    profile.measured_plugins = [each for each in own if hasattr(each, "measure")]
    return profile, own


def _created(name: str, args: Any, handle: Handle, user_plugins: Mapping[str, type[Any]]) -> Any:
    """A plugin; what one of a user returns is checked."""
    if name in user_plugins:
        plugin = user_plugins[name](args, handle)
        devices: Devices | None = getattr(user_plugins[name], "devices", None)
        if devices is not None:
            handle.cache.own.add_devices(devices)
        return CheckedPlugin(plugin, handle.cache)
    return registry.plugin_class(name)(args, handle)
