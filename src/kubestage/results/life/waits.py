"""How long pods were without a node, and how many at a time."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from kubestage.results.life import windows
from kubestage.results.life.integral import LASTING_NS
from kubestage.store.log import DELETED

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.store.log import Change

_OVER: Final = ("Succeeded", "Failed")


class Waits:
    """The pods that wait for a node; those that wait for less than a second are only numbered."""

    def __init__(self) -> None:
        self._since: dict[str, int] = {}
        self._short = 0
        self._ended: list[tuple[int, int, str]] = []

    def on_pod(self, change: Change, now_ns: int) -> None:
        """Take in a change of a pod."""
        key = change.key
        if change.type != DELETED and _is_waiting(change.new):
            self._since.setdefault(key, now_ns)
        elif key in self._since:
            self._end(key, self._since.pop(key), now_ns)

    def in_short(self, begin_ns: int, now_ns: int) -> Json:
        """The most pods that waited at a time, the longest wait, and all in sum."""
        ended = self._ended
        open_waits = [(since, now_ns, key) for key, since in self._since.items()]
        waits = [*ended, *(each for each in open_waits if now_ns - each[0] >= LASTING_NS)]
        peak, at_ns = _peak(waits)
        # Of equally long waits the first counts.
        longest = min(waits, key=lambda each: (each[0] - each[1], each[0], each[2]), default=None)
        return {
            "peak": peak,
            "peakAtSeconds": None if not waits else windows.since(begin_ns, at_ns),
            "longestWaitSeconds": 0.0
            if longest is None
            else windows.seconds(longest[1] - longest[0]),
            "longestWaitPod": None if longest is None else longest[2],
            "waitSecondsInSum": windows.seconds(sum(end - begin for begin, end, _ in waits)),
            "waitP99Seconds": self._percentile(0.99, [end - begin for begin, end, _ in waits]),
        }

    def forget(self, most: int) -> None:
        """Keep the newest, so many."""
        del self._ended[:-most]

    def _end(self, key: str, since_ns: int, now_ns: int) -> None:
        if now_ns - since_ns >= LASTING_NS:
            self._ended.append((since_ns, now_ns, key))
        else:
            self._short += 1

    def _percentile(self, share: float, long_ns: list[int]) -> float:
        """The wait that this share of all pods does not exceed; a short one counts as none."""
        ordered = sorted(long_ns)
        rank = math.ceil(share * (self._short + len(ordered))) - 1 - self._short
        return windows.seconds(ordered[rank]) if rank >= 0 and ordered else 0.0


def _is_waiting(pod: Json) -> bool:
    return (
        not pod["spec"].get("nodeName")
        and "deletionTimestamp" not in pod["metadata"]
        and (pod.get("status") or {}).get("phase") not in _OVER
    )


def _peak(waits: list[tuple[int, int, str]]) -> tuple[int, int]:
    """The most waits at one moment, and the first such moment."""
    # At one instant, those that end come first.
    moves = sorted([*((end, -1) for _, end, _ in waits), *((begin, 1) for begin, _, _ in waits)])
    most = level = at_ns = 0
    for moment_ns, step in moves:
        level += step
        if level > most:
            most, at_ns = level, moment_ns
    return most, at_ns
