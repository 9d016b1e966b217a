"""Texts that a person names on the command line: files, directories, stdin."""

from __future__ import annotations

import contextlib
import os
import pathlib
import sys
from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_KEPT_RUN: Final = {"run.json", "scenario.json"}
_KEPT_LIFE: Final = {"run.json", "life.json"}
SUFFIXES: Final = (".yaml", ".yml", ".json")
# Reading this much takes a second or more, so that a bar is worth its line.
_SLOW_BYTES: Final = 4_000_000


class Source(NamedTuple):
    """One text and the name by which messages call it."""

    name: str
    text: bytes


def read(names: Iterable[str]) -> Iterator[Source]:
    """Each text in the order given; a directory gives its manifests, sorted, with all below."""
    paths = [path for name in names for path in _paths(name)]
    for path in _with_progress(paths):
        if path == "-":
            yield Source("stdin", sys.stdin.buffer.read())
        else:
            yield Source(path, _read_file(path))


def _paths(name: str) -> list[str]:
    if name == "-":
        return [name]
    if "://" in name:
        raise InputError("addresses are not read", file=name, fix=f"fetch it first: curl -O {name}")
    path = pathlib.Path(name)
    if path.is_dir():
        return _manifests(path)
    if not path.exists() and "," in name:
        return [each for part in name.split(",") if part for each in _paths(part)]
    return [name]


def _manifests(directory: pathlib.Path) -> list[str]:
    def refuse(error: OSError) -> None:
        raise error

    found = []
    for folder, below, files in os.walk(directory, onerror=refuse):
        # A run that was kept is no manifest, though it is written as one.
        if set(files) >= _KEPT_LIFE:
            below.clear()
        elif not set(files) >= _KEPT_RUN:
            names = (file for file in files if file.endswith(SUFFIXES))
            found += [str(pathlib.Path(folder) / file) for file in names]
    if not found and all((directory / each).is_file() for each in _KEPT_LIFE):
        again = (
            f"to run it again: kubestage run {directory / 'inputs' / 'manifests.yaml'} --for ..."
        )
        raise InputError("is a run that was kept, not manifests", file=str(directory), fix=again)
    if not found and all((directory / each).is_file() for each in _KEPT_RUN):
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
        return pathlib.Path(path).read_bytes()
    except FileNotFoundError:
        raise InputError("no such file or directory", file=path, fix=_near(path)) from None


def _near(path: str) -> str:
    """A file beside the missing one whose name is like it."""
    import difflib

    wanted = pathlib.Path(path)
    by_stem: dict[str, pathlib.Path] = {}
    with contextlib.suppress(OSError):
        by_stem = {each.stem: each for each in wanted.parent.iterdir()}
    near = difflib.get_close_matches(wanted.stem, by_stem, n=1)
    return f"did you mean {by_stem[near[0]]}?" if near else "check the path"


def _with_progress(paths: list[str]) -> Iterable[str]:
    """The paths, with a bar on stderr if a person watches and the input is large."""
    sizes = [os.path.getsize(path) if os.path.isfile(path) else 0 for path in paths]
    if not sys.stderr.isatty() or sum(sizes) < _SLOW_BYTES:
        return paths
    return _bar(paths, sizes)


def _bar(paths: list[str], sizes: list[int]) -> Iterator[str]:
    from rich import console, progress

    columns = (
        progress.SpinnerColumn(),
        progress.TextColumn("{task.description}"),
        progress.BarColumn(),
        progress.DownloadColumn(),
    )
    with progress.Progress(*columns, console=console.Console(stderr=True), transient=True) as shown:
        task = shown.add_task("reading", total=sum(sizes))
        for path, size in zip(paths, sizes, strict=True):
            shown.update(task, description=f"reading {path}")
            yield path
            shown.advance(task, size)
