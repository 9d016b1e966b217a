"""Objects as a test hands them over: files, folders, YAML texts, dicts, or lists of those."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from kubestage.errors import InputError
from kubestage.runs.inputs import manifests, sources, stage_inputs
from kubestage.runs.inputs.sources import Source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.runs.inputs.manifests import LoadedManifests


def load(items: tuple[Any, ...], folder: str, where: str) -> LoadedManifests:
    """All that a test hands over, each object with its place for messages."""
    loaded = manifests.load_sources(_sources(items, folder, where))
    if loaded.problems:
        raise loaded.problems[0]
    return loaded


def objects(items: tuple[Any, ...], folder: str, where: str) -> list[Json]:
    """The same as objects that can be applied; a misspelt field is an InputError at its place."""
    loaded = load(items, folder, where)
    stage_inputs.refuse_actions(loaded)
    for document in loaded.documents:
        stage_inputs.check_fields(loaded, document)
    return [document.object for document in loaded.documents]


def is_path(item: Any) -> bool:
    """Whether a file is meant, and no text."""
    if isinstance(item, os.PathLike):
        return True
    return isinstance(item, str) and "\n" not in item and not item.lstrip().startswith("{")


def path_of(path: Any, folder: str) -> str:
    """A path from where the test is, if it is relative and lies there; else as it is written."""
    below = pathlib.Path(folder or ".") / path
    return str(below) if below.exists() else os.fspath(path)


def _sources(items: tuple[Any, ...], folder: str, where: str) -> Iterator[Source]:
    for at, each in enumerate(_flat(items)):
        name = f"{where}[{at}]"
        if is_path(each):
            yield from sources.read([path_of(each, folder)])
        elif isinstance(each, Mapping):
            yield Source(name, msgspec.json.encode(each))
        elif isinstance(each, (str, bytes)):
            yield Source(name, each.encode() if isinstance(each, str) else each)
        else:
            fix = "give a path, a YAML text or a dict"
            raise InputError(f"{type(each).__name__} is no manifest", path=name, fix=fix)


def _flat(items: tuple[Any, ...]) -> Iterator[Any]:
    for each in items:
        if isinstance(each, (list, tuple)):
            yield from _flat(tuple(each))
        else:
            yield each
