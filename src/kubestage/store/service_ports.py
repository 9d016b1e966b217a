"""Ports on the nodes for services: one of a range for each, free again when it is given up.

As for addresses, nothing is booked: a port is taken if a service has it.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Final

from kubestage.objects import service_reach
from kubestage.objects.validation import field, status

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.errors import Invalid
    from kubestage.store.core import Core

_FIRST: Final = 30000
_LAST: Final = 32767
# The ports below are left to those who ask for one of them.
_DYNAMIC: Final = 30086


def _is_automatic(spec: Json) -> bool:
    """Whether a service gets ports without asking for them."""
    if spec.get("type") == "NodePort":
        return True
    return spec.get("type") == "LoadBalancer" and (
        spec.get("allocateLoadBalancerNodePorts") is not False
    )


def keep(spec: Json, before: Json) -> None:
    """What a PUT leaves out is taken from before, port by port, by name."""
    if _is_automatic(spec) and _is_automatic(before):
        known, ports_in_spec = _ports_of(before), _ports_of(spec)
        by_name = {
            port.get("name") or "": port.get("nodePort") for port in before.get("ports") or ()
        }
        filled = []
        for port in spec.get("ports") or ():
            number = by_name.get(port.get("name") or "")
            missing = not port.get("nodePort") and number and number not in known & ports_in_spec
            filled.append({**port, "nodePort": number} if missing else port)
        if filled:
            spec["ports"] = filled
    if service_reach.needs_health_check(spec) and service_reach.needs_health_check(before):
        number = before.get("healthCheckNodePort")
        if number and not spec.get("healthCheckNodePort"):
            spec["healthCheckNodePort"] = number


def _ports_of(spec: Json) -> set[int]:
    return {port["nodePort"] for port in spec.get("ports") or () if port.get("nodePort")}


class _Ports:
    """The ports of the range as one request sees them."""

    def __init__(self, core: Core, obj: Json) -> None:
        self._obj = obj
        self._taken: set[int] = set()
        collection = core.ledger.collection(core.kind(("v1", "Service")))
        for kind in service_reach.ON_NODES:
            for key in collection.fields["spec.type"].get(kind):
                spec = collection.objects[key]["spec"]
                self._taken |= _ports_of(spec)
                if service_reach.needs_health_check(spec):
                    self._taken.add(spec.get("healthCheckNodePort") or 0)

    def take(self, port: int, path: str, why: str = "") -> None:
        """Take the requested port."""
        if not _FIRST <= port <= _LAST:
            valid = f"The range of valid ports is {_FIRST}-{_LAST}"
            raise self._refuse(port, path, f"{why}provided port is not in the valid range. {valid}")
        if port in self._taken:
            raise self._refuse(port, path, f"{why}provided port is already allocated")
        self._taken.add(port)

    def next(self, path: str, what: str) -> int:
        """Take any port."""
        for port in itertools.chain(range(_DYNAMIC, _LAST + 1), range(_FIRST, _DYNAMIC)):
            if port not in self._taken:
                self._taken.add(port)
                return port
        raise self._refuse(0, path, f"failed to allocate a {what}: range is full")

    def _refuse(self, port: int, path: str, why: str) -> Invalid:
        return status.invalid(self._obj, [field.invalid(path, port, why)])


def allocate(core: Core, obj: Json, spec: Json, before: Json | None) -> None:
    """Give a service the ports that its type needs."""
    if spec.get("type") not in service_reach.ON_NODES:
        return
    ports = _Ports(core, obj)
    ports_in_spec: list[Json] = [dict(port) for port in spec.get("ports") or ()]
    if before is None:
        _allocate_first(ports, spec, ports_in_spec)
    else:
        _allocate_more(ports, spec, ports_in_spec, _ports_of(before))
    if ports_in_spec:
        spec["ports"] = ports_in_spec
    had_one = before is not None and service_reach.needs_health_check(before)
    if service_reach.needs_health_check(spec) and not had_one:
        _allocate_health_check(ports, spec)


def _allocate_first(ports: _Ports, spec: Json, ports_in_spec: list[Json]) -> None:
    """Ports of one number, of several protocols, share a port on the nodes."""
    shared: dict[int, int] = {}
    for index, port in enumerate(ports_in_spec):
        requested = port.get("nodePort") or 0
        if not requested and not _is_automatic(spec):
            continue
        path, number = f"spec.ports[{index}].nodePort", port.get("port") or 0
        if number not in shared:
            requested_ports = (
                each.get("nodePort") for each in ports_in_spec if (each.get("port") or 0) == number
            )
            found = next(filter(None, requested_ports), 0)
            if found:
                ports.take(found, path)
            shared[number] = found or ports.next(path, "nodePort")
            port["nodePort"] = shared[number]
        elif not requested:
            port["nodePort"] = shared[number]
        elif requested != shared[number]:
            ports.take(requested, path)


def _allocate_more(ports: _Ports, spec: Json, ports_in_spec: list[Json], known: set[int]) -> None:
    taken: set[int] = set()
    for index, port in enumerate(ports_in_spec):
        requested = port.get("nodePort") or 0
        path = f"spec.ports[{index}].nodePort"
        if requested:
            if requested not in known and requested not in taken:
                ports.take(requested, path)
                taken.add(requested)
        elif _is_automatic(spec):
            port["nodePort"] = ports.next(path, "nodePort")


def _allocate_health_check(ports: _Ports, spec: Json) -> None:
    path, requested = "spec.healthCheckNodePort", spec.get("healthCheckNodePort") or 0
    if requested:
        why = f"failed to allocate requested HealthCheck NodePort {requested}: "
        ports.take(requested, path, why)
    else:
        spec["healthCheckNodePort"] = ports.next(path, "HealthCheck NodePort")
