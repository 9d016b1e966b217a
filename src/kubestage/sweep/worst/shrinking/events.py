"""Fewer events: delta debugging, large parts first."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.sweep.worst.case import Case


_MOST_IN_PAIRS: Final = 12
"""Among more events there are too many pairs."""


def candidates(case: Case) -> Iterator[Case]:
    """The case without each half of its events, each quarter, and so on down to single events, then
    without two of them: a node, and the pod that fills it.

    What happens to an object whose creation is left out is left out, too.
    """
    total = len(case.events)
    size = total // 2
    while size >= 1:
        # The last events first: nothing depends on them.
        for end in range(total, 0, -size):
            yield case.without(range(max(end - size, 0), end))
        size //= 2
    if total <= _MOST_IN_PAIRS:
        yield from (case.without(pair) for pair in itertools.combinations(range(total), 2))
