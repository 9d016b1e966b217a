"""What is kept beside the objects, and what one commit holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.store.restoring import Place  # noqa: TC001 - read by msgspec

if TYPE_CHECKING:
    from kubestage.store.ledger import Ledger

FORMAT: Final = 2
"""Goes up when older versions of kubestage could not read what this one writes."""


class State(msgspec.Struct, kw_only=True):
    """The state of the whole, as of one commit.

    No version above `reserved` was ever given out; `is_closed` says that the last process ended
    in order, and that `revision` was the newest one. `count` is how many objects there are,
    `remembered` what others want to know again after a restart.
    """

    kubestage: str
    seed: int = 0
    boot: int = -1
    commit: int = 0
    revision: int = 1
    reserved: int = 1
    is_closed: bool = False
    unix_ns: int = 0
    count: int = 0
    garbage: list[Place] = []
    remembered: dict[str, str] = {}


class Batch(msgspec.Struct):
    """The changes of one commit: what is gone, then what is new or another, and the new state."""

    gone: list[Place]
    changed: list[tuple[Place, dict[str, Any]]]
    state: State


def count(ledger: Ledger) -> int:
    """How many objects there are."""
    return sum(len(each.objects) for each in ledger.collections())
