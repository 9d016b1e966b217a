"""Plays one recorded world of either kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.replay.karpenter import disrupt_rounds, provisioning

if TYPE_CHECKING:
    from kubestage.replay.karpenter.comparison import Difference
    from kubestage.replay.karpenter.world import World


def play(world: World) -> list[Difference]:
    """Where our decisions differ from those of the recording."""
    if world.kind == "provision":
        return provisioning.play(world)
    return disrupt_rounds.play(world)
