"""Who is to know what becomes of queued pods."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class Reports:
    """Calls `ready` whenever a pod becomes active or pauses, `settled` when one is put off."""

    def __init__(self) -> None:
        self.ready: Callable[[], None] | None = None
        self.settled: Callable[[], None] | None = None
        self._held: list[bool] | None = None

    def say(self, *, is_ready: bool) -> None:
        """A pod can be tried soon, or was put off."""
        if self._held is not None:
            self._held.append(is_ready)
            return
        call = self.ready if is_ready else self.settled
        if call is not None:
            call()

    @contextlib.contextmanager
    def once(self) -> Iterator[None]:
        """One report for all pods that are moved in this block.

        NOTE: events move pods by the thousand (benchmarks/karpenter_day.py).
        """
        self._held = held = list[bool]()
        try:
            yield
        finally:
            self._held = None
        if held:
            self.say(is_ready=any(held))
