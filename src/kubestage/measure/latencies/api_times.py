"""Timestamps of objects, as moments of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.objects import timestamps

if TYPE_CHECKING:
    from kubestage.cluster.access import Moments


def moment_ns(moments: Moments, text: str | None) -> int | None:
    """A timestamp of an object on the clock of the run; None if there is none.

    Such times are whole seconds, so that they may lie up to one second before what was seen.
    """
    if not text:
        return None
    return timestamps.parse_time(text) - (moments.unix_ns - moments.now_ns)
