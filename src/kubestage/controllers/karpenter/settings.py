"""Karpenter's own flags and feature gates."""

from __future__ import annotations

from typing import Final

import msgspec

from kubestage.units import SECOND_NS

RESPECT: Final = "Respect"
IGNORE: Final = "Ignore"
STRICT: Final = "Strict"
BEST_EFFORT: Final = "BestEffort"


class KarpenterSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The defaults are those of Karpenter 1.14, and the names are those of its flags."""

    preference_policy: str = RESPECT
    """Whether preferences of pods are treated as required for as long as they can be met
    (`Respect`), or not looked at (`Ignore`)."""

    min_values_policy: str = STRICT
    """Whether a requirement's `minValues` must be kept (`Strict`), or is lowered if it cannot be
    (`BestEffort`)."""

    batch_max_duration_ns: int = 10 * SECOND_NS
    """How long pods are collected at most before they are scheduled together."""

    batch_idle_duration_ns: int = SECOND_NS
    """How long no new pod must come before those collected are scheduled."""

    spot_to_spot_consolidation: bool = False
    """Feature gate SpotToSpotConsolidation: whether spot nodes are replaced by cheaper ones."""

    reserved_capacity: bool = True
    """Feature gate ReservedCapacity: whether reserved offerings are used."""

    multi_node_consolidation_timeout_ns: int = 0
    """How long multi-node consolidation searches before it takes the best that it has found;
    Karpenter's own limit is 1m of real time. 0 stands for no limit."""

    single_node_consolidation_timeout_ns: int = 0
    """How long single-node consolidation searches before it gives up and begins with NodePools
    that it has not looked at; Karpenter's own limit is 3m of real time. 0 stands for no limit."""

    simulation_time_ns: int = 0
    """How long one simulation is taken to last, as far as these two limits are concerned."""

    node_repair: bool = False
    """Feature gate NodeRepair: whether nodes that stay unhealthy are replaced."""

    static_capacity: bool = False
    """Feature gate StaticCapacity: whether NodePools with `replicas` have that many nodes; without
    it they have none."""

    node_overlay: bool = False
    """Feature gate NodeOverlay: whether NodeOverlays change prices and capacity."""
