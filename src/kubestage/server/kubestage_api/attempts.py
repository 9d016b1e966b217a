"""What the scheduler found out about the pods of the living cluster, as far as there is room.

All that is found out in an attempt is a thousand times the size of its outcome. So it is kept for
as many attempts as a budget allows: for all pods that are created by hand, and for some of those
that come by the thousand. Outcomes are kept of all, the newest ones.
"""

from __future__ import annotations

import bisect
import collections
import operator
import time
from typing import TYPE_CHECKING, Final

from kubestage.golang import times
from kubestage.results.history.attempt_rows import AttemptRow, pack
from kubestage.scheduler.record import WAITING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from kubestage.aliases import Json
    from kubestage.scheduler.attempt import AnyAttempt
    from kubestage.scheduler.record import Decision
    from kubestage.server.live import Live


_ROWS: Final = 20_000
_EXPLAINED: Final = 5_000
_BYTES: Final = 64 * 1024 * 1024
# What an attempt costs besides the nodes that it looks at.
_OWN_COST: Final = 20
_unix_ns: Final = operator.attrgetter("unix_ns")


class ExplanationBudget:
    """How many nodes may be explained: so many at once, and so many more with every second."""

    def __init__(self, at_once: int, each_second: int) -> None:
        self._most, self._rate = at_once, each_second
        self._left: float = at_once
        self._since_s = time.perf_counter()

    def spend(self, nodes: int) -> bool:
        """Spend so many nodes, if any; whether more may be explained now."""
        now_s = time.perf_counter()
        earned = (now_s - self._since_s) * self._rate
        self._left, self._since_s = min(self._left + earned, self._most), now_s
        if nodes:
            self._left -= nodes + _OWN_COST
        return self._left > 0


class RecordedAttempts:
    """Listens to the scheduler of a stage while no Scenario does."""

    def __init__(self, live: Live) -> None:
        self._live = live
        self._rows: collections.deque[AttemptRow] = collections.deque(maxlen=_ROWS)
        self._explained: collections.deque[AttemptRow] = collections.deque()
        self._bytes = 0
        self.total = 0
        self._budget = ExplanationBudget(at_once=10_000, each_second=2_000)

    def attach(self) -> None:
        """Listen from now on, unless a Scenario is under way."""
        stage = self._live.stage
        is_free = stage.scenarios is None or stage.scenarios.current is None
        if stage.scheduler is not None and is_free:
            stage.scheduler.record.hand_on(self, in_full=self._budget.spend(0))

    def attempted(self, decision: Decision, attempt: AnyAttempt, explanation: Json | None) -> None:
        """An attempt has ended."""
        self.add(decision, attempt.pod.uid, explanation)

    def add(self, decision: Decision, uid: str, explanation: Json | None) -> None:
        """Record an attempt, and decide whether the next is recorded in full."""
        assert decision.result != WAITING
        packed = None if explanation is None else pack(explanation)
        self._remember(AttemptRow(decision, uid, self._live.stage.clock.unix_ns, packed))
        self._budget.spend(0 if explanation is None else decision.evaluated)
        self.attach()

    def attempts_at(self, key: str, uid: str = "") -> Iterator[AttemptRow]:
        """The attempts at a pod, or at all that had its name, in order."""
        return (
            row
            for row in self._rows
            if row.decision.pod == key and (not uid or row.uid == uid) and not row.is_of_scenario
        )

    def add_of_scenario(self, decision: Decision, uid: str) -> None:
        """Record the outcome of an attempt that a Scenario has made."""
        now_ns = self._live.stage.clock.unix_ns
        self._remember(AttemptRow(decision, uid, now_ns, is_of_scenario=True))

    @property
    def begin(self) -> str | None:
        """The time of the oldest attempt that is remembered; None if there is none."""
        return times.rfc3339_nano(self._rows[0].unix_ns) if self._rows else None

    def between(
        self, after_ns: int | None, before_ns: int | None, limit: int
    ) -> Sequence[AttemptRow]:
        """The first attempts after a moment, or the last ones before it or now, in order."""
        rows = list(self._rows)
        if after_ns is not None:
            at = bisect.bisect_right(rows, after_ns, key=_unix_ns)
            return rows[at : at + limit]
        end = len(rows)
        if before_ns is not None:
            end = bisect.bisect_left(rows, before_ns, key=_unix_ns)
        return rows[max(end - limit, 0) : end]

    def rows(self) -> list[AttemptRow]:
        """All attempts that are remembered, in order."""
        return list(self._rows)

    def until(self, unix_ns: int) -> list[AttemptRow]:
        """All attempts up to a moment, that moment included."""
        return [row for row in self._rows if row.unix_ns <= unix_ns]

    def take_over(self, rows: Iterable[AttemptRow]) -> None:
        """Remember the attempts of an earlier life of the cluster, in order.

        They are all kept, as many as there are: who recorded them had a budget.
        """
        earlier = list(rows)
        self._rows = collections.deque((*self._rows, *earlier), maxlen=len(earlier) + _ROWS)
        self.total += len(earlier)

    def _remember(self, row: AttemptRow) -> None:
        self._rows.append(row)
        self.total += 1
        if row.packed is not None:
            self._explained.append(row)
            self._bytes += len(row.packed)
            self._make_room()

    def _make_room(self) -> None:
        while self._bytes > _BYTES or len(self._explained) > _EXPLAINED:
            oldest = self._explained.popleft()
            assert oldest.packed is not None
            self._bytes -= len(oldest.packed)
            oldest.packed = None
