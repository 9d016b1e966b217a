"""Recorded decisions of a scheduler, as files: found, unpacked and checked for their shape."""

from __future__ import annotations

import os
import pathlib
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.aliases import Json
from kubestage.errors import InputError
from kubestage.files import reading

if TYPE_CHECKING:
    from collections.abc import Iterable

SUFFIXES: Final = (".json", ".json.gz")
_FIX: Final = "a case has objects and expected.attempts; docs/scheduler.md describes the format"


class _Metadata(msgspec.Struct):
    name: str
    namespace: str = ""


class _Object(msgspec.Struct, rename="camel"):
    api_version: str
    kind: str
    metadata: _Metadata


class _Attempt(msgspec.Struct):
    pod: str
    result: str


class _Expected(msgspec.Struct):
    attempts: list[_Attempt]
    order: list[str]


class _Case(msgspec.Struct, rename="camel"):
    objects: list[_Object]
    expected: _Expected
    name: str = ""
    category: str = ""
    pods: list[str] | None = None
    kube_scheduler_configuration: Json | None = None


def find(names: Iterable[str]) -> list[str]:
    """The files of these names; a directory stands for all cases in and below it, sorted."""
    found: list[str] = []
    for name in names:
        path = pathlib.Path(name)
        if not path.is_dir():
            if not path.exists():
                raise InputError("no such file or directory", file=name, fix="check the path")
            found.append(name)
            continue
        below = sorted(
            str(pathlib.Path(folder) / file)
            for folder, _, files in os.walk(path)
            for file in files
            if file.endswith(SUFFIXES)
        )
        if not below:
            raise InputError(
                f"no {' or '.join(SUFFIXES)} file in this directory",
                file=name,
                fix="name a directory that holds recorded cases, or a file",
            )
        found += below
    return found


def content(path: str) -> bytes:
    """What a file holds, unpacked."""
    return reading.unpacked(reading.read(path, may_stream=True), path)


def read(path: str, text: bytes) -> Json:
    """One case, checked so far that it can be replayed; its default name is that of its file."""
    try:
        case: Json = msgspec.json.decode(text, type=Json)
        checked = msgspec.convert(case, _Case)
    except msgspec.ValidationError as error:
        raise InputError(f"not a recorded case: {_plainly(error)}", file=path, fix=_FIX) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(f"not valid JSON: {error}", file=path, fix=_FIX) from None
    _check_pods(checked, path)
    return {**case, "name": checked.name or pathlib.Path(path).name, "category": checked.category}


def _check_pods(case: _Case, path: str) -> None:
    known = {
        f"{each.metadata.namespace}/{each.metadata.name}"
        for each in case.objects
        if each.kind == "Pod"
    }
    for pod in case.pods or ():
        if pod not in known:
            problem = f'not a recorded case: pods: "{pod}" is not among the objects'
            raise InputError(problem, file=path, fix="pods are called namespace/name")


def _plainly(error: msgspec.ValidationError) -> str:
    problem, _, place = str(error).replace("`", "").partition(" - at $.")
    problem = problem[0].lower() + problem[1:]
    return f"{place}: {problem}" if place else problem
