"""The keys that a loop has to look at: each once, now or later, with patience after failures."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, Final

from kubestage.sim.alarm import Alarm

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.sim.environment import Environment

FIRST_RETRY_NS: Final = 5_000_000
LAST_RETRY_NS: Final = 1_000_000_000_000


class WorkQueue:
    """What client-go's rate limited, delaying queue does, without its threads.

    `ready` is called with each key that is to be looked at now, in order; whoever looks at the
    key says so with `take`, and with `done` when that is over. A key that is added while it waits
    is not added again; one that is added while it is looked at comes again afterwards. Of several
    delays of a key the shortest counts.
    """

    def __init__(self, name: str, environment: Environment, ready: Callable[[str], None]) -> None:
        self._clock = environment.clock
        self._ready = ready
        self._waiting: set[str] = set()
        self._at_hand: str | None = None
        self._comes_again = False
        self._due: dict[str, int] = {}
        self._later: list[tuple[int, int, str]] = []
        self._number = 0
        self._failures: dict[str, int] = {}
        self._alarm = Alarm(environment, name, self._on_time)

    def add(self, key: str) -> None:
        """Look at a key as soon as its turn comes."""
        if key == self._at_hand:
            self._comes_again = True
        elif key not in self._waiting:
            self._waiting.add(key)
            self._ready(key)

    def add_after(self, key: str, delay_ns: int) -> None:
        """Look at a key when some time has passed."""
        if delay_ns <= 0:
            self.add(key)
            return
        at_ns = self._clock.now_ns + delay_ns
        due_ns = self._due.get(key)
        if due_ns is not None and due_ns <= at_ns:
            return
        self._due[key] = at_ns
        self._number += 1
        heapq.heappush(self._later, (at_ns, self._number, key))
        self._set_alarm()

    def add_at(self, key: str, at_unix_ns: int) -> None:
        """Look at a key at a moment of the calendar."""
        self.add_after(key, at_unix_ns - self._clock.unix_ns)

    def add_rate_limited(self, key: str) -> None:
        """Look at a key again after a failure: the more of them, the later."""
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
        """Whether a key is in line to be looked at."""
        return key in self._waiting

    def take(self, key: str) -> None:
        """A key is being looked at."""
        self._waiting.discard(key)
        self._at_hand = key

    def done(self, key: str) -> None:
        """A key has been looked at."""
        self._at_hand = None
        if self._comes_again:
            self._comes_again = False
            self.add(key)

    def _set_alarm(self) -> None:
        later, due = self._later, self._due
        while later and due.get(later[0][2]) != later[0][0]:
            heapq.heappop(later)
        self._alarm.set(later[0][0] if later else None)

    def _on_time(self) -> None:
        later, due, now_ns = self._later, self._due, self._clock.now_ns
        while later and later[0][0] <= now_ns:
            at_ns, _, key = heapq.heappop(later)
            if due.get(key) == at_ns:
                del due[key]
                self.add(key)
        self._set_alarm()
