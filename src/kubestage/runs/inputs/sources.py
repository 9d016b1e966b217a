"""The texts of files, directories and stdin."""

from __future__ import annotations

import contextlib
import functools
import os
import pathlib
from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.errors import InputError
from kubestage.files import pinned, reading
from kubestage.files.writing import WRITING
from kubestage.runs.observer import SILENT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from kubestage.runs.observer import Observer

    Files = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]

_RUN_FILES: Final = {"run.json", "scenario.json"}
_LIVING_RUN_FILES: Final = {"run.json", "life.json"}
SUFFIXES: Final = (".yaml", ".yml", ".json")
# Reading this much takes a second or more.
_SLOW_BYTES: Final = 4_000_000


def file_names(files: Files) -> list[str]:
    """The names of one file or several."""
    names = [files] if isinstance(files, (str, os.PathLike)) else files
    return [os.fspath(each) for each in names]


class Source(NamedTuple):
    """One text and its name in messages."""

    name: str
    text: bytes


def read(names: Iterable[str], observer: Observer = SILENT) -> Iterator[Source]:
    """Each text in the order of names; of a directory its manifests, sorted, with all below."""
    paths = [path for name in names for path in _paths(name)]
    for path in _reported(paths, observer):
        if path == "-":
            yield Source("stdin", reading.read_stdin())
        else:
            yield Source(path, _read_file(path))


def _paths(name: str) -> list[str]:
    if name == "-":
        return [name]
    if "://" in name:
        raise InputError("addresses are not read", file=name, fix=f"fetch it first: curl -O {name}")
    path = pathlib.Path(name)
    if reading.is_directory(path):
        files = pinned.current()
        found = functools.partial(_manifests, path)
        return found() if files is None else files.listing(name, found)
    if not reading.exists(path) and "," in name:
        return [each for part in name.split(",") if part for each in _paths(part)]
    return [name]


def _manifests(directory: pathlib.Path) -> list[str]:
    def refuse(error: OSError) -> None:
        raise error

    found = []
    for folder, below, files in os.walk(directory, onerror=refuse):
        # What another process is writing there is not whole, and its files are here already.
        below[:] = (name for name in below if not name.startswith(WRITING))
        # A run directory has no manifests, though its files look like some.
        if set(files) >= _LIVING_RUN_FILES:
            below.clear()
        elif not set(files) >= _RUN_FILES:
            names = (
                file for file in files if file.endswith(SUFFIXES) and not file.startswith(WRITING)
            )
            found += [str(pathlib.Path(folder) / file) for file in names]
    if not found and all((directory / each).is_file() for each in _LIVING_RUN_FILES):
        again = (
            f"to run it again: kubestage run {directory / 'inputs' / 'manifests.yaml'} --for ..."
        )
        raise InputError("is a run that was kept, not manifests", file=str(directory), fix=again)
    if not found and all((directory / each).is_file() for each in _RUN_FILES):
        again = f"to run its Scenario again: kubestage run {directory / 'scenario.json'}"
        raise InputError("is a run that was kept, not manifests", file=str(directory), fix=again)
    if not found:
        raise InputError(
            f"no {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]} file in this directory",
            file=str(directory),
            fix="name a directory that holds manifests, or a file",
        )
    return sorted(found)


def _read_file(path: str) -> bytes:
    try:
        return reading.read(path, may_stream=True)
    except FileNotFoundError:
        raise InputError("no such file or directory", file=path, fix=_near(path)) from None


def _near(path: str) -> str:
    """A file beside the missing one whose name is like it."""
    import difflib

    missing = pathlib.Path(path)
    by_stem: dict[str, pathlib.Path] = {}
    with contextlib.suppress(OSError):
        by_stem = {each.stem: each for each in missing.parent.iterdir()}
    near = difflib.get_close_matches(missing.stem, by_stem, n=1)
    return f"did you mean {by_stem[near[0]]}?" if near else "check the path"


def _reported(paths: list[str], observer: Observer) -> Iterator[str]:
    """The paths; the observer sees how much of them is read."""
    sizes = [os.path.getsize(path) if os.path.isfile(path) else 0 for path in paths]
    done = 0
    with observer.progress("reading", sum(sizes), noticeable=_SLOW_BYTES, in_bytes=True) as advance:
        for path, size in zip(paths, sizes, strict=True):
            advance(done, f"reading {path}")
            yield path
            done += size
            advance(done)
