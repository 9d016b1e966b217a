"""Compaction, as of etcd: after a while, nothing can be listed as of an old version any more.

Each interval what was current at the one before is compacted: a continue token is good for one to
two intervals. Then it gets ``410 Expired`` and another token, which goes on with what is there.
Compaction itself is a version of the store, as the API server's is of etcd.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.store.store import Store


class Compaction:
    """Compacts the versions of a store at intervals of real time.

    `moved` is called whenever that has given the store a new version.
    """

    def __init__(self, store: Store, every_s: float, moved: Callable[[], None]) -> None:
        self._store = store
        self._every_s = every_s
        self._moved = moved
        self._seen = store.revision
        self._timer: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Compact from now on."""
        self._timer = asyncio.get_running_loop().call_later(self._every_s, self._tick)

    def close(self) -> None:
        """Compact no more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def compact(self) -> None:
        """Compact what was current the last time."""
        self._store.compact(self._seen)
        self._seen = self._store.revision
        self._moved()

    def _tick(self) -> None:
        self.compact()
        self.start()
