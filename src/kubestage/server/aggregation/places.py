"""Where the API server behind a Service is reached."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from kubestage.objects import gvk
from kubestage.server.outside import services
from kubestage.store.admission.webhook.call_failed import CallFailed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kubestage.server.aggregation.remote_api import Backend
    from kubestage.store.store import Store


class Place(NamedTuple):
    """The start of all URLs of an API server; `shown` is how messages name it."""

    url: str
    shown: str


class Simulated(CallFailed):
    """All endpoints are simulated pods, in which nothing listens."""


def find(store: Store, urls: Mapping[str, str], backend: Backend) -> Place:
    """The place of an API server; `CallFailed` if there is none."""
    mapped = urls.get(backend.key)
    if mapped is not None:
        return Place(mapped.rstrip("/"), mapped.rstrip("/"))
    shown = cluster_url(store, backend)
    service = store.read(gvk.SERVICE)[backend.key]
    if service["spec"].get("type") == "ExternalName":
        return Place(shown, shown)
    refused = None
    for each in services.endpoints(store, backend.namespace, backend.name, backend.port):
        address = f"{_bracketed(each.address)}:{each.port}"
        if each.pod is None:
            return Place(f"https://{address}", shown)
        refused = refused or _refused(backend, address, each.pod["metadata"]["name"])
    if refused is not None:
        raise refused
    raise CallFailed(f'no endpoints available for service "{backend.name}"')


def cluster_url(store: Store, backend: Backend) -> str:
    """The URL by which the cluster's network reaches a Service."""
    service = store.read(gvk.SERVICE).get(backend.key)
    if service is None:
        raise CallFailed(f'service "{backend.name}" not found')
    spec = service["spec"]
    if spec.get("type") == "ExternalName":
        return f"https://{spec['externalName']}:{backend.port}"
    address = spec.get("clusterIP") or ""
    if address == "None":
        raise CallFailed('cannot route to service with ClusterIP "None"')
    return f"https://{_bracketed(address)}:{backend.port}"


def _refused(backend: Backend, address: str, pod: str) -> Simulated:
    why = (
        f"pod {backend.namespace}/{pod} is simulated and runs no program; "
        f"kubestage serve --webhook-url {backend.key}=URL leads to a real one"
    )
    return Simulated(f"dial tcp {address}: connect: connection refused ({why})")


def _bracketed(address: str) -> str:
    return f"[{address}]" if ":" in address else address
