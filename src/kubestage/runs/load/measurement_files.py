"""Measurements of the user: ``--measurement module:Class`` or ``file.py:Class``."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, Final

from kubestage.errors import InputError
from kubestage.measure.measurement import Measurement
from kubestage.measure.registry import METHODS, Registry
from kubestage.runs.inputs.named_module import ModuleOption

if TYPE_CHECKING:
    import types
    from collections.abc import Sequence

_FORM: Final = "write it as module:Class or file.py:Class"
_EXPECTED: Final = "a measurement is a subclass of kubestage.measure.framework.Measurement"
_OPTION: Final = ModuleOption("--measurement", "kubestage_measurement", _EXPECTED)
_refused: Final = _OPTION.refused


def registry(specs: Sequence[str]) -> Registry:
    """All measurements there are, those of the user included."""
    user_classes: dict[str, type[Measurement[Any]]] = {}
    for spec in specs:
        found = _class_of(spec)
        if user_classes.get(found.__name__, found) is not found:
            problem = f'{spec}: another measurement is called "{found.__name__}" already'
            raise InputError(problem, path=_OPTION.flag, fix="rename one of the classes")
        user_classes[found.__name__] = found
    return Registry(user_classes)


def files(specs: Sequence[str]) -> list[str]:
    """The files among them, to report errors at their lines."""
    return [place for place in (spec.rpartition(":")[0] for spec in specs) if _is_file(place)]


def listed(known: Registry) -> str:
    """The names of all measurements, those of the user marked."""
    return "".join(
        f"{name}\n" if name in METHODS else f"{name}  (yours)\n" for name in known.names()
    )


def _is_file(place: str) -> bool:
    return place.endswith(".py")


def _class_of(spec: str) -> type[Measurement[Any]]:
    place, _, name = spec.rpartition(":")
    if not place or not name.isidentifier():
        raise _refused(spec, "names no class", _FORM)
    module = _OPTION.module(place, spec)
    found = getattr(module, name, None)
    if not isinstance(found, type):
        near = [each for each, value in vars(module).items() if _is_own(value, module)]
        fix = f"it has {', '.join(near)}" if near else _EXPECTED
        raise _refused(spec, f"has no class {name}", fix)
    if not issubclass(found, Measurement) or found is Measurement:
        raise _refused(spec, "is no measurement", _EXPECTED)
    try:
        inspect.signature(found).bind(None)
    except TypeError as error:
        problem = f"{spec}: cannot be created from a context: {error}"
        raise InputError(problem, path=_OPTION.flag, fix="define __init__(self, context)") from None
    return found


def _is_own(value: object, module: types.ModuleType) -> bool:
    is_measurement = isinstance(value, type) and issubclass(value, Measurement)
    return is_measurement and getattr(value, "__module__", "") == module.__name__
