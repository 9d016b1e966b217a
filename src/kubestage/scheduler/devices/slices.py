"""ResourceSlices as the search for devices reads them, parsed once per version."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import msgspec

from kubestage.aliases import Json
from kubestage.objects import node_selector, quantity
from kubestage.objects.quantity import Quantity
from kubestage.scheduler.memo import Memo

Counters = dict[str, dict[str, Quantity]]
"""Counter sets by name: how much there is of each counter."""

_ATTRIBUTE_KINDS: Final = ("string", "int", "bool", "version")
_TAINTS_THAT_BAR: Final = ("NoSchedule", "NoExecute")

_encode: Final = msgspec.msgpack.Encoder(order="deterministic").encode
_facts: Final = Memo(1 << 14)
_shapes: Final = Memo(1 << 14)


class PoolId(NamedTuple):
    """A driver's pool."""

    driver: str
    name: str

    def __str__(self) -> str:
        return f"{self.driver}/{self.name}"


class DeviceId(NamedTuple):
    """A device in a pool."""

    driver: str
    pool: str
    device: str

    def __str__(self) -> str:
        return f"{self.driver}/{self.pool}/{self.device}"


class Attribute(NamedTuple):
    """A value of a device; `kind` is empty if it is of a kind that is not known."""

    kind: str
    value: Any


class RequestPolicy(msgspec.Struct, frozen=True):
    """How much of a capacity may be requested at once."""

    default: Quantity | None = None
    values: tuple[Quantity, ...] = ()
    minimum: Quantity | None = None
    maximum: Quantity | None = None
    step: Quantity | None = None


class Capacity(NamedTuple):
    """How much a device has of something."""

    value: Quantity
    policy: RequestPolicy | None


class Facts(msgspec.Struct, frozen=True, eq=False):
    """What selectors see of a device; devices that look alike share one."""

    driver: str
    allow_multiple: bool
    attributes: dict[str, Attribute]
    capacity: dict[str, Capacity]


class NodeChoice(msgspec.Struct, frozen=True, eq=False):
    """The nodes that reach a slice or a device: one by name, all, or those a selector matches."""

    node_name: str | None = None
    all_nodes: bool = False
    selector: Json | None = None
    terms: node_selector.NodeSelector | None = None

    @property
    def is_stated(self) -> bool:
        """Whether any nodes are named at all."""
        return bool(self.node_name) or self.all_nodes or self.terms is not None

    def matches(self, name: str, labels: dict[str, str]) -> bool:
        """Whether a node is among them; `SelectorError` if the selector is malformed."""
        if self.node_name:
            return name == self.node_name
        if self.all_nodes:
            return True
        return self.terms is not None and self.terms.matches(name, labels)


class Device(msgspec.Struct, frozen=True, eq=False):
    """One device of a slice."""

    name: str
    facts: Facts
    nodes: NodeChoice
    consumes: tuple[tuple[str, dict[str, Quantity]], ...]
    taints: tuple[Json, ...]
    binds_to_node: bool
    binding_conditions: tuple[str, ...]
    binding_failure_conditions: tuple[str, ...]


class Slice(msgspec.Struct, frozen=True, eq=False):
    """One version of a ResourceSlice; `shape` is equal where devices are, but for their pool."""

    name: str
    pool: PoolId
    generation: int
    slice_count: int
    nodes: NodeChoice
    per_device: bool
    counters: Counters
    devices: tuple[Device, ...]
    shape: bytes


def slice_of(obj: Json) -> Slice:
    """A ResourceSlice object, parsed."""
    spec = obj["spec"]
    driver, pool = spec["driver"], spec["pool"]
    devices = spec.get("devices") or ()
    per_device = bool(spec.get("perDeviceNodeSelection"))
    return Slice(
        obj["metadata"]["name"],
        PoolId(driver, pool["name"]),
        pool.get("generation") or 0,
        pool["resourceSliceCount"],
        _nodes(spec),
        per_device,
        {
            each["name"]: _counters(each.get("counters"))
            for each in spec.get("sharedCounters") or ()
        },
        tuple(_device(each, driver) for each in devices),
        _shape(driver, per_device, devices),
    )


def _shape(driver: str, per_device: bool, devices: Any) -> bytes:
    # Slices of many nodes are alike; sharing the bytes makes comparing them a matter of identity.
    key = _encode((driver, per_device, devices))
    return _shapes.get(key, lambda: key)


def _device(device: Json, driver: str) -> Device:
    return Device(
        device["name"],
        facts_of(device, driver),
        _nodes(device),
        tuple(
            (each["counterSet"], _counters(each.get("counters")))
            for each in device.get("consumesCounters") or ()
        ),
        tuple(
            taint for taint in device.get("taints") or () if taint.get("effect") in _TAINTS_THAT_BAR
        ),
        bool(device.get("bindsToNode")),
        tuple(device.get("bindingConditions") or ()),
        tuple(device.get("bindingFailureConditions") or ()),
    )


def facts_of(device: Json, driver: str) -> Facts:
    """What selectors see of a device of a driver."""
    attributes, capacity = device.get("attributes") or {}, device.get("capacity") or {}
    allow_multiple = bool(device.get("allowMultipleAllocations"))
    key = _encode((driver, allow_multiple, attributes, capacity))
    return _facts.get(
        key,
        lambda: Facts(
            driver,
            allow_multiple,
            {name: _attribute(each) for name, each in attributes.items()},
            {name: _capacity(each) for name, each in capacity.items()},
        ),
    )


def _attribute(attribute: Json) -> Attribute:
    for kind in _ATTRIBUTE_KINDS:
        if attribute.get(kind) is not None:
            return Attribute(kind, attribute[kind])
    return Attribute("", None)


def _capacity(capacity: Json) -> Capacity:
    policy = capacity.get("requestPolicy")
    if policy is None:
        return Capacity(quantity.of(capacity.get("value")), None)
    span = policy.get("validRange") or {}
    return Capacity(
        quantity.of(capacity.get("value")),
        RequestPolicy(
            _amount(policy.get("default")),
            tuple(map(quantity.of, policy.get("validValues") or ())),
            _amount(span.get("min")),
            _amount(span.get("max")),
            _amount(span.get("step")),
        ),
    )


def _amount(value: Any) -> Quantity | None:
    return None if value is None else quantity.of(value)


def _counters(counters: Json | None) -> dict[str, Quantity]:
    return {name: quantity.of(each.get("value")) for name, each in (counters or {}).items()}


def _nodes(holder: Json) -> NodeChoice:
    selector = holder.get("nodeSelector")
    return NodeChoice(
        holder.get("nodeName"),
        bool(holder.get("allNodes")),
        selector,
        None if selector is None else node_selector.lazy(selector),
    )
