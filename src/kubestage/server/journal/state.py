"""What is kept beside the objects, and what one commit holds."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from kubestage.store.restoring import ObjectKey  # noqa: TC001 - read by msgspec

FORMAT: Final = 2
"""Goes up when older versions of kubestage could not read what this one writes."""


class JournalState(msgspec.Struct, kw_only=True):
    """The state of the whole, as of one commit.

    No version above `reserved` was ever given out; `is_closed` is set if the last process ended
    in order, and that `revision` was the newest one. `count` is how many objects there are,
    `remembered` are texts that are known again after a restart.
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
    garbage: list[ObjectKey] = []
    remembered: dict[str, str] = {}


class Batch(msgspec.Struct):
    """The changes of one commit: what is gone, then what is new or another, and the new state."""

    gone: list[ObjectKey]
    changed: list[tuple[ObjectKey, dict[str, Any]]]
    state: JournalState
