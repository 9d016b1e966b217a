"""Checks a plugin class before it is used: names, parameters and methods that belong together."""

from __future__ import annotations

import difflib
import inspect
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kubestage import wording
from kubestage.scheduler.config import extension_points
from kubestage.scheduler.contract import methods
from kubestage.scheduler.contract.places import refused
from kubestage.scheduler.device_definition import Devices
from kubestage.scheduler.remembered import NODE

if TYPE_CHECKING:
    from collections.abc import Mapping

# Below this, two names are not alike.
_ALIKE: Final = 0.85
_PACKAGE: Final = "kubestage.scheduler."
_NO_SELF: Final = (staticmethod, classmethod)
_PLAIN: Final = {name.replace("_", ""): name for name in methods.PARAMETERS}


class Problem(NamedTuple):
    """What is wrong with a class; `method` is empty if it is about the class as a whole."""

    method: str
    text: str
    fix: str


def points_of_all(plugins: Mapping[str, type[Any]]) -> dict[str, frozenset[str]]:
    """The extension points of classes by name; those that cannot work as plugins are refused."""
    for name, plugin in plugins.items():
        problem = find_problem(plugin)
        if problem is None and plugin.name != name:
            fix = f'set name = "{name}" in the class, or pass it as "{plugin.name}"'
            problem = Problem("", f'is passed under the name "{name}"', fix)
        if problem is not None:
            raise refused(plugin, *problem)
    return {name: extension_points.points_of(plugin) for name, plugin in plugins.items()}


def find_problem(plugin: type[Any]) -> Problem | None:
    """Why a class cannot work as a plugin; None if nothing is wrong."""
    if not isinstance(getattr(plugin, "name", None), str) or not plugin.name:
        fix = f'give the class a name, as in: name = "{plugin.__name__}"'
        return Problem("", "has no name that a configuration could use", fix)
    return (
        _misspelt(plugin)
        or _without_point(plugin)
        or _not_created(plugin)
        or next(filter(None, (_not_callable(plugin, each) for each in methods.PARAMETERS)), None)
        or _without_partner(plugin)
        or _wrongly_declared(plugin)
    )


def _misspelt(plugin: type[Any]) -> Problem | None:
    """A public method whose name is almost one of the contract."""
    for name in dir(plugin):
        if name.startswith("_") or name in methods.PARAMETERS:
            continue
        found = getattr(plugin, name)
        # A plugin may extend a built-in one, whose methods are as they are.
        is_own = not str(getattr(found, "__module__", "")).startswith(_PACKAGE)
        likely = _likely(name) if is_own and inspect.isroutine(found) else None
        if likely is not None:
            fix = f"rename it to {_signature(likely)}, or to _{name} if it is your own"
            text = f"there is no method {name} in the contract; did you mean {likely}?"
            return Problem(name, text, fix)
    return None


def _likely(name: str) -> str | None:
    plain = name.replace("_", "").lower()
    exact = _PLAIN.get(plain) or methods.OTHER_NAMES.get(plain)
    if exact is not None:
        return exact
    near = difflib.get_close_matches(plain, _PLAIN, n=1, cutoff=_ALIKE)
    return _PLAIN[near[0]] if near else None


def _without_point(plugin: type[Any]) -> Problem | None:
    if extension_points.points_of(plugin):
        return None
    fix = (
        "define one of its methods, such as filter_node or score_node; "
        "kubestage.scheduler.framework lists them"
    )
    return Problem("", "claims no extension point", fix)


def _not_created(plugin: type[Any]) -> Problem | None:
    try:
        inspect.signature(plugin).bind({}, None)
    except TypeError as error:
        text = f"cannot be made from its arguments and a handle: {error}"
        return Problem("", text, "define __init__(self, args, handle)")
    return None


def _not_callable(plugin: type[Any], method: str) -> Problem | None:
    """A method that cannot be called as the scheduler calls it."""
    found, fix = getattr(plugin, method, None), f"define {_signature(method)}"
    if found is None:
        return None
    if not callable(found):
        return Problem(method, f"{method} is {type(found).__name__}, not a method", fix)
    try:
        signature = inspect.signature(found)
    except (TypeError, ValueError):
        # A compiled function may have none.
        return None
    bare, arguments = inspect.getattr_static(plugin, method), methods.PARAMETERS[method]
    try:
        signature.bind(*([] if isinstance(bare, _NO_SELF) else [None]), *arguments)
    except TypeError:
        count = wording.plural(len(arguments), "argument")
        return Problem(method, f"{method}{signature} cannot be called with {count}", fix)
    return None


def _without_partner(plugin: type[Any]) -> Problem | None:
    for method, partners, reason in methods.PARTNERS:
        if hasattr(plugin, method) and not any(hasattr(plugin, each) for each in partners):
            text = f"has {method} without {' or '.join(partners)}: {reason}"
            return Problem(method, text, f"define {' or '.join(map(_signature, partners))}")
    return None


def _wrongly_declared(plugin: type[Any]) -> Problem | None:
    devices = getattr(plugin, "devices", None)
    if devices is not None and not isinstance(devices, Devices):
        fix = "write devices = Devices(...), or use another name for what is your own"
        return Problem("", f"devices is {type(devices).__name__}, not Devices", fix)
    declared = getattr(plugin, "depends_on", NODE)
    if declared == NODE:
        return None
    fix = f'write depends_on = "{NODE}", or leave it out: then the plugin is called every time'
    return Problem("", f'depends_on is {declared!r}, not "{NODE}"', fix)


def _signature(method: str) -> str:
    if method not in methods.PARAMETERS:
        return f"{method} = Devices(...)"
    return f"{method}({', '.join(('self', *methods.PARAMETERS[method]))})"
