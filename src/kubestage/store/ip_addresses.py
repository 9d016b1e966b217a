"""The addresses of Services as objects, in a cluster with an API server.

Each address has an IPAddress as long as its Service has the address.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects.validation import service_families as families
from kubestage.store import bootstrap
from kubestage.store.log import DELETED

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.store.core import Core
    from kubestage.store.log import Change

IP_ADDRESS: Final = ("networking.k8s.io/v1", "IPAddress")
MANAGED_BY: Final = "ipaddress.kubernetes.io/managed-by"
ALLOCATOR: Final = "ipallocator.k8s.io"
_FAMILY: Final = "ipaddress.kubernetes.io/ip-family"
_MANAGER: Final = "kube-apiserver"


def observe(core: Core, change: Change) -> None:
    """Record the addresses that a Service has now, and release those that it had."""
    now = [] if change.type == DELETED else of_service(change.new)
    before = of_service(change.new if change.old is None else change.old)
    service = change.new["metadata"]
    for address in before:
        if address not in now:
            _release(core, address, service)
    for address in now:
        if address not in core.read(IP_ADDRESS):
            bootstrap.add(core, _record(address, service), _MANAGER)


def record_all(core: Core) -> None:
    """Record the addresses of all Services that there are."""
    for service in tuple(core.read(("v1", "Service")).values()):
        for address in of_service(service):
            if address not in core.read(IP_ADDRESS):
                bootstrap.add(core, _record(address, service["metadata"]), _MANAGER)


def of_service(service: Json) -> list[str]:
    """The addresses of a Service; none if it is headless or a name."""
    addresses: list[str] = (service.get("spec") or {}).get("clusterIPs") or []
    return [each for each in addresses if each != families.NONE]


def _record(address: str, service: Json) -> Json:
    family = families.IPV6 if families.is_ipv6(address) else families.IPV4
    parent = {"group": "", "resource": "services"}
    parent |= {"namespace": service["namespace"], "name": service["name"]}
    return {
        "apiVersion": IP_ADDRESS[0],
        "kind": IP_ADDRESS[1],
        "metadata": {"name": address, "labels": {_FAMILY: family, MANAGED_BY: ALLOCATOR}},
        "spec": {"parentRef": parent},
    }


def _release(core: Core, address: str, service: Json) -> None:
    found = core.read(IP_ADDRESS).get(address)
    if found is None:
        return
    parent = found["spec"].get("parentRef") or {}
    if (parent.get("resource"), parent.get("namespace"), parent.get("name")) == (
        "services",
        service["namespace"],
        service["name"],
    ):
        core.remove(core.kind(IP_ADDRESS), address)
