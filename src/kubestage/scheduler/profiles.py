"""Makes the profiles of a configuration, with all their plugins."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from kubestage.scheduler import config, registry
from kubestage.scheduler.runtime import Profile

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kubestage.scheduler.config import ProfilePlugins, SchedulerConfiguration
    from kubestage.scheduler.handle import Handle


def build(
    configuration: SchedulerConfiguration,
    handle: Handle,
    user_plugins: Mapping[str, type[Any]] | None = None,
    prepare: Callable[[Any], None] | None = None,
) -> dict[str, Profile]:
    """One profile per schedulerName; `user_plugins` holds a user's plugin classes by name.

    Every plugin is handed to `prepare`, if given, before it is put to work.
    """
    user_plugins = user_plugins or {}
    completed = config.complete(
        configuration, {name: config.points_of(each) for name, each in user_plugins.items()}
    )
    return {
        plugins.scheduler_name: _profile(
            plugins, dataclasses.replace(handle), user_plugins, prepare
        )
        for plugins in completed.profiles
    }


def _profile(
    plugins: ProfilePlugins,
    handle: Handle,
    user_plugins: Mapping[str, type[Any]],
    prepare: Callable[[Any], None] | None,
) -> Profile:
    built = {
        name: (user_plugins.get(name) or registry.plugin_class(name))(
            plugins.args[name] or {}, handle
        )
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
    handle.profile = profile
    return profile
