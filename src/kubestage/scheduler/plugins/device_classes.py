"""Extended resources that devices stand behind, by way of a DeviceClass."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from kubestage.scheduler.handle import Lister

CLASS_PREFIX: Final = "deviceclass.resource.kubernetes.io/"
"""Begins the resource name that every DeviceClass has without being told."""

_API_VERSION: Final = "resource.k8s.io/v1"


def backs(lister: Lister, resource: str) -> bool:
    """Whether a DeviceClass offers its devices under this resource name."""
    return any(
        resource
        in (
            each["spec"].get("extendedResourceName"),
            f"{CLASS_PREFIX}{each['metadata']['name']}",
        )
        for each in lister.list(_API_VERSION, "DeviceClass")
    )
