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
    """The defaults are those of kube-controller-manager v1.36."""

    sync_period_ns: int = 15 * SECOND_NS
    """How often each autoscaler is synced."""

    tolerance: float = 0.1
    """The change of the usage ratio, up or down, that is too small to scale."""

    downscale_stabilization_ns: int = 300 * SECOND_NS
    """How long a recommendation keeps the target from being scaled below it."""

    cpu_initialization_period_ns: int = 300 * SECOND_NS
    """How long after its start the CPU samples of a pod may be left out."""

    initial_readiness_delay_ns: int = 30 * SECOND_NS
    """How long after its start a change to ready counts as the first one."""

    scale_to_zero: bool = False
    """The feature gate HPAScaleToZero."""

    configurable_tolerance: bool = True
    """The feature gate HPAConfigurableTolerance."""

    pod_level_resources: bool = True
    """The feature gate PodLevelResources."""

    def __post_init__(self) -> None:
        if self.sync_period_ns <= 0:
            raise InputError("must be above zero", path="hpa.sync_period", fix="write 15s")
        if not 0 <= self.tolerance < math.inf:
            raise InputError("must be zero or more", path="hpa.tolerance", fix="write 0.1")
        for name in _DURATIONS:
            if getattr(self, name) < 0:
                path = f"hpa.{name.removesuffix('_ns')}"
                raise InputError("is below zero", path=path, fix="write 0s, or leave it out")
