"""The flags and feature gates of the HorizontalPodAutoscaler."""

from __future__ import annotations

import math

import msgspec

from kubestage.errors import InputError
from kubestage.units import SECOND_NS

_DURATIONS = (
    "downscale_stabilization_ns",
    "cpu_initialization_period_ns",
    "initial_readiness_delay_ns",
)


class HpaSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The defaults are those of kube-controller-manager v1.36.

    The last three are feature gates: `HPAScaleToZero`, `HPAConfigurableTolerance` and
    `PodLevelResources`.
    """

    sync_period_ns: int = 15 * SECOND_NS
    tolerance: float = 0.1
    downscale_stabilization_ns: int = 300 * SECOND_NS
    cpu_initialization_period_ns: int = 300 * SECOND_NS
    initial_readiness_delay_ns: int = 30 * SECOND_NS
    scale_to_zero: bool = False
    configurable_tolerance: bool = True
    pod_level_resources: bool = True

    def __post_init__(self) -> None:
        if self.sync_period_ns <= 0:
            raise InputError("must be above zero", path="hpa.sync_period", fix="write 15s")
        if not 0 <= self.tolerance < math.inf:
            raise InputError("must be zero or more", path="hpa.tolerance", fix="write 0.1")
        for name in _DURATIONS:
            if getattr(self, name) < 0:
                path = f"hpa.{name.removesuffix('_ns')}"
                raise InputError("is below zero", path=path, fix="write 0s, or leave it out")
