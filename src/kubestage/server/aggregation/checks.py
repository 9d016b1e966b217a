"""Whether an API server is available: its Service, its endpoints, the answer of its discovery."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.golang import quote
from kubestage.objects import gvk
from kubestage.server.aggregation import headers, places, sending
from kubestage.server.discovery import priorities
from kubestage.store.admission.webhook.call_failed import CallFailed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kubestage.aliases import Json
    from kubestage.server.aggregation.remote_api import Backend, RemoteApi
    from kubestage.store.store import Store

_LATE: Final = "context deadline exceeded (Client.Timeout exceeded while awaiting headers)"
_SLICE: Final = ("discovery.k8s.io/v1", "EndpointSlice")
_OF_SERVICE: Final = "kubernetes.io/service-name"
_DISCOVERY_CHECK: Final = "FailedDiscoveryCheck"


class Verdict(NamedTuple):
    """The reason and the message of the condition Available."""

    reason: str
    message: str
    is_passed: bool = False
    # A server that does not answer may do so soon; a Service changes when somebody changes it.
    is_retried: bool = False


PASSED: Final = Verdict("Passed", "all checks passed", is_passed=True)


def service_verdict(store: Store, backend: Backend) -> Verdict | None:
    """What the Service and its endpoints lack; None if they lack nothing."""
    where = f"service/{backend.name} in {quote.quote(backend.namespace)}"
    service = store.read(gvk.SERVICE).get(backend.key)
    if service is None:
        return Verdict("ServiceNotFound", f"{where} is not present")
    if (service["spec"].get("type") or "ClusterIP") != "ClusterIP":
        return None
    ports = service["spec"].get("ports") or ()
    served = next((each for each in ports if each.get("port") == backend.port), None)
    if served is None:
        return Verdict("ServicePortError", f"{where} is not listening on port {backend.port}")
    slices = [
        each
        for key, each in store.read(_SLICE).items()
        if key.startswith(f"{backend.namespace}/")
        and (each["metadata"].get("labels") or {}).get(_OF_SERVICE) == backend.name
    ]
    if not slices:
        return Verdict("EndpointsNotFound", f"cannot find endpointslices for {where}")
    name = served.get("name") or ""
    if not any(_has_endpoint(each, name) for each in slices):
        lack = f"have no addresses with port name {quote.quote(name)}"
        return Verdict("MissingEndpoints", f"endpointslices for {where} {lack}")
    return None


def _has_endpoint(found: Json, port_name: str) -> bool:
    is_ready = any(
        (each.get("conditions") or {}).get("ready", True) for each in found.get("endpoints") or ()
    )
    return is_ready and any(
        (port.get("name") or "") == port_name and port.get("port") is not None
        for port in found.get("ports") or ()
    )


async def check(
    store: Store, urls: Mapping[str, str], remote: RemoteApi, timeout_s: float
) -> Verdict:
    """Check an API server; one that is reached at a URL of its own needs no Service."""
    backend = remote.backend
    found = None if backend.key in urls else service_verdict(store, backend)
    remote.is_modelled = False
    if found is not None:
        return found
    try:
        place = places.find(store, urls, backend)
    except places.Simulated as error:
        if remote.group == priorities.METRICS:
            remote.is_modelled = True
            return PASSED
        return _failed(f"{places.cluster_url(store, backend)}{remote.path}", str(error))
    except CallFailed as error:
        return Verdict(_DISCOVERY_CHECK, str(error), is_retried=True)
    return await _discovery_verdict(remote, place, timeout_s)


async def _discovery_verdict(remote: RemoteApi, place: places.Place, timeout_s: float) -> Verdict:
    url = f"{place.shown}{remote.path}"
    question = sending.Outgoing("GET", remote.path, headers.identity(headers.AGGREGATOR))
    try:
        async with asyncio.timeout(timeout_s):
            reply = await sending.send(remote, place, question)
    except TimeoutError:
        return _failed(url, _LATE)
    except CallFailed as error:
        return _failed(url, str(error))
    await reply.close()
    if 200 <= reply.status < 300:
        return PASSED
    status = f"bad status from {url}: {reply.status}"
    return Verdict(
        _DISCOVERY_CHECK, f"failing or missing response from {url}: {status}", is_retried=True
    )


def _failed(url: str, why: str) -> Verdict:
    message = f"failing or missing response from {url}: Get {quote.quote(url)}: {why}"
    return Verdict(_DISCOVERY_CHECK, message, is_retried=True)
