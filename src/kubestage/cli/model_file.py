"""A simulation model that a person wrote in a Python file."""

from __future__ import annotations

import contextlib
import importlib.util
import pathlib
import sys
import traceback
from typing import TYPE_CHECKING, NamedTuple

from kubestage.errors import InputError, KubestageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kubestage.sim import Environment, Streams

_EXPECTED = "the file needs a function like: def build(environment, streams): ..."


class ModelFile(NamedTuple):
    """The function that puts a model into an Environment, and the file it came from."""

    path: str
    build: Callable[[Environment, Streams], object]


def load(text: str) -> ModelFile:
    """Read ``FILE.py`` or ``FILE.py:NAME``, where NAME is ``build`` unless given."""
    path, name = _split(text)
    if not pathlib.Path(path).is_file():
        raise InputError("no such file", file=path)
    module_name = f"kubestage_model_{pathlib.Path(path).stem}"
    spec = importlib.util.spec_from_file_location(module_name, path)
    if spec is None or spec.loader is None:
        raise InputError("is no Python file", file=path, fix=_EXPECTED)
    module = importlib.util.module_from_spec(spec)
    # Pickle, and so a fork, finds the model's classes by the name of their module.
    sys.modules[module_name] = module
    with blaming(path), _importing_from(pathlib.Path(path).resolve().parent):
        spec.loader.exec_module(module)
    build = getattr(module, name, None)
    if not callable(build):
        raise InputError(f"has no function {name}", file=path, fix=_EXPECTED)
    return ModelFile(path, build)


@contextlib.contextmanager
def blaming(path: str) -> Iterator[None]:
    """Report an error in the person's own code at its line in the file, without a traceback."""
    try:
        yield
    except KubestageError:
        raise
    except SyntaxError as error:
        raise InputError(f"SyntaxError: {error.msg}", file=path, line=error.lineno) from error
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        lines = [each.lineno for each in frames if pathlib.Path(each.filename) == _absolute(path)]
        problem = f"{type(error).__name__}: {error}"
        raise InputError(problem, file=path, line=lines[-1] if lines else None) from error


def _split(text: str) -> tuple[str, str]:
    path, colon, name = text.rpartition(":")
    return (path, name) if colon and name.isidentifier() else (text, "build")


def _absolute(path: str) -> pathlib.Path:
    return pathlib.Path(path).absolute()


@contextlib.contextmanager
def _importing_from(folder: pathlib.Path) -> Iterator[None]:
    """Let the file import its neighbours, as it could if it were run by itself."""
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))
