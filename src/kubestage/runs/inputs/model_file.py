"""A simulation model that a person wrote in a Python file."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from kubestage.errors import InputError
from kubestage.runs.inputs import python_file

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.sim import Environment, Streams

_EXPECTED = "the file needs a function like: def build(environment, streams): ..."


class ModelFile(NamedTuple):
    """The function that puts a model into an Environment, and the file it came from."""

    path: str
    build: Callable[[Environment, Streams], object]


def load(text: str) -> ModelFile:
    """Read ``FILE.py`` or ``FILE.py:NAME``, where NAME is ``build`` unless given."""
    path, name = _split(text)
    module = python_file.load(path, "kubestage_model", _EXPECTED)
    build = getattr(module, name, None)
    if not callable(build):
        raise InputError(f"has no function {name}", file=path, fix=_EXPECTED)
    return ModelFile(path, build)


def _split(text: str) -> tuple[str, str]:
    path, colon, name = text.rpartition(":")
    return (path, name) if colon and name.isidentifier() else (text, "build")
