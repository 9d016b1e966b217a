"""How results show themselves in a notebook: as HTML, and as pandas data.

A result says what its main table is; it gets the rest from `TableResult`::

    class RunResult(TableResult, msgspec.Struct, frozen=True, kw_only=True):
        placements: list[Placement]

        def table(self) -> Table: ...
"""

from __future__ import annotations

import abc
import html
from typing import TYPE_CHECKING, Any, Final, Protocol, runtime_checkable

from kubestage.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pandas as pd

    from kubestage.results.analysis.table import Table

_MOST_ROWS: Final = 100


@runtime_checkable
class NotebookResult(Protocol):
    """What every result of `kubestage.runs` offers to a notebook."""

    def _repr_html_(self) -> str:
        """The result as Jupyter shows it."""

    def to_pandas(self) -> pd.DataFrame:
        """The result's main table as pandas data."""


class TableResult:
    """A result whose main part is a table."""

    __slots__ = ()

    @abc.abstractmethod
    def table(self) -> Table:
        """The rows that a notebook shows."""

    def headline(self) -> str:
        """One line above the table; empty if there is nothing to add."""
        return ""

    def to_pandas(self) -> pd.DataFrame:
        """The table as pandas data; needs pandas."""
        return to_pandas(self.table())

    def _repr_html_(self) -> str:
        return to_html(self.table(), self.headline())


def to_pandas(table: Table) -> pd.DataFrame:
    """A table as pandas data; InputError if pandas is not installed."""
    try:
        import pandas as pd
    except ImportError:
        fix = "pip install 'kubestage[notebook]'"
        raise InputError("pandas is not installed", fix=fix) from None
    return pd.DataFrame(table.rows, columns=list(table.names))


def to_html(table: Table, headline: str = "") -> str:
    """A table as HTML; its first hundred rows, and how many there are."""
    shown = table.rows[:_MOST_ROWS]
    parts = [f"<p>{html.escape(headline)}</p>"] if headline else []
    parts += ["<table>", "<thead>", _row(table.names, "th"), "</thead>", "<tbody>"]
    parts += [_row(row, "td") for row in shown]
    parts += ["</tbody>", "</table>"]
    if len(table.rows) > len(shown):
        parts.append(f"<p>{len(shown)} of {len(table.rows)} rows</p>")
    return "\n".join(parts)


def _row(values: Iterable[Any], cell: str) -> str:
    cells = "".join(f"<{cell}>{_text(value)}</{cell}>" for value in values)
    return f"<tr>{cells}</tr>"


def _text(value: Any) -> str:
    if value is None:
        return ""
    return html.escape(f"{value:g}" if isinstance(value, float) else str(value))
