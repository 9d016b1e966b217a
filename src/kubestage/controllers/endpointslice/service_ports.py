"""The ports of a Service as they are on a pod."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Final

from kubestage.objects import go_dump

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.aliases import Json

Port = tuple[str, str, int, str | None]
"""Name, protocol, number and application protocol."""

_OFFSET: Final = 0x6C62272E07BB014262B821756295C58D
_PRIME: Final = (1 << 88) + 0x13B
_MASK: Final = (1 << 128) - 1


def find(service: Json, pod: Json) -> tuple[Port, ...]:
    """The ports that a pod offers for a Service, in the Service's order."""
    found = []
    for port in service["spec"].get("ports") or ():
        number = _number(port, pod)
        if number is not None:
            protocol = port.get("protocol") or "TCP"
            found.append((port.get("name") or "", protocol, number, port.get("appProtocol")))
    return tuple(found)


def _number(port: Json, pod: Json) -> int | None:
    """The number of a Service's port on a pod; a name is looked up in its containers."""
    target = port.get("targetPort", port["port"])
    if isinstance(target, int):
        return target or port["port"]
    spec = pod["spec"]
    sidecars = (
        each for each in spec.get("initContainers") or () if each.get("restartPolicy") == "Always"
    )
    for container in (*spec["containers"], *sidecars):
        for offered in container.get("ports") or ():
            protocol = offered.get("protocol") or "TCP"
            if offered.get("name") == target and protocol == port.get("protocol", "TCP"):
                number: int = offered["containerPort"]
                return number
    return None


@functools.lru_cache(maxsize=1024)
def in_slice_order(ports: tuple[Port, ...]) -> tuple[Port, ...]:
    """Ports in the order that slices have them in: that of their hashes."""
    return tuple(sorted(ports, key=_slice_hash))


def of_slice(ports: Iterable[Json] | None) -> tuple[Port, ...]:
    """The ports of a slice."""
    return in_slice_order(
        tuple(
            (
                port.get("name") or "",
                port.get("protocol") or "TCP",
                port.get("port") or 0,
                port.get("appProtocol"),
            )
            for port in ports or ()
        )
    )


def written(ports: Iterable[Port]) -> list[Json]:
    """Ports as an object has them."""
    return [_written(port) for port in ports]


def _written(port: Port) -> Json:
    name, protocol, number, app_protocol = port
    found: Json = {"name": name, "protocol": protocol, "port": number}
    if app_protocol is not None:
        found["appProtocol"] = app_protocol
    return found


def _slice_hash(port: Port) -> int:
    return fnv_128a(go_dump.dump("discovery/v1.EndpointPort", _written(port)).encode())


def fnv_128a(data: bytes) -> int:
    """The hash by which upstream orders ports and subsets."""
    value = _OFFSET
    for byte in data:
        value = ((value ^ byte) * _PRIME) & _MASK
    return value
