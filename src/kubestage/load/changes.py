"""What a phase changes, namespace by namespace, and a few replicas that stand for all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Sequence


class Change(msgspec.Struct, frozen=True):
    """What is done in one namespace: the verb, from which replica on, and to how many."""

    namespace: str
    verb: str
    start: int
    count: int


def samples(changes: Sequence[Change], most: int) -> list[tuple[str, int]]:
    """Namespaces and indices of at most so many replicas, evenly spread, the first among them."""
    total = sum(change.count for change in changes)
    wanted = [place * total // most for place in range(most)] if total > most else range(total)
    found: list[tuple[str, int]] = []
    before, at = 0, 0
    for place in wanted:
        while place >= before + changes[at].count:
            before += changes[at].count
            at += 1
        change = changes[at]
        found.append((change.namespace, change.start + place - before))
    return found
