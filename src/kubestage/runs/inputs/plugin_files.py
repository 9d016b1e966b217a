"""Scheduling plugins that a person brings: from a module, a file or an installed package."""

from __future__ import annotations

import contextlib
import inspect
import pathlib
from typing import TYPE_CHECKING, Any, Final

from kubestage.errors import InputError
from kubestage.runs.inputs import python_file
from kubestage.runs.inputs.named_module import ModuleOption
from kubestage.scheduler import config
from kubestage.scheduler.contract import classes as contract
from kubestage.scheduler.contract import places

if TYPE_CHECKING:
    import types
    from collections.abc import Mapping, Sequence
    from contextlib import AbstractContextManager

GROUP: Final = "kubestage.plugins"
"""Installed packages offer plugins as entry points of this group, by the plugin's name."""

_FORM: Final = "write it as module:Class or file.py:Class"
_NO_MEASURES: Final[Mapping[str, Any]] = {}
_EXPECTED: Final = "a plugin is a class with a name and __init__(self, args, handle)"
_OPTION: Final = ModuleOption("--plugin", "kubestage_plugin", _EXPECTED)
_refused: Final = _OPTION.refused


def load(
    specs: Sequence[str], configuration: config.SchedulerConfiguration
) -> dict[str, type[Any]]:
    """The classes by plugin name: those of ``--plugin``, and those that only a package offers.

    An installed plugin is imported when the configuration names it, and not before.
    """
    classes: dict[str, type[Any]] = {}
    for spec in specs:
        _add(classes, _checked(_class_of(spec), spec), spec)
    others = _named_by(configuration) - config.IN_TREE.keys() - classes.keys()
    if others:
        _add_offered(classes, sorted(others))
    return classes


def of_classes(brought: Sequence[type[Any]]) -> dict[str, type[Any]]:
    """Classes that a program brings, by plugin name; InputError if one cannot be a plugin."""
    classes: dict[str, type[Any]] = {}
    for each in brought:
        if not isinstance(each, type):
            raise InputError(f"{each!r} is no class", path="--plugin", fix=_EXPECTED)
        _add(classes, _checked(each, each.__qualname__), each.__qualname__)
    return classes


def _add_offered(classes: dict[str, type[Any]], names: Sequence[str]) -> None:
    from importlib import metadata

    offered = {each.name: each for each in metadata.entry_points(group=GROUP)}
    for name in names:
        if name in offered:
            point = offered[name]
            found = _checked(_class_of(point.value), point.value)
            if found.name != name:
                raise _refused(point.value, f'is called "{found.name}", not "{name}"')
            _add(classes, found, point.value)


def unused(
    classes: Mapping[str, type[Any]], configuration: config.SchedulerConfiguration
) -> list[str]:
    """Plugins that were brought and that no profile enables."""
    return sorted(classes.keys() - _named_by(configuration))


def error_context(
    classes: Mapping[str, type[Any]], measures: Mapping[str, Any] = _NO_MEASURES
) -> AbstractContextManager[None]:
    """Report an error inside a person's plugin or measure at its line in the file."""
    files = [_shown(each) for each in (*classes.values(), *measures.values())]
    return python_file.error_context(*files) if files else contextlib.nullcontext()


def _shown(plugin: Any) -> str:
    """The plugin's file, from here if it lies below here."""
    path = pathlib.Path(inspect.getfile(plugin))
    with contextlib.suppress(ValueError):
        return str(path.relative_to(pathlib.Path.cwd()))
    return str(path)


def _named_by(configuration: config.SchedulerConfiguration) -> set[str]:
    return {
        plugin.name
        for profile in configuration.profiles
        for plugins in profile.plugins.values()
        for plugin in plugins.enabled
    }


def _class_of(spec: str) -> type[Any]:
    place, _, name = spec.rpartition(":")
    if spec.endswith(".py"):
        place, name = spec, ""
    if not place or not (name.isidentifier() or spec.endswith(".py")):
        raise _refused(spec, "names no class", _FORM)
    module = _OPTION.module(place, spec)
    found = getattr(module, name, None)
    if not isinstance(found, type):
        raise _refused(spec, f"has no class {name}" if name else "names no class", _near(module))
    return found


def _near(module: types.ModuleType) -> str:
    plugins = [
        name
        for name, value in vars(module).items()
        if isinstance(value, type)
        and value.__module__ == module.__name__
        and config.points_of(value)
    ]
    return f"it has {', '.join(plugins)}: {_FORM}" if plugins else _EXPECTED


def _checked(plugin: type[Any], spec: str) -> type[Any]:
    """The class, if it can be a plugin at all."""
    problem = contract.find_problem(plugin)
    if problem is None:
        return plugin
    if problem.method:
        raise places.refused(plugin, *problem)
    raise _refused(spec, problem.text, problem.fix)


def _add(classes: dict[str, type[Any]], plugin: type[Any], spec: str) -> None:
    name = plugin.name
    if name in config.IN_TREE:
        problem = f'the name "{name}" is that of a built-in plugin'
        raise _refused(spec, problem, "rename it, and in the configuration disable the built-in")
    if classes.get(name, plugin) is not plugin:
        raise _refused(spec, f'another plugin is called "{name}" already', "rename one of them")
    classes[name] = plugin
