"""Polls until something is so, or the time is up."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.cluster.access import Moments, Timer


class Polling:
    """Polls at once and then at a fixed interval.

    `poll` finds out asynchronously and calls `report`; `done` gets the problem, or an empty text.
    """

    def __init__(
        self,
        moments: Moments,
        poll: Callable[[], None],
        done: Callable[[str], None],
        *,
        every_ns: int,
        timeout_ns: int,
    ) -> None:
        self._moments = moments
        self._poll = poll
        self._done = done
        self._every_ns = every_ns
        self._end_ns = moments.now_ns + timeout_ns
        self._timer: Timer | None = None
        self._is_over = False

    def start(self) -> None:
        """Poll for the first time."""
        self._poll()

    def report(self, missing: str, problem: str = "") -> None:
        """What is still missing, nothing if all is well; or why it cannot be known."""
        if self._is_over:
            return
        now_ns = self._moments.now_ns
        if problem or not missing:
            self._end(problem)
        elif now_ns >= self._end_ns:
            self._end(f"timed out waiting for the condition: {missing}")
        else:
            self._timer = self._moments.at(min(now_ns + self._every_ns, self._end_ns), self._poll)

    def abandon(self) -> None:
        """Poll no more, and call nothing."""
        self._is_over = True
        if self._timer is not None:
            self._timer.cancel()

    def _end(self, problem: str) -> None:
        self._is_over = True
        self._done(problem)
