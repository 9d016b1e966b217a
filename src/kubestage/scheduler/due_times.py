"""When something is due, if it is due at all."""

from __future__ import annotations


def earlier(one_ns: int | None, other_ns: int | None) -> int | None:
    """The earlier of two times; None if there is neither.

    NOTE: needed at every change of the queue (benchmarks/karpenter_day.py).
    """
    if one_ns is None or other_ns is None:
        return other_ns if one_ns is None else one_ns
    return min(one_ns, other_ns)
