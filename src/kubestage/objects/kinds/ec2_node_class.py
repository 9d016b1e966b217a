"""The names of an EC2NodeClass; its definition says how it is treated (`custom.instances`)."""

from __future__ import annotations

from typing import Final

from kubestage.objects.kinds.behavior import CUSTOM_RESOURCE
from kubestage.objects.kinds.kind import Kind

KIND: Final = Kind(
    group="karpenter.k8s.aws",
    version="v1",
    kind="EC2NodeClass",
    plural="ec2nodeclasses",
    namespaced=False,
    short_names=("ec2nc", "ec2ncs"),
    categories=("karpenter",),
    subresources=frozenset({"status"}),
    declared=CUSTOM_RESOURCE,
)
