"""What is wrong with a query, and where in its text."""

from __future__ import annotations

from kubestage.errors import InputError


class QueryError(InputError):
    """A query that cannot be read or answered; `path` is its line and column."""


def error_at(text: str, position: int, problem: str, fix: str | None = None) -> QueryError:
    """An error at a character of a query."""
    line = text.count("\n", 0, position) + 1
    column = position - (text.rfind("\n", 0, position) + 1) + 1
    return QueryError(problem, path=f"{line}:{column}", fix=fix)
