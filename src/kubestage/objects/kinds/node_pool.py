"""The names of a NodePool; its definition says how it is treated (`custom.instances`)."""

from __future__ import annotations

from typing import Final

from kubestage.objects.kinds.behavior import CUSTOM_RESOURCE
from kubestage.objects.kinds.kind import Kind

KIND: Final = Kind(
    group="karpenter.sh",
    version="v1",
    kind="NodePool",
    plural="nodepools",
    namespaced=False,
    categories=("karpenter",),
    subresources=frozenset({"scale", "status"}),
    declared=CUSTOM_RESOURCE,
)
