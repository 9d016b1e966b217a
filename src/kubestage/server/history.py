"""How far back watches and lists at an older version reach: so many bytes, so many minutes.

The store keeps a number of changes of each kind. A server goes on for days, and its objects may be
large: here the oldest changes of all kinds are forgotten when they take too much memory, or are too
old. A client that is behind gets ``410 Expired`` and lists again, as after etcd's compaction.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.results.history.weighing import ChangeWeights

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.store.log import Change, Log
    from kubestage.store.store import Store

# A span is a hundredth of what is remembered, in bytes or in time.
_SPANS: Final = 100


# What cannot be forgotten yet is looked at again after so long.
_AGAIN_S: Final = 1.0


class HistoryLimits(msgspec.Struct, frozen=True):
    """How much is remembered of what objects were before."""

    most_bytes: int = 64 << 20
    """About how much memory that may take, of all kinds together."""

    most_changes: int = 100_000
    """How many changes there may be, likewise."""

    most_s: float = 300.0
    """How long ago the oldest change may be, in real time."""


class _Span:
    """Changes of one kind that are forgotten together: all up to `revision`."""

    __slots__ = ("began_s", "count", "log", "revision", "size")

    def __init__(self, log: Log, began_s: float) -> None:
        self.log = log
        self.began_s = began_s
        self.revision = self.count = self.size = 0


class History:
    """Has the logs of a store forget what is too much or too old.

    A change costs what of the state before it nothing else has; states that are current cost
    nothing. Forgetting waits until the request under way is done, which may read the log, and until
    a change is kept on disk: else it may have to be taken back. `kept` is the newest such version.
    """

    def __init__(
        self,
        store: Store,
        limits: HistoryLimits,
        kept: Callable[[], int],
        now_s: Callable[[], float] = time.monotonic,
        weights: ChangeWeights | None = None,
    ) -> None:
        self.count = self.size = 0
        self._store = store
        self._limits = limits
        self._kept = kept
        self._now_s = now_s
        self._weights = weights or ChangeWeights()
        self._spans: deque[_Span] = deque()
        self._newest: dict[Log, _Span] = {}
        # When something will be too old, and whether something is too much.
        self._timer: asyncio.TimerHandle | None = None
        self._is_due = False
        store.subscribe(self.on_change)

    def close(self) -> None:
        """Forget nothing from now on."""
        self._store.unsubscribe(self.on_change)
        self._stop_timer()

    def on_change(self, change: Change) -> None:
        """Count one change in."""
        log = self._store.collection(change.kind).log
        size = self._weights.of(change)
        span = self._newest.get(log)
        if span is None or self._is_complete(span):
            span = self._newest[log] = _Span(log, self._now_s())
            self._spans.append(span)
        span.revision = change.revision
        span.count += 1
        span.size += size
        self.count += 1
        self.size += size
        if self._timer is None:
            self._set_timer()
        if self._is_too_much and not self._is_due:
            self._is_due = True
            asyncio.get_running_loop().call_soon(self.trim)

    def trim(self) -> None:
        """Forget what is too much or too old by now."""
        self._is_due = False
        limits, spans = self._limits, self._spans
        oldest_s, kept = self._now_s() - _longest_s(limits), self._kept()
        while spans and spans[0].revision <= kept:
            if not self._is_too_much and spans[0].began_s > oldest_s:
                break
            span = spans.popleft()
            self.count -= span.count
            self.size -= span.size
            if self._newest[span.log] is span:
                del self._newest[span.log]
            span.log.forget(span.revision)
        self._stop_timer()
        if spans:
            self._set_timer()

    @property
    def _is_too_much(self) -> bool:
        limits = self._limits
        return self.size > limits.most_bytes or self.count > limits.most_changes

    def _is_complete(self, span: _Span) -> bool:
        limits = self._limits
        is_large = span.size * _SPANS >= limits.most_bytes
        is_large = is_large or span.count * _SPANS >= limits.most_changes
        return is_large or (self._now_s() - span.began_s) * _SPANS >= limits.most_s

    def _set_timer(self) -> None:
        wait_s = self._spans[0].began_s + _longest_s(self._limits) - self._now_s()
        self._timer = asyncio.get_running_loop().call_later(max(wait_s, _AGAIN_S), self.trim)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def _longest_s(limits: HistoryLimits) -> float:
    """After how long the last change of a span is too old as well."""
    return limits.most_s * (1 + 1 / _SPANS)
