"""``-o custom-columns=NAME:.metadata.name,...``: a table of one's own, as kubectl prints it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.aliases import Json
from kubestage.errors import InputError
from kubestage.golang import formatting
from kubestage.objects import jsonpath
from kubestage.objects.tables import text
from kubestage.runs.inputs import relaxed_path

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


OPTION: Final = "-o custom-columns"
_FIX: Final = "write it as in NAME:.metadata.name,NODE:.spec.nodeName"
_MOST: Final = 250
_FILE_FIX: Final = "write headings on the first line and as many paths on the second"


class Column(msgspec.Struct, frozen=True):
    """A heading, and the path to what stands below it."""

    heading: str
    path: str


def of_spec(spec: str) -> list[Column]:
    """The columns that ``NAME:.metadata.name,NODE:.spec.nodeName`` asks for."""
    columns = []
    for part in spec.split(","):
        heading, colon, path = part.partition(":")
        if not colon:
            problem = f"unexpected custom-columns spec: {part}, expected <header>:<json-path-expr>"
            raise InputError(problem, path=OPTION, fix=_FIX)
        columns.append(Column(heading, _expression(path)))
    return _bounded(columns)


def of_file(content: str, name: str) -> list[Column]:
    """The columns of a file with a line of headings and a line of paths."""
    lines = content.splitlines()
    if len(lines) < 2:
        missing = "spec" if lines else "header"
        problem = f"invalid template, missing {missing} line"
        raise InputError(problem, file=name, fix=_FILE_FIX)
    headings, paths = lines[0].split(), lines[1].split()
    if len(headings) != len(paths):
        problem = (
            f"number of headers ({len(headings)}) and field specifications ({len(paths)}) "
            "don't match"
        )
        raise InputError(problem, file=name, fix=_FILE_FIX)
    pairs = zip(headings, paths, strict=True)
    return _bounded([Column(heading, _expression(path)) for heading, path in pairs])


def _bounded(columns: list[Column]) -> list[Column]:
    if len(columns) > _MOST:
        problem = f"has {len(columns):,} columns, and {_MOST} are the most"
        raise InputError(problem, path=OPTION, fix="name fewer")
    return columns


def _expression(path: str) -> str:
    """An empty path is one to nothing."""
    return relaxed_path.relaxed(path, OPTION) if path else ""


def render(columns: Sequence[Column], objects: Iterable[Json], *, no_headers: bool) -> str:
    """Headings, and a line for each object."""
    try:
        templates = [jsonpath.parse(each.path) for each in columns]
        rows = [[_cell(template, obj) for template in templates] for obj in objects]
    except jsonpath.JSONPathError as error:
        raise InputError(str(error), path=OPTION, fix=_FIX) from None
    if not no_headers:
        rows.insert(0, [each.heading for each in columns])
    # A tab or a line break within a value parts cells or lines, as it does for kubectl.
    lines = "\n".join("\t".join(row) for row in rows).split("\n") if rows else []
    aligned = text.align([line.split("\t") for line in lines], remembers=True)
    return "".join(f"{line}\n" for line in aligned)


def _cell(template: Any, obj: Json) -> str:
    found = jsonpath.find(template, obj)
    shown = [] if found and found[0] else ["<none>"]
    shown += [formatting.show(value) for values in found for value in values]
    return ",".join(shown).replace("\x1b", "^[").replace("\r", "\\r")
