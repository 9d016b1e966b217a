"""The names of Services and pods, as a cluster's DNS server answers them."""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING, Final

from kubestage.objects import gvk
from kubestage.programs.records import DOMAIN, Record

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.store.store import Store

_SLICE: Final = ("discovery.k8s.io/v1", "EndpointSlice")
_OF_SERVICE: Final = "kubernetes.io/service-name"
_REVERSE: Final = ".in-addr.arpa"
_MOST_ALIASES: Final = 8


class ClusterNames:
    """Looks up names of a cluster: Services, headless ones, their pods, ports and addresses.

    There are no names outside.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    def lookup(self, name: str, record_type: str) -> list[Record]:
        """The records of a name."""
        name = name.lower()
        if name.endswith(_REVERSE):
            address = ".".join(reversed(name.removesuffix(_REVERSE).split(".")))
            return [Record(name, "PTR", each) for each in self._names_of(address)]
        if not name.endswith(f".{DOMAIN}"):
            return []
        labels = name.removesuffix(f".{DOMAIN}").split(".")
        if labels[-1] == "pod" and len(labels) == 3:
            return _of_address(name, labels[0].replace("-", "."), record_type)
        if labels[-1] != "svc" or len(labels) < 3:
            return []
        *inner, service_name, namespace, _ = labels
        service = self._store.read(gvk.SERVICE).get(f"{namespace}/{service_name}")
        return [] if service is None else self._of_service(name, service, inner, record_type)

    def _of_service(
        self, name: str, service: Json, inner: list[str], record_type: str
    ) -> list[Record]:
        spec = service["spec"]
        if spec.get("type") == "ExternalName":
            return self._of_alias(name, spec, record_type) if not inner else []
        if record_type == "SRV":
            return list(self._ports(name, service, inner))
        if inner:
            hosts = [ip for host, ip, _ in self._endpoints(service) if inner == [host]]
            return [each for ip in hosts for each in _of_address(name, ip, record_type)]
        addresses = [each for each in spec.get("clusterIPs") or () if each != "None"]
        if spec.get("clusterIP") == "None":
            addresses = [ip for _, ip, _ in self._endpoints(service)]
        return [each for ip in addresses for each in _of_address(name, ip, record_type)]

    def _of_alias(self, name: str, spec: Json, record_type: str) -> list[Record]:
        found, target = [], str(spec.get("externalName") or "").removesuffix(".")
        found.append(Record(name, "CNAME", target))
        if record_type == "CNAME":
            return found
        for _ in range(_MOST_ALIASES):
            further = self.lookup(target, "CNAME")
            if not further:
                break
            found += further
            target = further[0].value
        return found + self.lookup(target, record_type)

    def _ports(self, name: str, service: Json, inner: list[str]) -> Iterator[Record]:
        """The records of a named port: ``_http._tcp.web.shop.svc.cluster.local``."""
        if len(inner) != 2 or not all(each.startswith("_") for each in inner):
            return
        metadata, spec = service["metadata"], service["spec"]
        base = f"{metadata['name']}.{metadata['namespace']}.svc.{DOMAIN}"
        for port in spec.get("ports") or ():
            protocol = (port.get("protocol") or "TCP").lower()
            if inner != [f"_{port.get('name')}", f"_{protocol}"]:
                continue
            if spec.get("clusterIP") != "None":
                yield Record(name, "SRV", f"0 100 {port['port']} {base}")
                continue
            for host, _, ports in self._endpoints(service):
                number = ports.get(port.get("name") or "")
                if number is not None:
                    yield Record(name, "SRV", f"0 100 {number} {host}.{base}")

    def _endpoints(self, service: Json) -> Iterator[tuple[str, str, dict[str, int]]]:
        """Name, address and ports of each endpoint that is published."""
        for endpoint, ports in ready_endpoints(self._store, service):
            ip = endpoint["addresses"][0]
            host = endpoint.get("hostname") or ip.replace(".", "-").replace(":", "-")
            yield host, ip, ports

    def _names_of(self, address: str) -> Iterator[str]:
        for each in self._store.read(gvk.SERVICE).values():
            metadata, spec = each["metadata"], each["spec"]
            base = f"{metadata['name']}.{metadata['namespace']}.svc.{DOMAIN}"
            if address in (spec.get("clusterIPs") or ()):
                yield base
            elif spec.get("clusterIP") == "None":
                for host, ip, _ in self._endpoints(each):
                    if ip == address:
                        yield f"{host}.{base}"


def ready_endpoints(store: Store, service: Json) -> Iterator[tuple[Json, dict[str, int]]]:
    """The ready endpoints in the slices of a Service, each with its ports by name."""
    metadata = service["metadata"]
    for each in store.read(_SLICE).values():
        labels, place = each["metadata"].get("labels") or {}, each["metadata"]["namespace"]
        if (labels.get(_OF_SERVICE), place) != (metadata["name"], metadata["namespace"]):
            continue
        ports = {
            one.get("name") or "": int(one["port"])
            for one in each.get("ports") or ()
            if one.get("port")
        }
        for endpoint in each.get("endpoints") or ():
            if (endpoint.get("conditions") or {}).get("ready", True):
                yield endpoint, ports


def _of_address(name: str, address: str, record_type: str) -> list[Record]:
    """The record of an address, if it has that type."""
    try:
        version = ipaddress.ip_address(address).version
    except ValueError:
        return []
    its_type = "A" if version == 4 else "AAAA"
    return [Record(name, its_type, address)] if its_type == record_type else []
