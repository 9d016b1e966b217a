"""Changes on their way to watchers.

A watch is a position in the log of its kind. It is sent changes as far as they are visible:
safe on disk, and not held back.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from kubestage.store.log import Log
    from kubestage.store.store import Store

    Shared = dict[Hashable, tuple[bytes, int]]

CutMode = Literal["end", "drop", "expired"]
"""How a watch ends early: as if its time were up, by a lost connection, or with 410 Expired."""


class OpenWatch(Protocol):
    """A watch that a client has open."""

    who: tuple[str, str, str]
    """Group and kind that are watched, and the user agent of the client."""

    def end(self) -> None:
        """End now, whatever the client requested."""
        ...

    def cut(self, how: CutMode) -> None:
        """End in a way that a client has to cope with."""
        ...


class Fanout:
    """Wakes open watches when there is something for them.

    `show` makes changes visible up to a version. Between `hold` and `release` nothing more becomes
    visible; then everything does at once.
    """

    def __init__(self, store: Store) -> None:
        self.visible = store.revision
        self._shown = self.visible
        self._held = 0
        self._waiting: dict[Log, dict[asyncio.Future[None], None]] = {}
        self._reaching: list[tuple[int, asyncio.Future[None]]] = []
        self._following: dict[Log, dict[Callable[[Shared], None], None]] = {}
        # Open watches by group, kind and user agent.
        self.followers: Counter[tuple[str, str, str]] = Counter()
        self.is_closed = False
        self.open_watches: dict[OpenWatch, None] = {}
        # Called when the first watch opens.
        self.on_first_watch: Callable[[], None] | None = None

    def close(self) -> None:
        """Have all open watches end: the cluster is served no more."""
        self.is_closed = True
        for watch in tuple(self.open_watches):
            watch.end()
        for waiting in tuple(self._waiting.values()):
            for future in tuple(waiting):
                if not future.done():
                    future.set_result(None)

    @property
    def watchers(self) -> int:
        """How many watches are open."""
        return self.followers.total()

    def enter(self, who: tuple[str, str, str]) -> None:
        """A watch opens."""
        is_first = not self.followers
        self.followers[who] += 1
        if is_first and self.on_first_watch is not None:
            self.on_first_watch()

    def leave(self, who: tuple[str, str, str]) -> None:
        """A watch closes."""
        self.followers[who] -= 1
        if not self.followers[who]:
            del self.followers[who]

    @property
    def is_held(self) -> bool:
        """Whether changes are held back now."""
        return self._held > 0

    def show(self, revision: int) -> None:
        """Everything up to this version may be sent."""
        self._shown = max(revision, self._shown)
        if not self._held:
            self._notify()

    def hold(self) -> None:
        """Hold back what is shown from now on; may be nested."""
        self._held += 1

    def release(self) -> None:
        """Let everything go that was held back."""
        assert self._held > 0
        self._held -= 1
        if not self._held:
            self._notify()

    def wait(self, log: Log) -> asyncio.Future[None]:
        """Something to await until more of a log is visible."""
        future = asyncio.get_running_loop().create_future()
        waiting = self._waiting.setdefault(log, {})
        waiting[future] = None
        # A waiter that was cancelled is not held until something happens.
        future.add_done_callback(lambda done: waiting.pop(done, None))
        return future

    def follow(self, log: Log, callback: Callable[[Shared], None]) -> None:
        """Call back whenever more of a log is visible.

        All who are called for the same news are given the same dict, for what they can share.
        """
        self._following.setdefault(log, {})[callback] = None

    def unfollow(self, log: Log, callback: Callable[[Shared], None]) -> None:
        """Call them no more."""
        followers = self._following.get(log, {})
        followers.pop(callback, None)
        if not followers:
            self._following.pop(log, None)

    async def reach(self, revision: int) -> None:
        """Wait until a version is visible."""
        if self.visible < revision:
            future = asyncio.get_running_loop().create_future()
            self._reaching.append((revision, future))
            await future

    def _notify(self) -> None:
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
        for log, followers in tuple(self._following.items()):
            if log.newest > before:
                shared: Shared = {}
                for callback in tuple(followers):
                    callback(shared)

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
