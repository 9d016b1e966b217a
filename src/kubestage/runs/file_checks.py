"""Checks of files that are not manifests, each with the code of the command that reads it."""

from __future__ import annotations

import dataclasses
import pathlib
import random
import re
from typing import TYPE_CHECKING, Final

from kubestage.errors import InputError
from kubestage.files import reading
from kubestage.runs.inputs import file_kinds
from kubestage.runs.inputs.file_kinds import FileKind

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kubestage.runs.inputs.sources import Source

_STDIN: Final = "stdin"
_ACTION: Final = re.compile(r"\{\{.*?\}\}")
_FIX: Final = "save it in a file: it is read together with files beside it"


@dataclasses.dataclass(slots=True)
class Found:
    """What is wrong with a file, what is only odd, and the files that were checked with it."""

    problems: list[InputError] = dataclasses.field(default_factory=list)
    warnings: list[InputError] = dataclasses.field(default_factory=list)
    seen: set[pathlib.Path] = dataclasses.field(default_factory=set)


def check(kind: FileKind, source: Source, plugins: Sequence[str]) -> Found:
    """Check a file of a kind; `plugins` are those of the user's own that profiles may enable."""
    found = Found()
    try:
        text = _text(kind, source)
        checker = _CHECKS.get(kind)
        if checker is None:
            found.problems.append(file_kinds.refusal(kind, source.name))
        else:
            checker(text, source.name, plugins, found)
    except InputError as error:
        error.file = error.file or source.name
        found.problems += getattr(error, "problems", None) or [error]
    for each in found.problems:
        each.line = each.line or _line(each)
    return found


def _text(kind: FileKind, source: Source) -> str:
    if kind is FileKind.TRACE:
        from kubestage.runs.inputs import traffic_files

        return traffic_files.text_of(source.text, source.name)
    try:
        return source.text.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError("is no UTF-8 text") from None


def _scheduler(text: str, name: str, plugins: Sequence[str], found: Found) -> None:
    from kubestage.runs.inputs import config_file, plugin_files
    from kubestage.scheduler import config

    try:
        read = config.load(text, name, read_policy=config_file.read_policy)
        points = {
            each: config.points_of(plugin)
            for each, plugin in plugin_files.load(plugins, read).items()
        }
        config.complete(read, points)
    except config.ConfigError as error:
        found.problems += config_file.problems(error, text, name)


def _load(text: str, name: str, plugins: Sequence[str], found: Found) -> None:
    from kubestage.runs.load import load_test, measurement_files
    from kubestage.runs.load.options import NODES, LoadOptions

    del text, plugins
    if name == _STDIN:
        raise InputError("a load is not read from stdin", fix=_FIX)
    registry = measurement_files.registry(())
    for test in load_test.find([name]):
        try:
            options, rng = LoadOptions(), random.Random(0)
            loaded = load_test.load(test, options, NODES, registry, rng, found.seen)
        except InputError as error:
            found.problems += getattr(error, "problems", None) or [error]
        else:
            found.warnings += [InputError(each) for each in loaded.warnings]


def _module(text: str, name: str, plugins: Sequence[str], found: Found) -> None:
    """Whether it can be filled in; what with is known to the load that names it."""
    from kubestage.clusterloader.templating.templates import Templates
    from kubestage.runs.load import source_files

    del text, plugins, found
    if name == _STDIN:
        raise InputError("a template is not read from stdin", fix=_FIX)
    files, own = source_files.beside(pathlib.Path(name))
    Templates(files, random.Random(0)).check(own, is_module=True)


def _overrides(text: str, name: str, plugins: Sequence[str], found: Found) -> None:
    from kubestage.clusterloader.reading import variables

    del plugins, found
    variables.mapping(1, "", {}, [(name, text)])


def _control_plane(text: str, name: str, plugins: Sequence[str], found: Found) -> None:
    from kubestage.cluster import profile_files

    del plugins, found
    profile_files.load(text, name)


def _simulator(text: str, name: str, plugins: Sequence[str], found: Found) -> None:
    from kubestage.scenario import kss_input, resource

    del plugins
    imported = kss_input.load(text.encode(), name, "imported")
    found.problems += [_in(name, each) for each in resource.problems(imported.scenario)]
    found.warnings += [InputError(each, file=name) for each in imported.notes]


def _trace(text: str, name: str, plugins: Sequence[str], found: Found) -> None:
    from kubestage.objects import request_traces

    del name, plugins, found
    request_traces.read(text)


def _usage(text: str, name: str, plugins: Sequence[str], found: Found) -> None:
    from kubestage.backtesting import csv_reading

    del plugins, found
    csv_reading.read(text, name)


def _prices(text: str, name: str, plugins: Sequence[str], found: Found) -> None:
    from kubestage.runs.inputs import price_files

    del plugins
    notes: list[str] = []
    price_files.parse(text, name, notes)
    found.warnings += [InputError(each) for each in notes]


_CHECKS: Final[dict[FileKind, Callable[[str, str, Sequence[str], Found], None]]] = {
    FileKind.SCHEDULER: _scheduler,
    FileKind.LOAD: _load,
    FileKind.SUITE: _load,
    FileKind.MODULE: _module,
    FileKind.OVERRIDES: _overrides,
    FileKind.CONTROL_PLANE: _control_plane,
    FileKind.EXPORT: _simulator,
    FileKind.RECORDING: _simulator,
    FileKind.TRACE: _trace,
    FileKind.USAGE: _usage,
    FileKind.PRICES: _prices,
}


def _in(name: str, error: InputError) -> InputError:
    error.file = error.file or name
    return error


def _line(error: InputError) -> int | None:
    """The line of a path in a file that may have templates in it, as near as possible."""
    from kubestage.objects import locator

    if error.file is None or not error.path or not pathlib.Path(error.file).is_file():
        return None
    text = reading.read(error.file).decode(errors="replace")
    lines = [_plain(line) for line in text.splitlines()]
    return locator.Locator("\n".join(lines)).line_at(0, error.path)


def _plain(line: str) -> str:
    """A line without its directives, so that what is left is YAML; nothing if there is no more."""
    bare = _ACTION.sub("", line)
    return "" if not bare.strip() else _ACTION.sub("x", line)
