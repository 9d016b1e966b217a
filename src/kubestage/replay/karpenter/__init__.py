"""Plays recorded worlds of Karpenter again, and compares every decision with the recorded one.

A world is a cluster at one moment with the instance types of a cloud, and steps: passes of the
provisioner, or rounds of the disruption loop. What Karpenter decides does not belong here.
"""

from __future__ import annotations

from kubestage.replay.karpenter.comparison import Difference
from kubestage.replay.karpenter.player import play
from kubestage.replay.karpenter.report import compare
from kubestage.replay.karpenter.world import World, load, read

__all__ = ["Difference", "World", "compare", "load", "play", "read"]
