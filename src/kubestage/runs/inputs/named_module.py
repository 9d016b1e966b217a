"""Modules that an option names: a file, or what Python can import."""

from __future__ import annotations

import importlib
import pathlib
from typing import TYPE_CHECKING, NamedTuple

from kubestage.errors import InputError
from kubestage.runs.inputs import neighbours, python_file

if TYPE_CHECKING:
    import types


class ModuleOption(NamedTuple):
    """An option whose value is ``module:NAME`` or ``file.py:NAME``."""

    flag: str
    prefix: str
    """Of the names of modules that are made from files."""
    expected: str
    """What such a file looks like."""
    noun: str = "Class"
    """What is named behind the module."""

    def refused(self, spec: str, problem: str, fix: str | None = None) -> InputError:
        """What is wrong with a value."""
        return InputError(f"{spec}: {problem}", path=self.flag, fix=fix)

    def module(self, place: str, spec: str) -> types.ModuleType:
        """The module at a place; InputError if it cannot be imported."""
        if place.endswith(".py"):
            return python_file.load(place, self.prefix, self.expected)
        try:
            with neighbours.importing_from(pathlib.Path.cwd()):
                return importlib.import_module(place)
        except ModuleNotFoundError as error:
            missing = error.name or ""
            if place != missing and not place.startswith(f"{missing}."):
                problem = f"imports {missing}, which is not installed"
                raise self.refused(spec, problem) from error
            file = f"{place.rpartition('.')[2]}.py"
            fix = f"install it, or name its file: path/to/{file}:{self.noun}"
            raise self.refused(spec, f"there is no module {missing}", fix) from None
        except SyntaxError as error:
            problem = f"SyntaxError: {error.msg}"
            raise InputError(problem, file=error.filename, line=error.lineno) from error
