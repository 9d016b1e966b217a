"""What the API does to a VerticalPodAutoscalerCheckpoint."""

from __future__ import annotations

from typing import Final

from kubestage.objects.kinds.behavior import Behavior
from kubestage.objects.kinds.kind import Kind

KIND: Final = Kind(
    group="autoscaling.k8s.io",
    version="v1",
    kind="VerticalPodAutoscalerCheckpoint",
    plural="verticalpodautoscalercheckpoints",
    short_names=("vpacheckpoint",),
    declared=Behavior(
        stored_as_sent=True,
        generation_fields=("spec", "status"),
        unconditional_update=False,
    ),
)
