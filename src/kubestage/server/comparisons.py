"""Comparisons of clusters of a server: each is computed once, until one of them goes on."""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.results.comparison.decisions import ComparedDecisions
    from kubestage.results.history.attempt_rows import AttemptRow

    _Ends = tuple[AttemptRow, ...]

_MOST: Final = 4


class Comparisons:
    """The comparisons that were requested last, the newest last."""

    def __init__(self) -> None:
        self._known: collections.deque[tuple[_Ends, _Ends, ComparedDecisions]] = collections.deque(
            maxlen=_MOST
        )

    def compare(self, left: Sequence[AttemptRow], right: Sequence[AttemptRow]) -> ComparedDecisions:
        """Compare the attempts of two clusters; may be called in any thread."""
        ends = _ends(left), _ends(right)
        for one, other, compared in tuple(self._known):
            if _are_same(one, ends[0]) and _are_same(other, ends[1]):
                return compared
        # Large, and few requests need it.
        from kubestage.results.comparison import decisions  # noqa: PLC0415

        compared = decisions.compare(left, right)
        self._known.append((*ends, compared))
        return compared


def _ends(rows: Sequence[AttemptRow]) -> _Ends:
    """Rows are added at the end and forgotten at the beginning: the ends say which they are."""
    return (rows[0], rows[-1]) if rows else ()


def _are_same(ones: _Ends, others: _Ends) -> bool:
    return len(ones) == len(others) and all(map(_is, ones, others))


def _is(one: AttemptRow, other: AttemptRow) -> bool:
    return one is other
