"""Requests from container to container: by addresses of pods and Services, and by their names."""

from __future__ import annotations

import functools
import ipaddress
from typing import TYPE_CHECKING, Final

from kubestage.controllers.kubelet.containers import RUNNING
from kubestage.controllers.kubelet.dns import ClusterNames, ready_endpoints
from kubestage.objects import gvk
from kubestage.programs import hosts, kubelet_servers, records
from kubestage.programs.http import DATAGRAM

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.aliases import Json
    from kubestage.controllers.kubelet.pod import Pod
    from kubestage.programs.http import HttpAnswer, HttpRequest
    from kubestage.sim.clock import Clock
    from kubestage.store.store import Store

_OWN: Final = ("localhost", "127.0.0.1", "::1")
_ANY: Final = ("0.0.0.0", "::")


class Network:
    """Finds the modelled server that a request is for."""

    def __init__(self, clock: Clock, store: Store, pods: dict[str, Pod]) -> None:
        self._clock = clock
        self._store = store
        self._pods = pods
        self.names = ClusterNames(store)
        # Connections so far: each takes the next pod of a Service, unless it has an affinity.
        self._connections = 0
        self._affinities: dict[tuple[str, str], str] = {}

    def asker(self, uid: str) -> Callable[[str, int, HttpRequest], HttpAnswer | None]:
        """How a pod makes requests."""
        return functools.partial(self._ask_from, uid)

    def _ask_from(self, uid: str, host: str, port: int, request: HttpRequest) -> HttpAnswer | None:
        if host in _OWN:
            own = self._pods.get(uid)
            return None if own is None else self._at_own(own, host, port, request)
        for address in self._addresses(uid, host):
            found = self._at_address(address, port, request)
            if found is not None:
                return found
        return None

    def _at_own(self, own: Pod, host: str, port: int, request: HttpRequest) -> HttpAnswer | None:
        """The answer to a pod that asks itself; those on the network of a node are as one."""
        if not own.plan.host_network or own.node is None:
            return self.answer(own, port, request)
        for each in own.node.pods.values():
            found = self.answer(each, port, request) if each.plan.host_network else None
            if found is not None:
                return found
        address = "127.0.0.1" if host == "localhost" else host
        return self._at_host_port(list(own.node.pods.values()), address, port, request)

    def _at_host_port(
        self, pods: list[Pod], address: str, port: int, request: HttpRequest
    ) -> HttpAnswer | None:
        """The answer of the pod of a node to which its port at an address leads."""
        protocol = "UDP" if request.method == DATAGRAM else "TCP"
        for pod in pods:
            for each in pod.all_containers():
                for stated in each.plan.stated.get("ports") or ():
                    if _is_host_port(stated, address, port, protocol):
                        return self.answer(pod, int(stated["containerPort"]), request)
        return None

    def _addresses(self, uid: str, host: str) -> list[str]:
        """What a pod's resolver makes of a host; a host without records stands for itself."""
        asking = self._pods.get(uid)
        key = "" if asking is None else asking.name
        obj = self._store.read(gvk.POD).get(key)
        if obj is None or _is_address(host):
            return [host]
        for name in records.candidates(host, hosts.resolver_of(obj)):
            found = [each.value for each in self.names.lookup(name, "A") if each.type == "A"]
            if found:
                return found
        return [host]

    def _at_address(self, address: str, port: int, request: HttpRequest) -> HttpAnswer | None:
        if port == kubelet_servers.PORT:
            node = self._node_at(address)
            if node is not None:
                return kubelet_servers.ask(self._store, node, request)
        for target in [each for each in self._pods.values() if each.ip == address]:
            found = self.answer(target, port, request)
            if found is not None:
                return found
        near = [each for each in self._pods.values() if each.node and each.node.ip == address]
        found = self._at_host_port(near, address, port, request)
        return self._of_service(address, port, request) if found is None else found

    def _node_at(self, address: str) -> str | None:
        """The node that has an address."""
        for name, node in self._store.read(gvk.NODE).items():
            stated = (node.get("status") or {}).get("addresses") or ()
            if any(each["address"] == address for each in stated):
                return name
        return None

    def answer(self, pod: Pod, port: int, request: HttpRequest) -> HttpAnswer | None:
        """The answer of a pod; None if no modelled program of it serves there."""
        for each in pod.all_containers():
            if each.process is not None and each.state == RUNNING:
                found = each.process.ask(port, request, self._clock.now_ns)
                if found is not None:
                    return found
        return None

    def _of_service(self, address: str, port: int, request: HttpRequest) -> HttpAnswer | None:
        protocol = "UDP" if request.method == DATAGRAM else "TCP"
        service, stated = self._service_port(address, port, protocol)
        if service is None or stated is None:
            return None
        for pod, number in self._in_turn(service, self.behind(service, stated), request.client):
            found = self.answer(pod, number, request)
            if found is not None:
                self._affinities[service["metadata"]["uid"], _address(request.client)] = pod.uid
                return found
        return None

    def _in_turn(
        self, service: Json, behind: list[tuple[Pod, int]], client: str
    ) -> list[tuple[Pod, int]]:
        """The pods of a Service in the order in which a client tries them."""
        if not behind:
            return []
        self._connections += 1
        first = self._connections % len(behind)
        if service["spec"].get("sessionAffinity") == "ClientIP":
            known = self._affinities.get((service["metadata"]["uid"], _address(client)))
            first = next((i for i, (pod, _) in enumerate(behind) if pod.uid == known), first)
        return behind[first:] + behind[:first]

    def behind(self, service: Json, port: Json) -> list[tuple[Pod, int]]:
        """The ready pods of a Service, and the number that a port of it has there."""
        name = port.get("name") or ""
        return [
            (pod, ports[name])
            for endpoint, ports in ready_endpoints(self._store, service)
            if name in ports
            for pod in self._at(endpoint)
        ]

    def _at(self, endpoint: Json) -> list[Pod]:
        """The pods of an endpoint: the one that it names, or those with its addresses."""
        uid = (endpoint.get("targetRef") or {}).get("uid")
        if uid:
            return [self._pods[uid]] if uid in self._pods else []
        return [each for each in self._pods.values() if each.ip in endpoint["addresses"]]

    def _service_port(self, host: str, port: int, protocol: str) -> tuple[Json | None, Json | None]:
        """The Service behind an address, and its port."""
        service = self._service(host)
        if service is not None:
            for each in _ports(service, protocol):
                if each["port"] == port:
                    return service, each
            return service, None
        if not self._is_node(host):
            return None, None
        for each in self._store.read(gvk.SERVICE).values():
            for stated in _ports(each, protocol):
                if stated.get("nodePort") == port:
                    return each, stated
        return None, None

    def _is_node(self, host: str) -> bool:
        nodes = self._store.read(("v1", "Node")).values()
        return any(
            each.get("address") == host
            for node in nodes
            for each in (node.get("status") or {}).get("addresses") or ()
        )

    def _service(self, address: str) -> Json | None:
        for each in self._store.read(gvk.SERVICE).values():
            spec = each["spec"]
            if address in (*(spec.get("clusterIPs") or ()), *(spec.get("externalIPs") or ())):
                return each
        return None


def _ports(service: Json, protocol: str) -> list[Json]:
    ports = service["spec"].get("ports") or ()
    return [each for each in ports if (each.get("protocol") or "TCP") == protocol]


def _is_host_port(stated: Json, address: str, port: int, protocol: str) -> bool:
    """Whether a port of a container is one of its node, too, at an address."""
    if stated.get("hostPort") != port or (stated.get("protocol") or "TCP") != protocol:
        return False
    return (stated.get("hostIP") or address) in (address, *_ANY)


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _address(client: str) -> str:
    """The address of a client without its port."""
    return client.rpartition(":")[0]
