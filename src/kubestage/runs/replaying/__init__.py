"""Recordings, replayed: the recorded intent at the recorded times, in virtual time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage import lazy

if TYPE_CHECKING:
    from kubestage.runs.replay_options import ReplayOptions
    from kubestage.runs.replaying.result import ReplayResult
    from kubestage.runs.replaying.running import replay

__all__ = ["ReplayOptions", "ReplayResult", "replay"]

__getattr__ = lazy.exports(__name__)
