"""From a profile to its plugins at each extension point, in order, as the framework sets them up.

What a point itself enables comes before what ``multiPoint`` brings if the latter names it, too,
and after it if not; a point may disable what ``multiPoint`` enables. The first mistake ends it.
"""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.scheduler.config import validation
from kubestage.scheduler.config.extension_points import (
    EXTENSION_POINTS,
    IN_TREE,
    MULTI_POINT,
    WEIGHTED,
    go_interface,
)
from kubestage.scheduler.config.failure import ConfigError, aggregate

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kubestage.scheduler.config.model import PluginSet, SchedulerProfile

_FIT: Final = "NodeResourcesFit"
_MAX_SCORE: Final = 100
_MAX_INT64: Final = 2**63 - 1


class ProfilePlugins(msgspec.Struct, frozen=True):
    """The plugins of a profile: per point in order, their weights, and the arguments of each."""

    scheduler_name: str
    percentage_of_nodes_to_score: int | None
    points: Mapping[str, tuple[str, ...]]
    weights: Mapping[str, Mapping[str, int]]
    args: Mapping[str, Any]

    @property
    def names(self) -> tuple[str, ...]:
        """Every plugin that has to be made, by name."""
        return tuple(self.args)

    def to_dict(self) -> dict[str, Any]:
        """As kube-scheduler lists the plugins of a profile."""
        plugins = {
            point: [
                {"name": name, "weight": self.weights[point][name]}
                if point in WEIGHTED
                else {"name": name}
                for name in names
            ]
            for point, names in self.points.items()
        }
        return {
            "schedulerName": self.scheduler_name,
            "percentageOfNodesToScore": self.percentage_of_nodes_to_score,
            "plugins": plugins,
        }


def resolve(
    profile: SchedulerProfile, rows: Mapping[str, frozenset[str]] = IN_TREE
) -> ProfilePlugins:
    """The plugins of a profile; `rows` has the points that each known plugin implements."""
    enabled = {plugin.name for each in profile.plugins.values() for plugin in each.enabled}
    enabled_names = sorted(enabled & rows.keys())
    args: dict[str, Any] = {}
    for config in profile.plugin_config:
        if config.name in args:
            raise _mistake(f"repeated config for plugin {config.name}")
        args[config.name] = config.args
    _check_args(args, enabled_names)
    points = _points(profile.plugins, rows)
    name = profile.scheduler_name
    if len(points["queueSort"]) != 1:
        raise _mistake(
            f'only one queue sort plugin required for profile with scheduler name "{name}", '
            f"but got {len(points['queueSort'])}"
        )
    if not points["bind"]:
        raise _mistake(
            f'at least one bind plugin is needed for profile with scheduler name "{name}"'
        )
    if len(points["placementGenerate"]) > 1:
        raise _mistake(
            "at most one placement generate plugin is allowed for profile with scheduler name "
            f'"{name}"'
        )
    return ProfilePlugins(
        name,
        profile.percentage_of_nodes_to_score,
        points,
        {point: _weights(profile.plugins, point, rows) for point in WEIGHTED},
        {name: args.get(name) for name in enabled_names},
    )


def _mistake(problem: str, fix: str | None = None) -> ConfigError:
    return ConfigError("instantiate", problem, fix=fix)


def _missing(point: str, name: str, rows: Mapping[str, frozenset[str]]) -> ConfigError:
    near = difflib.get_close_matches(name, rows, n=1)
    fix = f"did you mean {near[0]}?" if near else "load it with --plugin module:Class"
    return _mistake(f'{go_interface(point)} "{name}" does not exist', fix)


def _check_args(args: Mapping[str, Any], enabled_names: list[str]) -> None:
    """NodeResourcesFit validates its arguments only when it is created."""
    if _FIT not in enabled_names:
        return
    problem = "want args to be of type NodeResourcesFitArgs, got <nil>"
    if args.get(_FIT) is not None:
        problems = validation.argument_problems(_FIT, args[_FIT], "")
        problem = aggregate(problems) if problems else ""
    if problem:
        raise _mistake(f'initializing plugin "{_FIT}": {problem}')


def _points(
    plugins: Mapping[str, PluginSet], rows: Mapping[str, frozenset[str]]
) -> dict[str, tuple[str, ...]]:
    points = {point: _named(point, plugins[point], rows) for point in EXTENSION_POINTS}
    if plugins[MULTI_POINT].enabled:
        for point in EXTENSION_POINTS:
            points[point] = _expanded(point, points[point], plugins, rows)
    return points


def _named(point: str, plugins: PluginSet, rows: Mapping[str, frozenset[str]]) -> tuple[str, ...]:
    """What the point itself enables."""
    names: list[str] = []
    interface = go_interface(point)
    for plugin in plugins.enabled:
        if plugin.name not in rows:
            raise _missing(point, plugin.name, rows)
        if point not in rows[plugin.name]:
            raise _mistake(f'plugin "{plugin.name}" does not extend {interface} plugin')
        if plugin.name in names:
            raise _mistake(f'plugin "{plugin.name}" already registered as "{interface}"')
        names.append(plugin.name)
    return tuple(names)


def _expanded(
    point: str,
    named: tuple[str, ...],
    plugins: Mapping[str, PluginSet],
    rows: Mapping[str, frozenset[str]],
) -> tuple[str, ...]:
    """What the point enables together with what ``multiPoint`` brings to it."""
    disabled = {plugin.name for plugin in plugins[point].disabled}
    if "*" in disabled:
        return named
    brought: list[str] = []
    overridden: set[str] = set()
    for plugin in plugins[MULTI_POINT].enabled:
        name = plugin.name
        if name not in rows:
            raise _missing(point, name, rows)
        if point not in rows[name] or name in disabled:
            continue
        if name in named:
            overridden.add(name)
        elif name in brought:
            raise _mistake(f'plugin "{name}" already registered as "{go_interface(point)}"')
        else:
            brought.append(name)
    first = [name for name in named if name in overridden]
    last = [name for name in named if name not in overridden]
    return (*first, *brought, *last)


def _weights(
    plugins: Mapping[str, PluginSet], point: str, rows: Mapping[str, frozenset[str]]
) -> dict[str, int]:
    """The weight of each plugin that can score; a point's own word goes before ``multiPoint``'s."""
    weights: dict[str, int] = {}
    total = 0
    for plugin in (*plugins[point].enabled, *plugins[MULTI_POINT].enabled):
        if point not in rows.get(plugin.name, ()) or plugin.name in weights:
            continue
        weight = weights[plugin.name] = plugin.weight or 1
        # Go's subtraction wraps around, so that after a negative weight no room is left.
        room = (_MAX_INT64 - total + 2**63) % 2**64 - 2**63
        if weight * _MAX_SCORE > room:
            label = "score plugins" if point == "score" else "placement score plugins"
            raise _mistake(f"{label}: total score of Score plugins could overflow")
        total += weight * _MAX_SCORE
    return weights
