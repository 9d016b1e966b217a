"""What a claim requests, read once per attempt."""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING, Final

from kubestage.objects import quantity
from kubestage.scheduler.devices.failures import AllocationError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kubestage.aliases import Json
    from kubestage.objects.quantity import Quantity
    from kubestage.scheduler.devices.slices import Device


ALL: Final = "All"
EXACT_COUNT: Final = "ExactCount"


@dataclasses.dataclass(frozen=True, eq=False)
class Request:
    """One request, or one alternative of a request that lists several (`parent`)."""

    name: str
    parent: str
    raw: Json
    device_class: Json

    @property
    def top_name(self) -> str:
        """The name of the request in the claim."""
        return self.parent or self.name

    @functools.cached_property
    def full_name(self) -> str:
        """The name by which results and configurations refer to it."""
        return f"{self.parent}/{self.name}" if self.parent else self.name

    @property
    def wants_all(self) -> bool:
        """Whether it takes every device that fits."""
        return bool(self.raw.get("allocationMode") == ALL)

    @functools.cached_property
    def count(self) -> int:
        """How many devices it takes, if not all."""
        return int(self.raw.get("count") or 0)

    @functools.cached_property
    def admin_access(self) -> bool:
        """Whether it may have devices that others use; alternatives may not."""
        return not self.parent and bool(self.raw.get("adminAccess"))

    @functools.cached_property
    def class_selectors(self) -> tuple[str, ...]:
        """What the device class demands of a device."""
        stated = (self.device_class.get("spec") or {}).get("selectors") or ()
        return tuple(each["cel"]["expression"] for each in stated)

    @functools.cached_property
    def selectors(self) -> tuple[str, ...]:
        """What the request itself demands of a device."""
        return tuple(each["cel"]["expression"] for each in self.raw.get("selectors") or ())

    @functools.cached_property
    def capacity(self) -> dict[str, Quantity]:
        """How much of a device's capacity it takes."""
        stated = (self.raw.get("capacity") or {}).get("requests") or {}
        return {name: quantity.of(amount) for name, amount in stated.items()}

    def tolerates_taints_of(self, device: Device) -> bool:
        """Whether no taint of a device keeps it away."""
        return all(
            any(_tolerates(each, taint) for each in self.raw.get("tolerations") or ())
            for taint in device.taints
        )


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class ClaimRequests:
    """A claim and its requests, each as the alternatives of which the first possible is taken."""

    claim: Json
    requests: tuple[tuple[Request, ...], ...]

    @property
    def key(self) -> str:
        """The claim's namespace and name."""
        return key_of(self.claim)

    @property
    def constraints(self) -> Sequence[Json]:
        """What its devices must have in common."""
        return ((self.claim.get("spec") or {}).get("devices") or {}).get("constraints") or ()


def key_of(obj: Json) -> str:
    """The namespace and name of an object."""
    metadata = obj["metadata"]
    return f"{metadata.get('namespace', '')}/{metadata.get('name', '')}"


def requests_of(claim: Json, class_named: Callable[[str], Json | None]) -> ClaimRequests:
    """What a claim requests; `AllocationError` if it cannot be read."""
    stated = ((claim.get("spec") or {}).get("devices") or {}).get("requests") or ()
    read = functools.partial(_request, key_of(claim), class_named)
    requests = []
    for each in stated:
        alternatives = each.get("firstAvailable") or ()
        if alternatives:
            requests.append(tuple(read(each["name"], sub["name"], sub) for sub in alternatives))
        else:
            requests.append((read("", each["name"], each.get("exactly") or {}),))
    return ClaimRequests(claim, tuple(requests))


def _request(
    claim: str, class_named: Callable[[str], Json | None], parent: str, name: str, raw: Json
) -> Request:
    where = f"claim {claim}, request {name}"
    for index, selector in enumerate(raw.get("selectors") or ()):
        if selector.get("cel") is None:
            raise AllocationError(
                f"{where}, selector #{index}: CEL expression empty (unsupported selector type?)"
            )
    class_name = raw.get("deviceClassName") or ""
    if not class_name:
        raise AllocationError(f"{where}: missing device class name (unsupported request type?)")
    device_class = class_named(class_name)
    if device_class is None:
        raise AllocationError(
            f"{where}: could not retrieve device class {class_name}: "
            f'deviceclass.resource.k8s.io "{class_name}" not found'
        )
    mode = raw.get("allocationMode") or ""
    if mode not in (ALL, EXACT_COUNT):
        raise AllocationError(f"{where}: unsupported count mode {mode}")
    return Request(name, parent, raw, device_class)


def _tolerates(toleration: Json, taint: Json) -> bool:
    for part in ("effect", "key"):
        if toleration.get(part) and toleration[part] != taint.get(part):
            return False
    operator = toleration.get("operator") or "Equal"
    if operator == "Equal":
        return (toleration.get("value") or "") == (taint.get("value") or "")
    return bool(operator == "Exists")
