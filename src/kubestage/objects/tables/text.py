"""A table as kubectl prints it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from kubestage.golang import formatting
from kubestage.objects.tables import cells

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kubestage.objects.tables.cells import Cell
    from kubestage.objects.tables.columns import Column, Row

_NARROWEST: Final = 6
_PADDING: Final = 3
# Alignment calls itself for each column.
_MOST_CELLS: Final = 300
_LINE_BREAK: Final = re.compile("[\f\n\r]")


def render(
    columns: Sequence[Column],
    rows: Iterable[Row],
    wide: bool = False,
    with_namespace: bool = False,
    no_headers: bool = False,
    kind: str = "",
) -> str:
    """Header and rows in aligned columns; nothing at all for no rows.

    `kind` (``pod``, ``deployment.apps``) is set before each name, as kubectl does when it prints
    several kinds.
    """
    shown = [index for index, column in enumerate(columns) if wide or column.priority == 0]
    names = [place for place, index in enumerate(shown) if columns[index].format == "name"]
    lines: list[list[str]] = []
    for row in rows:
        line = [_cell(row.cells[index]) for index in shown if index < len(row.cells)]
        if kind and names:
            line[names[0]] = f"{kind}/{line[names[0]]}"
        if with_namespace:
            line.insert(0, cells.text(row.object, "metadata", "namespace"))
        lines.append("\t".join(line).split("\t"))
    if not lines:
        return ""
    if not no_headers:
        header = [columns[index].name.upper() for index in shown]
        lines.insert(0, ["NAMESPACE", *header] if with_namespace else header)
    return "".join(f"{line}\n" for line in align(lines, remembers=True))


def _cell(value: Cell) -> str:
    """One line of harmless text."""
    if value is None:
        return ""
    if not isinstance(value, str):
        return formatting.show(value)
    first, *rest = _LINE_BREAK.split(value, maxsplit=1)
    return (f"{first}..." if rest else first).replace("\x1b", "^[")


def align(lines: Sequence[Sequence[str]], *, remembers: bool = False) -> list[str]:
    """Lines of cells padded to columns; the last cell of a line belongs to no column.

    A column is as wide as its widest cell within a run of lines that have it, as in elastic
    tabstops. If it `remembers`, as kubectl does, it is never narrower than in the runs above.
    """
    written: list[str] = []
    lines = [_cut(line) for line in lines]
    _align(lines, (0, len(lines)), [], {} if remembers else None, written)
    return written


def _cut(line: Sequence[str]) -> Sequence[str]:
    """A line of no more cells than there can be columns: a value may have any number of tabs."""
    if len(line) <= _MOST_CELLS:
        return line
    return [*line[: _MOST_CELLS - 1], "\t".join(line[_MOST_CELLS - 1 :])]


def _align(
    lines: Sequence[Sequence[str]],
    run: tuple[int, int],
    widths: list[int],
    remembered: dict[int, int] | None,
    written: list[str],
) -> None:
    column = len(widths)
    start, end = run
    at = start
    while at < end:
        if column >= len(lines[at]) - 1:
            at += 1
            continue
        _write(lines[start:at], widths, written)
        start = at
        while at < end and column < len(lines[at]) - 1:
            at += 1
        widest = max(len(line[column]) for line in lines[start:at])
        width = max(_NARROWEST, widest + _PADDING)
        if remembered is not None:
            width = remembered[column] = max(width, remembered.get(column, 0))
        _align(lines, (start, at), [*widths, width], remembered, written)
        start = at
    _write(lines[start:end], widths, written)


def _write(lines: Sequence[Sequence[str]], widths: list[int], written: list[str]) -> None:
    for line in lines:
        padded = [
            cell.ljust(widths[index]) if index < len(widths) else cell
            for index, cell in enumerate(line)
        ]
        written.append("".join(padded))
