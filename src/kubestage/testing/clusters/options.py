"""What a test may say about its cluster: the arguments of the marker, typed and checked."""

from __future__ import annotations

import difflib
import pathlib
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

import msgspec

from kubestage.errors import InputError
from kubestage.objects import timestamps
from kubestage.runs.inputs import node_shape

Pace = Literal["jump", "still"]
PACES: Final[tuple[Pace, ...]] = ("jump", "still")
PATIENCE_S: Final = 10.0
_START_FIX: Final = "write it as in 2026-01-01T00:00:00Z"


class ClusterOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What a cluster consists of, and how it works."""

    nodes: int | None = None
    """How many plain nodes there are, in three zones; by default 3, or none if manifests have
    nodes."""
    node: str = node_shape.DEFAULT
    """What a plain node has."""
    seed: int = 0
    """Names, uids and random durations follow from it."""
    manifests: tuple[Any, ...] = ()
    """Files, folders, YAML texts and dicts that are there from the start."""
    config: Any = None
    """The scheduler's configuration: a file, a YAML text or a dict."""
    plugins: tuple[Any, ...] = ()
    """Scheduler plugins: classes, or ``file.py:Class``."""
    start: str | None = None
    """When virtual time begins; by default 2026-01-01T00:00:00Z."""
    setting: Mapping[str, str] = {}
    """Settings of controllers and kubelets, as for ``--setting``."""
    pace: Pace = "jump"
    """Of a server: whether the clock jumps by itself through what clients bring about."""
    patience: float = PATIENCE_S
    """Of a server: for how many real seconds clients that react to something are waited for."""
    folder: str = ""
    """Where relative paths begin."""


NAMES: Final = tuple(each for each in ClusterOptions.__struct_fields__ if each != "folder")


def make(arguments: Mapping[str, Any], where: str, folder: str = "") -> ClusterOptions:
    """The options of keyword arguments; InputError that names the argument if one is wrong.

    `where` is who gives them, for messages.
    """
    for name in arguments:
        if name not in NAMES:
            raise _unknown(name, where)
    values = {name: value for name, value in arguments.items() if value is not None}
    for name, read in _READERS.items():
        if name in values:
            values[name] = read(values[name], f"{where}: {name}")
    return ClusterOptions(**values, folder=folder)


def _unknown(name: str, where: str) -> InputError:
    near = difflib.get_close_matches(name, NAMES, 1)
    fix = f"did you mean {near[0]}?" if near else f"there are {', '.join(NAMES)}"
    return InputError(f'there is no argument "{name}"', path=where, fix=fix)


def _count(value: Any, where: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise InputError(f"{value!r} is no number of nodes", path=where, fix="write it as 5")
    return value


def _seed(value: Any, where: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise InputError(f"{value!r} is no whole number", path=where, fix="write it as 7")
    return value


def _shape(value: Any, where: str) -> str:
    try:
        node_shape.parse(str(value))
    except InputError as error:
        raise InputError(error.problem, path=where, fix=error.fix) from None
    return str(value)


def _start(value: Any, where: str) -> str:
    try:
        return timestamps.format_time(timestamps.parse_time(str(value)))
    except ValueError:
        raise InputError(f'"{value}" is no time', path=where, fix=_START_FIX) from None


def _many(value: Any, where: str) -> tuple[Any, ...]:
    if isinstance(value, (str, bytes, Mapping, pathlib.Path, type)):
        return (value,)
    if not isinstance(value, Sequence):
        raise InputError(f"{value!r} is no list", path=where, fix="write it as [...]")
    return tuple(value)


def _setting(value: Any, where: str) -> Mapping[str, str]:
    if isinstance(value, Mapping):
        return {str(name): str(each) for name, each in value.items()}
    texts = [value] if isinstance(value, str) else list(value)
    found = {}
    for text in texts:
        name, equals, set_to = str(text).partition("=")
        if not equals:
            fix = 'write {"hpa.sync-period": "30s"}, or "hpa.sync-period=30s"'
            raise InputError(f'"{text}" is no setting', path=where, fix=fix)
        found[name.strip()] = set_to.strip()
    return found


def _pace(value: Any, where: str) -> Pace:
    if value not in PACES:
        raise InputError(f'"{value}" is no pace', path=where, fix="write jump or still")
    pace: Pace = value
    return pace


def _patience(value: Any, where: str) -> float:
    if not isinstance(value, (int, float)) or isinstance(value, bool) or value < 0:
        fix = "write a number of seconds, as in 10"
        raise InputError(f"{value!r} is no time to wait", path=where, fix=fix)
    return float(value)


_READERS: Final = {
    "nodes": _count,
    "node": _shape,
    "seed": _seed,
    "manifests": _many,
    "plugins": _many,
    "start": _start,
    "setting": _setting,
    "pace": _pace,
    "patience": _patience,
}
