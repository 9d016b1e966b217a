"""Claims, classes and slices for the tests of this room."""

from __future__ import annotations

from typing import Any

from tests.objects.validation.judging import make

RESOURCE = "resource.k8s.io/v1"


def request(name: str = "r", **exactly: Any) -> dict[str, Any]:
    """A request for a device of a class."""
    return {"name": name, "exactly": {"deviceClassName": "gpu.x", **exactly}}


def claim(
    *requests: dict[str, Any], status: dict[str, Any] | None = None, **devices: Any
) -> dict[str, Any]:
    """A claim with these requests."""
    spec = {"devices": {"requests": list(requests), **devices}}
    return make(RESOURCE, "ResourceClaim", namespaced=True, spec=spec, status=status or {})


def resource_slice(*devices: dict[str, Any], **spec: Any) -> dict[str, Any]:
    """A slice of a node's pool."""
    pool = {"name": "p", "generation": 1, "resourceSliceCount": 1}
    spec = {"driver": "d.x", "pool": pool, "nodeName": "n", "devices": list(devices), **spec}
    spec = {key: value for key, value in spec.items() if value is not None}
    return make(RESOURCE, "ResourceSlice", spec=spec)


def device_class(**spec: Any) -> dict[str, Any]:
    """A class of devices."""
    return make(RESOURCE, "DeviceClass", spec=spec)
