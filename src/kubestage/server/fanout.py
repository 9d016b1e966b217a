"""Changes on their way to watchers.

A watch is a position in the log of its kind. It is told of changes as far as they are visible:
safe on disk, and not held back.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from kubestage.store.log import Log
    from kubestage.store.store import Store

    Shared = dict[Hashable, tuple[bytes, int]]


# A rest of less than a millisecond is none.
_MANY: Final = 50
_EACH_S: Final = 20e-6
_LONGEST_S: Final = 0.02


class Fanout:
    """Wakes open watches when there is something for them.

    `show` makes changes visible up to a version. Between `hold` and `release` nothing more becomes
    visible; then everything does at once.
    """

    def __init__(self, store: Store) -> None:
        self.visible = store.ledger.revision
        self._shown = self.visible
        self._held = 0
        self._waiting: dict[Log, list[asyncio.Future[None]]] = {}
        self._reaching: list[tuple[int, asyncio.Future[None]]] = []
        self._following: dict[Log, dict[Callable[[Shared], None], None]] = {}
        self._is_resting = False
        # Open watches by group, kind and user agent.
        self.followers: Counter[tuple[str, str, str]] = Counter()

    @property
    def watchers(self) -> int:
        """How many watches are open."""
        return self.followers.total()

    def enter(self, who: tuple[str, str, str]) -> None:
        """Somebody watches."""
        self.followers[who] += 1

    def leave(self, who: tuple[str, str, str]) -> None:
        """Somebody watches no more."""
        self.followers[who] -= 1
        if not self.followers[who]:
            del self.followers[who]

    @property
    def is_held(self) -> bool:
        """Whether changes are held back now."""
        return self._held > 0

    def show(self, revision: int) -> None:
        """Everything up to this version may be told."""
        self._shown = max(revision, self._shown)
        if not self._held and not self._is_resting:
            self._tell()

    def hold(self) -> None:
        """Hold back what is shown from now on; may be nested."""
        self._held += 1

    def release(self) -> None:
        """Let everything go that was held back."""
        assert self._held > 0
        self._held -= 1
        if not self._held and not self._is_resting:
            self._tell()

    def wait(self, log: Log) -> asyncio.Future[None]:
        """Something to await until more of a log is visible."""
        future = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(log, []).append(future)
        return future

    def follow(self, log: Log, tell: Callable[[Shared], None]) -> None:
        """Have somebody called whenever more of a log is visible.

        All who are called for the same news are given the same dict, for what they can share.
        """
        self._following.setdefault(log, {})[tell] = None

    def unfollow(self, log: Log, tell: Callable[[Shared], None]) -> None:
        """Call them no more."""
        followers = self._following.get(log, {})
        followers.pop(tell, None)
        if not followers:
            self._following.pop(log, None)

    async def reach(self, revision: int) -> None:
        """Wait until a version is visible."""
        if self.visible < revision:
            future = asyncio.get_running_loop().create_future()
            self._reaching.append((revision, future))
            await future

    def _tell(self) -> None:
        before = self.visible
        if self._shown == before:
            return
        self.visible = self._shown
        if self._reaching:
            self._wake_reached()
        for log in tuple(self._waiting):
            if log.newest <= before:
                continue
            for future in self._waiting.pop(log):
                if not future.done():
                    future.set_result(None)
        told = 0
        for log, followers in tuple(self._following.items()):
            if log.newest > before:
                told += len(followers)
                shared: Shared = {}
                for tell in tuple(followers):
                    tell(shared)
        self._rest(told)

    def _rest(self, told: int) -> None:
        """Let changes gather after many were told, so that telling takes a third of the time.

        NOTE: what is told at once is one call of the system for each watcher, however many changes
        there are: 200 watchers of busy objects cost a third (benchmarks/server.py).
        """
        if told >= _MANY:
            self._is_resting = True
            asyncio.get_running_loop().call_later(min(told * _EACH_S, _LONGEST_S), self._go_on)

    def _go_on(self) -> None:
        self._is_resting = False
        if not self._held:
            self._tell()

    def _wake_reached(self) -> None:
        waiting = []
        for revision, future in self._reaching:
            if future.done():
                continue
            if revision <= self.visible:
                future.set_result(None)
            else:
                waiting.append((revision, future))
        self._reaching = waiting
