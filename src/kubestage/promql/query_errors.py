"""What is wrong with a query, and where in its text."""

from __future__ import annotations

from kubestage.errors import InputError


class QueryError(InputError):
    """A query that cannot be read or answered; `path` is its line and column."""


class UnknownFunctionError(QueryError):
    """A query that calls a function which is not known here; a newer Prometheus may have it."""


def error_at(
    text: str,
    position: int,
    problem: str,
    fix: str | None = None,
    kind: type[QueryError] = QueryError,
) -> QueryError:
    """An error at a character of a query."""
    line = text.count("\n", 0, position) + 1
    column = position - (text.rfind("\n", 0, position) + 1) + 1
    return kind(problem, path=f"{line}:{column}", fix=fix)
