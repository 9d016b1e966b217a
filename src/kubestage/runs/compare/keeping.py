"""Which runs were compared, as a directory says it: ``comparison.json``."""

from __future__ import annotations

import os
import pathlib
from typing import TYPE_CHECKING, Final

import msgspec

import kubestage
from kubestage.errors import InputError
from kubestage.files import reading, writing
from kubestage.results import run_place
from kubestage.runs.compare import names

if TYPE_CHECKING:
    from collections.abc import Sequence

COMPARISON: Final = "comparison.json"


class KeptName(msgspec.Struct, frozen=True):
    """A run that was compared: its name in tables, and its directory from this one."""

    name: str
    path: str


class KeptComparison(msgspec.Struct, frozen=True):
    """The file."""

    version: str
    runs: list[KeptName]


def name_runs(place: pathlib.Path, paths: Sequence[str]) -> None:
    """Say that runs were compared which are kept elsewhere."""
    directories = [names.directory(each) for each in paths]
    short = names.short(directories)
    for path in directories:
        if not pathlib.Path(path).is_dir():
            fix = "run it with --out DIR, and compare DIR"
            raise InputError("is not a directory, and cannot be opened", file=path, fix=fix)
    write(
        place, [(name, pathlib.Path(path)) for name, path in zip(short, directories, strict=True)]
    )


def write(place: pathlib.Path, runs: Sequence[tuple[str, pathlib.Path]]) -> None:
    """Say which runs were compared; the first is the one that the others are measured by."""
    named = [KeptName(name, os.path.relpath(path, place)) for name, path in runs]
    text = msgspec.json.encode(KeptComparison(kubestage.__version__, named))
    refuse(place)
    place.mkdir(parents=True, exist_ok=True)
    writing.write(place / COMPARISON, msgspec.json.format(text, indent=2) + b"\n")


def refuse(place: pathlib.Path) -> None:
    """InputError if a comparison cannot be written here without harm to others."""
    if place.exists() and not place.is_dir():
        raise InputError("is a file", file=str(place), path="--out", fix="name a directory")
    if run_place.is_run(place):
        fix = "name another directory, new or empty"
        raise InputError("is a run itself", file=str(place), path="--out", fix=fix)


def runs_of(place: pathlib.Path) -> list[tuple[str, pathlib.Path]]:
    """The runs that were compared: names and directories."""
    file = place / COMPARISON
    try:
        kept = msgspec.json.decode(reading.read(file), type=KeptComparison)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        problem = f"does not say what was compared: {error}"
        raise InputError(problem, file=str(file), fix="compare again with --out") from None
    return [(each.name, (place / each.path).resolve()) for each in kept.runs]
