"""The keys that a loop has to sync: each once, now or later, with a backoff after failures."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.sim.environment import Environment

FIRST_RETRY_NS: Final = 5_000_000
LAST_RETRY_NS: Final = 1_000_000_000_000


class WorkQueue:
    """What client-go's rate limited, delaying queue does, without its threads.

    `ready` is called with each key that is to be synced now, in order; the caller reports the start
    of a sync with `take`, and its end with `done`. A key that is added while it waits is not added
    again; one that is added during its sync is synced again afterwards. Of several
    delays of a key the shortest counts.
    """

    def __init__(self, name: str, environment: Environment, ready: Callable[[str], None]) -> None:
        self._clock = environment.clock
        self._ready = ready
        self._waiting: set[str] = set()
        self._processing: str | None = None
        self._is_dirty = False
        self._due: dict[str, int] = {}
        self._delayed: list[tuple[int, int, str]] = []
        self._number = 0
        self._failures: dict[str, int] = {}
        self._timer = environment.timer(name, self._on_time)

    def add(self, key: str) -> None:
        """Sync a key as soon as its turn comes."""
        if key == self._processing:
            self._is_dirty = True
        elif key not in self._waiting:
            self._waiting.add(key)
            self._ready(key)

    def add_after(self, key: str, delay_ns: int) -> None:
        """Sync a key when some time has passed."""
        if delay_ns <= 0:
            self.add(key)
            return
        at_ns = self._clock.now_ns + delay_ns
        due_ns = self._due.get(key)
        if due_ns is not None and due_ns <= at_ns:
            return
        self._due[key] = at_ns
        self._number += 1
        heapq.heappush(self._delayed, (at_ns, self._number, key))
        self._set_timer()

    def add_at(self, key: str, at_unix_ns: int) -> None:
        """Sync a key at a moment of the calendar."""
        self.add_after(key, at_unix_ns - self._clock.unix_ns)

    def add_rate_limited(self, key: str) -> None:
        """Sync a key again after a failure: the more of them, the later."""
        failures = self._failures.get(key, 0)
        self._failures[key] = failures + 1
        self.add_after(key, min(FIRST_RETRY_NS << min(failures, 40), LAST_RETRY_NS))

    def forget(self, key: str) -> None:
        """No failure of a key counts any more."""
        self._failures.pop(key, None)

    def failures(self, key: str) -> int:
        """How often a key failed since it was last forgotten."""
        return self._failures.get(key, 0)

    def is_waiting(self, key: str) -> bool:
        """Whether a key waits for its sync."""
        return key in self._waiting

    def take(self, key: str) -> None:
        """The sync of a key starts."""
        self._waiting.discard(key)
        self._processing = key

    def done(self, key: str) -> None:
        """The sync of a key is over."""
        self._processing = None
        if self._is_dirty:
            self._is_dirty = False
            self.add(key)

    def _set_timer(self) -> None:
        delayed, due = self._delayed, self._due
        while delayed and due.get(delayed[0][2]) != delayed[0][0]:
            heapq.heappop(delayed)
        self._timer.set(delayed[0][0] if delayed else None)

    def _on_time(self) -> None:
        delayed, due, now_ns = self._delayed, self._due, self._clock.now_ns
        while delayed and delayed[0][0] <= now_ns:
            at_ns, _, key = heapq.heappop(delayed)
            if due.get(key) == at_ns:
                del due[key]
                self.add(key)
        self._set_timer()
