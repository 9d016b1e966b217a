"""Which rows of columns are the same in those that follow them, after nodes came or went."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence


class KeptRows(NamedTuple):
    """Rows whose node and pods are as they were, before and after, and all `others` after.

    NOTE: in a cluster of 10,000 pods, to count them all again takes 40 ms, and an upgrade does that
    twice for each node (benchmarks/rehearse.py).
    """

    before: list[int]
    after: list[int]
    others: list[int]

    def places(self, count: int) -> list[int]:
        """Where each of so many rows is now; -1 if it is not kept."""
        places = [-1] * count
        for before, after in zip(self.before, self.after, strict=True):
            places[before] = after
        return places


def find(earlier: Mapping[str, int], names: Sequence[str], changed: Container[str]) -> KeptRows:
    """The rows of nodes that have one earlier and have not changed since."""
    kept = KeptRows([], [], [])
    for row, name in enumerate(names):
        before = earlier.get(name)
        if before is None or name in changed:
            kept.others.append(row)
        else:
            kept.before.append(before)
            kept.after.append(row)
    return kept
