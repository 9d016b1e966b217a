"""Addresses of nodes, and of pods from the ranges of their nodes."""

from __future__ import annotations

import functools
import ipaddress
from collections import deque
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.aliases import Json

Interface = ipaddress.IPv4Interface | ipaddress.IPv6Interface

DEFAULT_CIDR: Final = "10.0.0.1/24"
DEFAULT_NODE_IP: Final = "10.0.0.1"


class Pool:
    """Addresses that follow one; those given back are used again first, the oldest before."""

    def __init__(self, cidr: str) -> None:
        self._interface = _interface(cidr)
        self._used: set[str] = set()
        self._free: deque[str] = deque()
        self._index = 0

    def take(self) -> str:
        """A free address."""
        while self._free:
            address = self._free.popleft()
            if address not in self._used:
                self._used.add(address)
                return address
        while True:
            self._index += 1
            address = str(self._interface.ip + self._index)
            if address not in self._used:
                self._used.add(address)
                return address

    def use(self, address: str) -> None:
        """An address is in use already."""
        if self._contains(address):
            self._used.add(address)

    def give_back(self, address: str) -> None:
        """An address is free again."""
        if address in self._used and self._contains(address):
            self._used.discard(address)
            self._free.append(address)

    def _contains(self, address: str) -> bool:
        try:
            return ipaddress.ip_address(address) in self._interface.network
        except ValueError:
            return False


@functools.lru_cache(maxsize=1 << 14)
def _interface(cidr: str) -> Interface:
    return ipaddress.ip_interface(cidr)


class Addresses:
    """Knows the addresses of nodes and hands out those of pods."""

    def __init__(
        self,
        find_node: Callable[[str], Json | None],
        node_ip: str = DEFAULT_NODE_IP,
        cidr: str = DEFAULT_CIDR,
    ) -> None:
        self._find_node = find_node
        self.node_ip = node_ip
        self._cidr = cidr
        self._pools: dict[str, Pool] = {}

    def of_node(self, name: str) -> list[str]:
        """A node's own address, and one of the other family if it has one."""
        node = self._find_node(name)
        host_ips = [] if node is None else _host_ips(node)
        return host_ips or ([self.node_ip] if self.node_ip else [])

    def default_pod_ip(self) -> str:
        """An address for a pod of no node."""
        return self._pool(self._cidr).take()

    def for_pod(self, node_name: str, host_network: bool) -> list[str]:
        """Addresses for a new pod: one from each range of its node."""
        if host_network:
            return self.of_node(node_name)
        node = self._find_node(node_name)
        if node is None:
            return [self.node_ip] if self.node_ip else []
        return [self._pool(cidr).take() for cidr in self._ranges(node)]

    def note(self, pod: Json) -> None:
        """The addresses of a pod are taken."""
        for pool, address in self._assigned(pod):
            pool.use(address)

    def release(self, pod: Json) -> None:
        """A pod is gone, and its addresses are free."""
        for pool, address in self._assigned(pod):
            pool.give_back(address)

    def _assigned(self, pod: Json) -> list[tuple[Pool, str]]:
        spec, status = pod.get("spec") or {}, pod.get("status") or {}
        if spec.get("hostNetwork"):
            return []
        node = self._find_node(spec.get("nodeName") or "")
        if node is None:
            return []
        found = [each["ip"] for each in status.get("podIPs") or () if each.get("ip")]
        if not found and status.get("podIP"):
            found = [status["podIP"]]
        return [
            (self._pool(cidr), address)
            for cidr, address in zip(self._ranges(node), found, strict=False)
        ]

    def _ranges(self, node: Json) -> list[str]:
        spec = node.get("spec") or {}
        if spec.get("podCIDRs"):
            return list(spec["podCIDRs"])
        return [spec.get("podCIDR") or self._cidr]

    def _pool(self, cidr: str) -> Pool:
        pool = self._pools.get(cidr)
        if pool is None:
            pool = self._pools[cidr] = Pool(cidr)
        return pool


def _host_ips(node: Json) -> list[str]:
    addresses = (node.get("status") or {}).get("addresses") or ()
    found = []
    for requested in ("InternalIP", "ExternalIP"):
        for each in addresses:
            if each.get("type") == requested:
                try:
                    found.append(ipaddress.ip_address(each.get("address", "")))
                except ValueError:
                    continue
    others = [each for each in found[1:] if each.version != found[0].version]
    return [str(each) for each in found[:1] + others[:1]]
