"""Where a Service leads: one of its ready endpoints, and the pod behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.objects import gvk
from kubestage.objects.validation import field
from kubestage.store.admission.webhook.call_failed import CallFailed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.store.store import Store

_SLICE: Final = ("discovery.k8s.io/v1", "EndpointSlice")
_OF_SERVICE: Final = "kubernetes.io/service-name"


class Endpoint(NamedTuple):
    """An address that serves a port of a Service; `pod` is the pod there, if it is one."""

    address: str
    port: int
    pod: Json | None


def endpoint(store: Store, namespace: str, name: str, port: int) -> Endpoint:
    """A ready endpoint of a Service; `CallFailed` if there is none."""
    for found in endpoints(store, namespace, name, port):
        return found
    raise CallFailed(f"no endpoints available for service {field.quote(name)}")


def endpoints(store: Store, namespace: str, name: str, port: int) -> Iterator[Endpoint]:
    """The ready endpoints of a Service; `CallFailed` if it does not have the port."""
    service = store.read(gvk.SERVICE).get(f"{namespace}/{name}")
    if service is None:
        raise CallFailed(f"service {field.quote(name)} not found")
    ports = service["spec"].get("ports") or ()
    served = next((each for each in ports if each.get("port") == port), None)
    if served is None:
        raise CallFailed(f"no service port {port} found for service {field.quote(name)}")
    slices = store.read(_SLICE)
    for key in sorted(slices):
        found = slices[key]
        labels = found["metadata"].get("labels") or {}
        if key.startswith(f"{namespace}/") and labels.get(_OF_SERVICE) == name:
            yield from _ready(store, found, namespace, served.get("name") or "")


def _ready(store: Store, found: Json, namespace: str, port_name: str) -> Iterator[Endpoint]:
    for port in found.get("ports") or ():
        if (port.get("name") or "") != port_name or port.get("port") is None:
            continue
        for each in found.get("endpoints") or ():
            if (each.get("conditions") or {}).get("ready", True):
                target = each.get("targetRef") or {}
                pod = None
                if target.get("kind") == "Pod":
                    pod = store.read(gvk.POD).get(f"{namespace}/{target.get('name')}")
                yield Endpoint(each["addresses"][0], port["port"], pod)
