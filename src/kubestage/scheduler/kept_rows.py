"""Which rows of columns are the same in those that follow them, after nodes came or went."""

from __future__ import annotations

import dataclasses
import itertools
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from kubestage.scheduler.arrays import Ints


@dataclasses.dataclass(slots=True)
class KeptRows:
    """Rows whose node and pods are as they were, before and after, and all `others` after.

    Those after are in order. `names` are the nodes of all rows after, `row_of` their rows.

    NOTE: in a cluster of 10,000 pods, to count them all again takes 40 ms, and an upgrade does that
    twice for each node (benchmarks/rehearse.py).
    """

    names: list[str]
    row_of: dict[str, int]
    before: Ints
    after: Ints
    others: list[int]

    def drop(self, row: int) -> None:
        """Keep a row no longer."""
        place = int(np.searchsorted(self.after, row))
        if place < len(self.after) and self.after[place] == row:
            self.before = np.delete(self.before, place)
            self.after = np.delete(self.after, place)
            self.others.append(row)


def find(earlier: Mapping[str, int], names: list[str], changed: Iterable[str]) -> KeptRows:
    """The rows of nodes that have one earlier and have not changed since."""
    row_of = dict(zip(names, itertools.count()))
    found: Ints = np.fromiter(
        map(earlier.get, names, itertools.repeat(-1)), np.int64, count=len(names)
    )
    for name in changed:
        row = row_of.get(name)
        if row is not None:
            found[row] = -1
    after = np.flatnonzero(found >= 0)
    others = np.flatnonzero(found < 0).tolist()
    return KeptRows(names, row_of, found[after], after, others)
