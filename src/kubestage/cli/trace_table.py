"""Movements as a table on stdout, however many there are."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Annotated

from kubestage.cli import screen
from kubestage.runs.flags import Flag

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from kubestage.results.trace import TraceRow

Kind = Annotated[str | None, Flag("Print this movement only.", "--kind", metavar="KIND")]
Entity = Annotated[str | None, Flag("Print this entity only.", "--entity", metavar="NAME")]
Stock = Annotated[
    str | None,
    Flag("Print movements from or to this stock only.", "--stock", metavar="NAME"),
]


def print_trace(columns: Sequence[str], read: Callable[[], Iterable[TraceRow]]) -> int:
    """Print the movements that `read` yields, and return how many there are."""
    from kubestage.results import trace

    return print_table(columns, lambda: map(trace.format_row, read()))


def print_table(columns: Sequence[str], read: Callable[[], Iterable[Sequence[str]]]) -> int:
    """Print rows below their columns, and return how many there are."""
    # Read twice: once for the widths and once to print, so that no length of trace fills memory.
    widths = [len(column) for column in columns]
    count = 0
    for row in read():
        widths = list(map(max, widths, (len(screen.safe(cell)) for cell in row)))
        count += 1
    for row in itertools.chain([[column.upper() for column in columns]], read()):
        line = "   ".join(map(str.ljust, map(screen.safe, row), widths))
        screen.write(line.rstrip() + "\n")
    return count
