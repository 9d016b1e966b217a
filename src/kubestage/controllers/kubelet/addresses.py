"""Addresses of pods and nodes, given out in an order that never varies."""

from __future__ import annotations

import ipaddress
from typing import Final

# Where nodes without a podCIDR of their own get one: the range that most clusters use, and on.
_FIRST_NETWORK: Final = int(ipaddress.IPv4Address("10.244.0.0"))
_NETWORKS: Final = (1 << 24) // 256
_TEN: Final = int(ipaddress.IPv4Address("10.0.0.0"))
_FIRST_HOST: Final = int(ipaddress.IPv4Address("172.18.0.2"))
# Where the pods of nodes go that hold more than their range does.
_OVERFLOW: Final = int(ipaddress.IPv4Address("100.64.0.0"))


class Addresses:
    """The ranges of a stage: one for each node, one for the nodes themselves."""

    def __init__(self) -> None:
        self._networks = 0
        self._hosts = 0
        self._overflow = 0
        # What is in use by those who were there first.
        self._reserved_hosts: set[str] = set()
        self._reserved: set[str] = set()

    def keep_host(self, address: str) -> None:
        """A node has had an address before any was given out here."""
        self._reserved_hosts.add(address)

    def keep(self, address: str) -> None:
        """A pod has had an address before any was given out here."""
        self._reserved.add(address)

    def next_host(self) -> str:
        """The address of another node."""
        while True:
            self._hosts += 1
            address = str(ipaddress.IPv4Address(_FIRST_HOST + self._hosts - 1))
            if address not in self._reserved_hosts:
                return address

    def next_range(self, cidr: str | None) -> Range:
        """The range of another node: the one that it states, or the next /24 that is free."""
        if cidr:
            network = ipaddress.ip_network(cidr, strict=False)
            first, size = int(network.network_address), network.num_addresses
            return Range(first, size, network.version, self._reserved)
        offset = (_FIRST_NETWORK - _TEN) // 256
        number = (offset + self._networks) % _NETWORKS
        self._networks += 1
        return Range(_TEN + number * 256, 256, 4, self._reserved)

    def beyond(self) -> str:
        """An address for a pod that its node has none for."""
        while True:
            self._overflow += 1
            address = str(ipaddress.IPv4Address(_OVERFLOW + self._overflow))
            if address not in self._reserved:
                return address


class Range:
    """The pod addresses of one node; one is used again only after all others were used."""

    __slots__ = ("_at", "_first", "_reserved", "_size", "_taken", "_version")

    def __init__(self, first: int, size: int, version: int, reserved: set[str]) -> None:
        self._first = first
        self._reserved = reserved
        self._size = min(size, 1 << 24)
        self._version = version
        # The first address is the network's, the second the gateway's, the last for broadcasts.
        self._at = 2
        self._taken: set[str] = set()

    def take(self) -> str | None:
        """The next free address, if there is one."""
        usable = self._size - 3
        if usable <= 0 or len(self._taken) >= usable:
            return None
        for _ in range(usable):
            if self._at >= self._size - 1:
                self._at = 2
            text = self._text(self._first + self._at)
            self._at += 1
            if text not in self._taken and text not in self._reserved:
                self._taken.add(text)
                return text
        return None

    def keep(self, address: str) -> None:
        """An address is in use already."""
        self._taken.add(address)

    def free(self, address: str) -> None:
        """An address may be used again."""
        self._taken.discard(address)
        self._reserved.discard(address)

    def _text(self, number: int) -> str:
        if self._version == 6:
            return str(ipaddress.IPv6Address(number))
        return f"{number >> 24}.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"
