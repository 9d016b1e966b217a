"""The addresses behind a Service as an Endpoints object groups them."""

from __future__ import annotations

import bisect
import functools
from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.controllers import pods
from kubestage.controllers.endpointslice import pod_endpoint, service_pods, service_ports
from kubestage.controllers.endpointslice.trigger_times import TriggerTimes
from kubestage.objects import go_dump

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kubestage.aliases import Json
    from kubestage.controllers.endpointslice.service_ports import Port


MOST: Final = 1000
"""How many addresses an Endpoints object has at most."""


class Address(NamedTuple):
    """Where a pod is, in the order of addresses."""

    ip: str
    uid: str
    written: Json


class _Entry(NamedTuple):
    ports: tuple[Port, ...]
    is_ready: bool
    address: Address


class Subsets:
    """The addresses of one Service in order, by the ports that they are good for.

    Kept as pods change, because to sort them all each time would take most of the time.
    """

    __slots__ = ("_entries", "_groups", "times")

    def __init__(self) -> None:
        self.times = TriggerTimes()
        self._entries: dict[str, _Entry] = {}
        self._groups: dict[tuple[Port, ...], dict[bool, list[Address]]] = {}

    def clear(self) -> None:
        """Start again."""
        self._entries, self._groups = {}, {}

    def place(self, service: Json, changed: Mapping[str, Json | None]) -> None:
        """Take in how pods are now."""
        for key, pod in changed.items():
            old = self._entries.pop(key, None)
            if old is not None:
                self._take_out(old)
            new = None if pod is None else _entry(service, pod)
            if new is not None:
                self._entries[key] = new
                lists = self._groups.setdefault(new.ports, {True: [], False: []})
                bisect.insort(lists[new.is_ready], new.address, key=_order)

    def _take_out(self, entry: _Entry) -> None:
        lists = self._groups[entry.ports]
        found = lists[entry.is_ready]
        del found[bisect.bisect_left(found, _order(entry.address), key=_order)]
        if not lists[True] and not lists[False]:
            del self._groups[entry.ports]

    def write(self) -> tuple[list[Json], bool]:
        """The subsets of an Endpoints object, and whether there were too many addresses."""
        parts = self._parts()
        total = {state: sum(len(lists[state]) for _, lists in parts) for state in (True, False)}
        if total[True] + total[False] <= MOST:
            return [_written(ports, lists[True], lists[False]) for ports, lists in parts], False
        return _truncated(parts, total), True

    def _parts(self) -> list[tuple[tuple[Port, ...], dict[bool, list[Address]]]]:
        """Ports with all addresses that they are found at, in the order of their hashes.

        Upstream orders by a hash of the addresses too, which makes no difference to anybody.
        """
        if len(self._groups) == 1:
            ((ports, lists),) = self._groups.items()
            return [(_in_order(ports), lists)]
        where: dict[Port | None, list[tuple[Port, ...]]] = {}
        for group in self._groups:
            for port in group or (None,):
                where.setdefault(port, []).append(group)
        together: dict[tuple[tuple[Port, ...], ...], list[Port]] = {}
        for each, groups in where.items():
            together.setdefault(tuple(groups), []).extend(() if each is None else (each,))
        parts = []
        for groups_of, ports_of in together.items():
            lists = {
                state: sorted((a for g in groups_of for a in self._groups[g][state]), key=_order)
                for state in (True, False)
            }
            parts.append((_in_order(tuple(ports_of)), lists))
        return sorted(parts, key=lambda part: tuple(map(_port_hash, part[0])))


def _order(address: Address) -> tuple[str, str]:
    return address[:2]


def _entry(service: Json, pod: Json) -> _Entry | None:
    published = bool(service["spec"].get("publishNotReadyAddresses"))
    if not service_pods.has_address(pod):
        return None
    metadata, spec = pod["metadata"], pod["spec"]
    if "deletionTimestamp" in metadata and not published:
        return None
    found = pod_endpoint.addresses(pod, pod_endpoint.address_types(service)[0])
    ports = service_ports.find(service, pod)
    needs_ports = service["spec"].get("ports") or not service_pods.is_headless(service)
    if not found or (needs_ports and not ports):
        return None
    written: Json = {"ip": found[0]}
    if service_pods.sets_hostname(pod, service):
        written["hostname"] = spec["hostname"]
    written["nodeName"] = spec.get("nodeName") or ""
    written["targetRef"] = {
        "kind": "Pod",
        "namespace": metadata["namespace"],
        "name": metadata["name"],
        "uid": metadata["uid"],
    }
    address = Address(found[0], metadata["uid"], written)
    return _Entry(tuple(dict.fromkeys(ports)), published or pods.is_ready(pod), address)


def _truncated(
    parts: list[tuple[tuple[Port, ...], dict[bool, list[Address]]]], total: dict[bool, int]
) -> list[Json]:
    """As many addresses as there may be, ready ones first, each subset in proportion."""
    cuts_ready = total[True] > MOST
    room = left = MOST if cuts_ready else MOST - total[True]
    subsets = []
    for ports, lists in parts:
        share = -(-len(lists[cuts_ready]) * room // total[cuts_ready])
        taken = lists[cuts_ready][: min(share, left)]
        left -= len(taken)
        ready, not_ready = (taken, []) if cuts_ready else (lists[True], taken)
        subsets.append(_written(ports, ready, not_ready))
    return subsets


def _written(ports: tuple[Port, ...], ready: list[Address], not_ready: list[Address]) -> Json:
    subset = {
        "addresses": [each.written for each in ready],
        "notReadyAddresses": [each.written for each in not_ready],
        "ports": [_written_port(port) for port in ports],
    }
    return {name: value for name, value in subset.items() if value}


def _written_port(port: Port) -> Json:
    name, protocol, number, app_protocol = port
    found: Json = {"name": name} if name else {}
    found |= {"port": number, "protocol": protocol}
    if app_protocol is not None:
        found["appProtocol"] = app_protocol
    return found


@functools.lru_cache(maxsize=1024)
def _in_order(ports: tuple[Port, ...]) -> tuple[Port, ...]:
    return tuple(sorted(ports, key=_port_hash))


@functools.lru_cache(maxsize=1024)
def _port_hash(port: Port) -> int:
    text = go_dump.dump("core/v1.EndpointPort", _written_port(port))
    return service_ports.fnv_128a(text.encode())
