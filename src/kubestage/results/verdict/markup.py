"""Markdown in which nothing of the data is markup."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

_MARKUP: Final = re.compile(r"[\\|<>*`\[\]@~]|(?<!\w)_|_(?!\w)|&(?=[#\w]+;)")
_FULL: Final = "█"
_EMPTY: Final = "░"
BAR_CELLS: Final = 10


def escaped(text: str) -> str:
    """Text in which nothing is markup: ``<none>`` would be a tag, and ``@name`` call someone."""
    return _MARKUP.sub(r"\\\g<0>", " ".join(text.split()))


def row(cells: Sequence[str]) -> str:
    """A row of a table; the cells are Markdown."""
    return f"| {' | '.join(cells)} |"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table; the cells are Markdown."""
    return "\n".join([row(head), row(["---"] * len(head)), *(row(each) for each in rows)])


def details(summary: str, body: str) -> str:
    """A part that is folded until a reader opens it."""
    return f"<details><summary>{escaped(summary)}</summary>\n\n{body}\n\n</details>"


def bar(share: float | None, cells: int = BAR_CELLS) -> str:
    """``███████░░░``: a share as a small picture; empty if it is not known."""
    if share is None:
        return ""
    full = min(max(round(share * cells), 1 if share > 0 else 0), cells)
    return _FULL * full + _EMPTY * (cells - full)
