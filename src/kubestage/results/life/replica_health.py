"""How many replicas of a workload are ready, against how many it is to have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.results.life import windows
from kubestage.results.life.windows import Windows

if TYPE_CHECKING:
    from kubestage.aliases import Json


class ReplicaHealth:
    """The ready replicas of one workload over time.

    Only states that last count: what changes twice in one instant was never seen. Until a workload
    has once had all its replicas ready, it is starting, and not below what is desired. `lost_ns` is
    the time in which fewer were ready than had been: after a rescale, new replicas that are still
    on their way are missing, but not lost.
    """

    __slots__ = (
        "below", "desired", "desired_at_lowest", "ever_ready", "lost_ns", "lowest", "lowest_ns",
        "reached", "ready", "rollouts", "since_ns",
    )  # fmt: skip

    def __init__(self, now_ns: int) -> None:
        self.desired: int | None = None
        self.ready = 0
        self.ever_ready = False
        self.below = Windows()
        self.rollouts = Windows()
        self.lost_ns = 0
        self.reached = 0
        self.lowest: int | None = None
        self.lowest_ns = now_ns
        self.desired_at_lowest: int | None = None
        self.since_ns = now_ns

    def update(self, now_ns: int, *, desired: int | None, ready: int) -> None:
        """From now on so many are desired, and so many ready."""
        if (desired, ready) != (self.desired, self.ready):
            self.reach(now_ns)
            self.desired, self.ready = desired, ready

    def reach(self, now_ns: int) -> None:
        """Count until now."""
        begin_ns, self.since_ns = self.since_ns, now_ns
        if now_ns == begin_ns or self.desired is None:
            return
        is_below = self.ready < self.desired
        self.ever_ready = self.ever_ready or (not is_below and self.desired > 0)
        if not self.ever_ready:
            return
        self.reached = min(self.desired, max(self.reached, self.ready))
        if self.ready < self.reached:
            self.lost_ns += now_ns - begin_ns
        if is_below:
            self.below.add(begin_ns, now_ns)
            if self.lowest is None or self.ready < self.lowest:
                self.lowest, self.lowest_ns = self.ready, begin_ns
                self.desired_at_lowest = self.desired

    def in_short(self, name: str, begin_ns: int) -> Json:
        """The row of the workload in the summary."""
        lowest = self.ready if self.lowest is None else self.lowest
        at_ns = None if self.lowest is None else windows.since(begin_ns, self.lowest_ns)
        return {
            "workload": name,
            "desired": self.desired,
            "readyAtEnd": self.ready,
            "readyLowest": lowest,
            "readyLowestAtSeconds": at_ns,
            "desiredAtLowest": self.desired if self.lowest is None else self.desired_at_lowest,
            "belowDesiredSeconds": windows.seconds(self.below.total_ns),
            "lostSeconds": windows.seconds(self.lost_ns),
            "windows": self.below.seconds(begin_ns),
            "rollouts": self.rollouts.seconds(begin_ns),
            "everReady": self.ever_ready or not self.desired,
        }
