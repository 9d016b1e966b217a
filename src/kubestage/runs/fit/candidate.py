"""A change that is worth a try, and what it touches."""

from __future__ import annotations

from typing import Final, NamedTuple

from kubestage.runs.fit.edit import Edit  # noqa: TC001 - part of the tuple's type

# How much changes touch, by sort: the least first.
WAIT: Final = 0
OWN_FIELD: Final = 10
ONE_NODE: Final = 15
OWN_AMOUNT: Final = 20
OWN_RULE: Final = 25
OTHER_OBJECT: Final = 30
OTHER_PODS: Final = 40
PRIORITY: Final = 50
NEW_NODE: Final = 60
NO_LIMIT: Final = 1 << 30


class Candidate(NamedTuple):
    """A change under its kind and its text; `cost` says how much it touches."""

    kind: str
    text: str
    edit: Edit
    cost: tuple[float, ...]

    def and_(self, other: Candidate) -> Candidate:
        """Both changes together."""
        kind = self.kind if self.kind == other.kind else f"{self.kind}+{other.kind}"
        cost = (self.cost[0] + other.cost[0], *self.cost[1:], *other.cost[1:])
        return Candidate(kind, f"{self.text}, and {other.text}", self.edit.and_(other.edit), cost)
