"""What the devices of one claim must have in common, or must not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from kubestage.scheduler.devices.requests import Request
    from kubestage.scheduler.devices.slices import Attribute, Device


class Constraint(Protocol):
    """Called with every device that is about to be chosen, and with every one that is released."""

    def add(self, request: Request, device: Device) -> bool:
        """Whether the device may join; if so it counts from now on."""
        ...

    def remove(self, request: Request) -> None:
        """The device that joined last for this request leaves."""
        ...


class MatchAttribute:
    """All devices share one value of an attribute."""

    def __init__(self, requests: frozenset[str], attribute: str) -> None:
        self._requests = requests
        self._attribute = attribute
        self._value: Attribute | None = None
        self._count = 0

    def add(self, request: Request, device: Device) -> bool:
        """Whether the device has the value of those before it."""
        if not _concerns(self._requests, request):
            return True
        value = lookup(device, self._attribute)
        if value is None:
            return False
        if self._count == 0:
            self._value = value
        elif not value.kind or value != self._value:
            return False
        self._count += 1
        return True

    def remove(self, request: Request) -> None:
        """One device less."""
        if _concerns(self._requests, request):
            self._count -= 1


class DistinctAttribute:
    """No two devices share a value of an attribute.

    Of each request only the device that joined last is remembered, as upstream does.
    """

    def __init__(self, requests: frozenset[str], attribute: str) -> None:
        self._requests = requests
        self._attribute = attribute
        self._values: dict[str, Attribute] = {}
        self._count = 0

    def add(self, request: Request, device: Device) -> bool:
        """Whether the device's value is new."""
        if not _concerns(self._requests, request):
            return True
        value = lookup(device, self._attribute)
        if value is None:
            return False
        if self._count and self._values and (not value.kind or value in self._values.values()):
            return False
        self._values[request.top_name] = value
        self._count += 1
        return True

    def remove(self, request: Request) -> None:
        """One device less."""
        if _concerns(self._requests, request):
            self._values.pop(request.top_name, None)
            self._count -= 1


def constraint_of(constraint: dict[str, Any]) -> Constraint | None:
    """The constraint that a claim states; None if it is of a kind that is not known."""
    requests = frozenset(constraint.get("requests") or ())
    if constraint.get("matchAttribute") is not None:
        return MatchAttribute(requests, constraint["matchAttribute"])
    if constraint.get("distinctAttribute") is not None:
        return DistinctAttribute(requests, constraint["distinctAttribute"])
    return None


def lookup(device: Device, name: str) -> Attribute | None:
    """An attribute by its full name; a driver's own attributes need not carry its domain."""
    attributes = device.facts.attributes
    found = attributes.get(name)
    if found is not None:
        return found
    domain, slash, own_name = name.partition("/")
    return attributes.get(own_name) if slash and domain == device.facts.driver else None


def _concerns(requests: frozenset[str], request: Request) -> bool:
    return not requests or request.top_name in requests or request.full_name in requests
