"""A change that is worth a try, and what it touches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.runs.fit.edit import NOTHING, Edit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

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
    """A change under its kind and its text; `cost` says how much it touches.

    `less` makes the changes of the same sort that touch one thing less. `parts` are the changes
    that one is made of, if they are several.
    """

    kind: str
    text: str
    edit: Edit
    cost: tuple[float, ...]
    less: Callable[[], Iterator[Candidate]] | None = None
    parts: tuple[Candidate, ...] = ()

    def and_(self, other: Candidate) -> Candidate:
        """Both changes together; what both have in common is made once."""
        mine = self.parts or (self,)
        known = {each.text for each in mine}
        return together(
            (*mine, *(each for each in other.parts or (other,) if each.text not in known))
        )

    def smaller(self) -> Iterator[Candidate]:
        """The changes that touch one thing less: without a part, or with less of a part."""
        parts = self.parts or (self,)
        for place, part in enumerate(parts):
            before, after = parts[:place], parts[place + 1 :]
            if before or after:
                yield together(before + after)
            if part.less is not None:
                for each in part.less():
                    yield together((*before, each, *after))


def together(parts: tuple[Candidate, ...]) -> Candidate:
    """Several changes as one."""
    if len(parts) == 1:
        return parts[0]
    edit = NOTHING
    for each in parts:
        edit = edit.and_(each.edit)
    more = (each for part in parts for each in part.cost[1:])
    cost = (sum(part.cost[0] for part in parts), *more)
    kinds = dict.fromkeys(each.kind for each in parts)
    text = ", and ".join(each.text for each in parts)
    return Candidate("+".join(kinds), text, edit, cost, parts=parts)
