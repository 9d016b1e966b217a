"""The names of a NodeOverlay; its definition says how it is treated (`custom.instances`)."""

from __future__ import annotations

from typing import Final

from kubestage.objects.kinds.behavior import CUSTOM_RESOURCE
from kubestage.objects.kinds.kind import Kind

KIND: Final = Kind(
    group="karpenter.sh",
    version="v1alpha1",
    kind="NodeOverlay",
    plural="nodeoverlays",
    namespaced=False,
    short_names=("overlays",),
    categories=("karpenter",),
    subresources=frozenset({"status"}),
    declared=CUSTOM_RESOURCE,
)
