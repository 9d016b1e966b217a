"""The range of Services that the API server was started with, as a ServiceCIDR."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.store import service_ranges

if TYPE_CHECKING:
    from kubestage.aliases import Json


def service_cidr(now: str) -> Json:
    """The ServiceCIDR, which is ready at once."""
    condition = {
        "type": service_ranges.READY,
        "status": "True",
        "reason": "",
        "message": "Kubernetes default Service CIDR is ready",
        "lastTransitionTime": now,
    }
    return {
        "apiVersion": service_ranges.SERVICE_CIDR[0],
        "kind": service_ranges.SERVICE_CIDR[1],
        "metadata": {"name": service_ranges.DEFAULT_NAME},
        "spec": {"cidrs": [str(service_ranges.DEFAULT)]},
        "status": {"conditions": [condition]},
    }
