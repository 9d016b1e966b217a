"""What one query may use: characters, levels, operators, and samples."""

from __future__ import annotations

from typing import Final

from kubestage.errors import LimitExceeded
from kubestage.promql.query_errors import QueryError

LONGEST: Final = 1 << 16
# A query is read and evaluated by functions that call themselves.
DEEPEST: Final = 50
MOST_OPERATORS: Final = 250
# As many as a Prometheus loads for one query (--query.max-samples).
_MOST_HELD: Final = 50_000_000
# NOTE: windows overlap, and each may be read sample by sample: a billion takes seconds.
_MOST_READ: Final = 1_000_000_000

_MOST_LETTERS: Final = 10_000_000


class QueryLimitError(QueryError, LimitExceeded):
    """A query that needs more than it may."""


class Budget:
    """How many samples one evaluation may still make, and read."""

    __slots__ = ("_held", "_letters", "_read")

    def __init__(self) -> None:
        self._held = _MOST_HELD
        self._letters = _MOST_LETTERS
        self._read = _MOST_READ

    def hold(self, samples: int) -> None:
        """Make values."""
        self._held -= samples
        if self._held < 0:
            raise QueryLimitError(
                "query processing would load too many samples into memory in query execution"
            )

    def letters(self, count: int) -> None:
        """Make labels."""
        self._letters -= count
        if self._letters < 0:
            raise QueryLimitError(f"labels would have more than {_MOST_LETTERS:,} characters")

    def read(self, samples: int) -> None:
        """Read the samples of windows."""
        self._read -= samples
        if self._read < 0:
            raise QueryLimitError(f"query would read more than {_MOST_READ:,} samples")
