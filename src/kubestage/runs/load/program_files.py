"""Programs of the user: ``--program IMAGE=module:Class`` or ``IMAGE=file.py:Class``."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Final

from kubestage.cluster.load_programs import images
from kubestage.cluster.load_programs.program import Program
from kubestage.errors import InputError
from kubestage.runs.inputs.named_module import ModuleOption

if TYPE_CHECKING:
    from collections.abc import Sequence

_FORM: Final = "write it as IMAGE=module:Class or IMAGE=file.py:Class"
_EXPECTED: Final = "a program is a subclass of kubestage.cluster.load_programs.framework.Program"
_OPTION: Final = ModuleOption("--program", "kubestage_program", _EXPECTED)
_refused: Final = _OPTION.refused


def load(options: Sequence[str]) -> dict[str, type[Program]]:
    """The classes of ``--program``, by the names of images without tags."""
    found: dict[str, type[Program]] = {}
    for option in options:
        image, equals, spec = option.partition("=")
        if not equals or not image:
            raise _refused(option, "names no image", _FORM)
        name = images.repository(image)
        if name in found:
            raise InputError(f'{option}: "{name}" has a program already', path=_OPTION.flag)
        found[name] = _class_of(option, spec)
    return found


def specs(options: Sequence[str]) -> list[str]:
    """The classes as they are named, without their images."""
    return [option.partition("=")[2] for option in options]


def _class_of(option: str, spec: str) -> type[Program]:
    place, _, name = spec.rpartition(":")
    if not place or not name.isidentifier():
        raise _refused(option, "names no class", _FORM)
    found = getattr(_OPTION.module(place, spec), name, None)
    if not isinstance(found, type):
        raise _refused(option, f"has no class {name}", _EXPECTED)
    if not issubclass(found, Program):
        raise _refused(option, "is no program", _EXPECTED)
    if inspect.isabstract(found):
        raise _refused(option, "has no method start", "define start(self)")
    try:
        inspect.signature(found).bind(None, None)
    except TypeError as error:
        problem = f"{option}: cannot be created from a container and a client: {error}"
        fix = "define __init__(self, container, client)"
        raise InputError(problem, path=_OPTION.flag, fix=fix) from None
    return found
