"""The Service `kubernetes`, by which pods reach the API server, and where it leads."""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.store.bootstrap import Bootstrap

NAME: Final = "kubernetes"
KEY: Final = f"default/{NAME}"
ADDRESS: Final = "10.96.0.1"
"""The first address of the range of Services."""

_PORT: Final = 443
_PORT_NAME: Final = "https"


def service(server: Bootstrap) -> Json:
    """The Service; it has no selector."""
    labels = {"component": "apiserver", "provider": "kubernetes"}
    port = {"name": _PORT_NAME, "port": _PORT, "protocol": "TCP", "targetPort": server.port}
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": NAME, "namespace": "default", "labels": labels},
        "spec": {
            "clusterIP": ADDRESS,
            "clusterIPs": [ADDRESS],
            "ipFamilies": ["IPv4"],
            "ipFamilyPolicy": "SingleStack",
            "ports": [port],
            "sessionAffinity": "None",
            "type": "ClusterIP",
        },
    }


def endpoints(server: Bootstrap) -> Json:
    """The address of the server; its slice is made here, not by the mirroring controller."""
    labels = {"endpointslice.kubernetes.io/skip-mirror": "true"}
    return {
        "apiVersion": "v1",
        "kind": "Endpoints",
        "metadata": {"name": NAME, "namespace": "default", "labels": labels},
        "subsets": [{"addresses": [{"ip": server.address}], "ports": [_endpoint_port(server)]}],
    }


def endpoint_slice(server: Bootstrap) -> Json:
    """The same as a slice."""
    version = ipaddress.ip_address(server.address).version
    labels = {"kubernetes.io/service-name": NAME}
    return {
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "metadata": {"name": NAME, "namespace": "default", "labels": labels},
        "addressType": f"IPv{version}",
        "endpoints": [{"addresses": [server.address], "conditions": {"ready": True}}],
        "ports": [_endpoint_port(server)],
    }


def _endpoint_port(server: Bootstrap) -> Json:
    return {"name": _PORT_NAME, "port": server.port, "protocol": "TCP"}
