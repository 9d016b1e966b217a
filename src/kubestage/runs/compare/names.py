"""The shortest distinct names of the runs that are compared."""

from __future__ import annotations

import collections
import pathlib
from typing import TYPE_CHECKING

from kubestage.errors import InputError
from kubestage.results import run_directory

if TYPE_CHECKING:
    from collections.abc import Sequence


def directory(path: str) -> str:
    """Where a run is, without the file that every run is in."""
    place = pathlib.Path(path)
    return str(place.parent) if place.name == run_directory.SCENARIO else path


def short(paths: Sequence[str]) -> list[str]:
    """The last part of each path, if these are distinct; a repeated path has a number."""
    distinct = list(dict.fromkeys(paths))
    forms = (_stem, _last, str)
    form = next(each for each in forms if len({each(path) for path in distinct}) == len(distinct))
    seen: collections.Counter[str] = collections.Counter()
    names = []
    for path in paths:
        seen[path] += 1
        names.append(form(path) if seen[path] == 1 else f"{form(path)} ({seen[path]})")
    return names


def _stem(path: str) -> str:
    return pathlib.Path(path).stem or path


def _last(path: str) -> str:
    return pathlib.Path(path).name or path


def pairs(names: Sequence[str], between: tuple[str, str] | None) -> list[tuple[int, int]]:
    """The pairs of runs to compare pod by pod, by position."""
    if between is None:
        return [(0, at) for at in range(1, len(names))]
    first, second = (_position(names, each) for each in between)
    return [(first, second)]


def _position(names: Sequence[str], name: str) -> int:
    if name in names:
        return names.index(name)
    if name.isdecimal() and 1 <= int(name) <= len(names):
        return int(name) - 1
    known = ", ".join(f"{at} {each}" for at, each in enumerate(names, 1))
    raise InputError(f'there is no run "{name}"', path="--between", fix=f"there are {known}")
