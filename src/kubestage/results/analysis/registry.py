"""The tables of a Scenario's run, each declared where it is computed.

``kubestage analyze`` and its help, the report, the server and the charts read `TABLES`. To add a
table, write a function from a digest to rows in a module of this package and declare it with
`table`; its chart, if it has one, is a function in `results.charts`.
"""

from __future__ import annotations

import dataclasses
import difflib
import functools
from typing import TYPE_CHECKING, Any, Final

from kubestage.errors import InputError
from kubestage.results.analysis.digest import digest
from kubestage.results.analysis.table import Table
from kubestage.results.charts import libraries

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from altair.typing import ChartType

    from kubestage.results.analysis.digest import Digest, Run
    from kubestage.results.analysis.table import Column

    Rows = Iterable[tuple[Any, ...]]


def _always(_: Digest) -> bool:
    return True


def _not_listed(_: Run) -> Table:
    raise AssertionError("`table` sets what computes a RunTable when it lists it")


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class RunChart:
    """A chart of a run."""

    name: str
    """The name of its file, and of its place in the report."""

    function: Callable[[], Callable[[Digest], ChartType]]
    """Gives the function that draws it: its libraries are loaded with the first chart."""

    order: int
    """Charts are listed by this number."""

    is_recorded: Callable[[Digest], bool] = _always
    """Whether the run has what the chart needs."""

    has_content: Callable[[Digest], bool] = _always
    """Whether there is anything to see; the report leaves out a chart without."""

    def draw(self, run: Run) -> ChartType:
        """Draw it; InputError if the libraries that draw are not installed."""
        libraries.require()
        return self.function()(digest(run))


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class RunTable:
    """The declaration of a table: its name, what is in it, and how it is shown."""

    name: str
    """The word for it on the command line and in the API."""

    title: str
    """Its heading."""

    about: str
    """One line for help and completion."""

    row: str
    """What one row is about."""

    columns: tuple[Column, ...]

    order: int
    """Tables are listed by this number."""

    narrow: tuple[str, ...] = ()
    """The columns for a terminal, if all of them are too wide."""

    empty: str = "Nothing happened in this run."
    """The sentence to show if there is no row."""

    is_by_step: bool = False
    """Whether each row is a state at the end of a step."""

    chart: RunChart | None = None

    compute: Callable[[Run], Table] = _not_listed
    """The table of a run; `table` sets it."""


TABLES: Final[dict[str, RunTable]] = {}
"""Every table by its name, in the order in which they are listed."""


def add(declared: RunTable) -> None:
    """List a table."""
    TABLES[declared.name] = declared
    listed = sorted(TABLES.values(), key=lambda each: each.order)
    TABLES.clear()
    TABLES.update((each.name, each) for each in listed)


def table(declared: RunTable) -> Callable[[Callable[[Digest], Rows]], Callable[[Run], Table]]:
    """Declare the function that it decorates as the rows of a table, and list the table.

    The function takes a digest and gives rows; decorated, it takes a Scenario, its status or a
    digest, and gives the `Table`.
    """

    def decorate(rows: Callable[[Digest], Rows]) -> Callable[[Run], Table]:
        @functools.wraps(rows)
        def compute(run: Run) -> Table:
            return Table(declared.columns, list(rows(digest(run))))

        add(dataclasses.replace(declared, compute=compute))
        return compute

    return decorate


def compute(run: Run, name: str) -> Table:
    """The table of this name, of a Scenario, its status or a digest."""
    if name not in TABLES:
        near = difflib.get_close_matches(name, TABLES, n=1)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(TABLES)}"
        raise InputError(f'there is no table "{name}"', fix=hint)
    return TABLES[name].compute(run)


def charts(run: Digest) -> list[RunChart]:
    """The charts that can be drawn of a run, in order."""
    found = (each.chart for each in TABLES.values() if each.chart is not None)
    return sorted((each for each in found if each.is_recorded(run)), key=lambda each: each.order)
