"""Code that a person wrote: loaded from a file, and blamed at its line when it fails."""

from __future__ import annotations

import contextlib
import importlib.util
import pathlib
import sys
import traceback
from typing import TYPE_CHECKING, Final

from kubestage.errors import InputError, KubestageError, MalformedValue
from kubestage.files import pinned, reading
from kubestage.runs.inputs import neighbours
from kubestage.scheduler.cycle_state import NotPrepared

if TYPE_CHECKING:
    import types
    from collections.abc import Iterator


def load(path: str, prefix: str, fix: str) -> types.ModuleType:
    """Run a Python file as a module; `fix` says what a file of this sort looks like."""
    return pinned.once(("python", path, prefix), lambda: _load(path, prefix, fix))


def _load(path: str, prefix: str, fix: str) -> types.ModuleType:
    if not reading.is_file(path):
        raise InputError("no such file", file=path)
    module_name = f"{prefix}_{pathlib.Path(path).stem}"
    # A worker of a sweep may be in another folder than the user.
    spec = importlib.util.spec_from_file_location(module_name, reading.absolute(path))
    if spec is None or spec.loader is None:
        raise InputError("is no Python file", file=path, fix=fix)
    module = importlib.util.module_from_spec(spec)
    # Pickle, and so a fork, finds the file's classes by the name of their module.
    sys.modules[module_name] = module
    with error_context(path), neighbours.importable(path):
        # Byte code that Python has kept counts as fresh if the file was changed within a second.
        code = compile(reading.read(path), path, "exec", dont_inherit=True)
        exec(code, vars(module))
    return module


# Errors that the user's code makes when it calls ours.
_OF_THE_CODE: Final = (MalformedValue, NotPrepared)


@contextlib.contextmanager
def error_context(*paths: str) -> Iterator[None]:
    """Report an error in the user's code at its line in the file, without a traceback."""
    try:
        yield
    except SyntaxError as error:
        if not paths:
            raise
        file = _named(paths, error.filename) or paths[0]
        raise InputError(f"SyntaxError: {error.msg}", file=file, line=error.lineno) from error
    except Exception as error:
        if isinstance(error, KubestageError) and not isinstance(error, _OF_THE_CODE):
            raise
        frames = traceback.extract_tb(error.__traceback__)
        named = ((_named(paths, frame.filename), frame.lineno) for frame in frames)
        places = [(path, line) for path, line in named if path is not None]
        # A call that does not fit a function's parameters fails outside of the file.
        if not places and (not paths or not isinstance(error, TypeError)):
            raise
        file, line = places[-1] if places else (paths[0], None)
        problem = f"{type(error).__name__}: {error}"
        raise InputError(problem, file=file, line=line) from error


def _named(paths: tuple[str, ...], file: str | None) -> str | None:
    """The path as the user wrote it, if the file is one of these."""
    if file is None:
        return None
    absolute = pathlib.Path(file).absolute()
    return next((path for path in paths if pathlib.Path(path).absolute() == absolute), None)
