"""Instance types as JSON or YAML: each with its labels, its room and its offerings.

::

    - name: m5.large
      architecture: amd64
      labels: {example.com/family: m5}
      capacity: {cpu: "2", memory: 7577Mi, pods: "29"}
      overhead: {cpu: 70m, memory: 674Mi}
      offerings:
      - {zone: a, capacityType: spot, price: 0.04}
      - {zone: a, price: 0.096, available: false}

The same list below ``instanceTypes``, and the file of Karpenter's KWOK provider, are read as well.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.aliases import Json
from kubestage.errors import InputError, KubestageError
from kubestage.objects import prices, quantity

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kubestage.objects.quantity import Quantity

_LIST: Final = "instanceTypes"
_FIX: Final = (
    "write a list of {name: ..., capacity: {cpu: ..., memory: ...}, offerings: [{price: ...}]}"
)
_FIX_AMOUNT: Final = "write it as in 4, 500m or 16Gi"
_ZONE: Final = "topology.kubernetes.io/zone"
_PLACE: Final = re.compile(r"(.*) - at `\$(.*)`", re.DOTALL)
# What Karpenter's KWOK provider adds to its file.
_KWOK_GROUP: Final = "karpenter.kwok.sh"
_KWOK_OVERHEAD: Final = {"cpu": "100m", "memory": "10Mi"}
_KWOK_PODS: Final = {"pods": "110"}
_KWOK_SIZE: Final = re.compile(r"\w+\.(nano|micro|small|medium|large|\d*xlarge|metal)", re.ASCII)


class StatedOffering(msgspec.Struct, forbid_unknown_fields=True, rename="camel"):
    """One way to have a machine."""

    price: float
    zone: str = ""
    capacity_type: str = prices.ON_DEMAND
    available: bool = True
    reservation_id: str = msgspec.field(name="reservationID", default="")
    reservation_capacity: int = 0


class StatedType(msgspec.Struct, forbid_unknown_fields=True, rename="camel"):
    """One kind of machine."""

    name: str
    capacity: Json
    offerings: list[StatedOffering]
    architecture: str = "amd64"
    operating_system: str = "linux"
    labels: dict[str, str] = {}
    overhead: Json = {}


def are_instance_types(value: Any) -> bool:
    """Whether a document lists instance types with offerings."""
    listed = value.get(_LIST) if isinstance(value, dict) else value
    if not isinstance(listed, list) or not listed:
        return False
    return isinstance(listed[0], dict) and "offerings" in listed[0]


def read(value: Any, file: str) -> Json:
    """The spec of a PriceCatalog; InputError with the place of what is wrong."""
    listed = value[_LIST] if isinstance(value, dict) else value
    listed = [_from_kwok(each) if _is_of_kwok(each) else each for each in listed]
    try:
        types = msgspec.convert(listed, list[StatedType])
    except msgspec.ValidationError as error:
        match = _PLACE.fullmatch(str(error))
        problem, path = match.groups() if match else (str(error), "")
        problem = problem[:1].lower() + problem[1:]
        raise InputError(problem, file=file, path=path, fix=_FIX) from None
    found: list[Json] = []
    for number, each in enumerate(types):
        try:
            found += _prices(each)
        except _AmountError as error:
            path = f"[{number}].{error.path}"
            raise InputError(str(error), file=file, path=path, fix=_FIX_AMOUNT) from None
    return {"prices": found}


def _prices(stated: StatedType) -> Iterator[Json]:
    """One price an offering; what the type has is stated with the first."""
    room: Json = {"resources": _left(stated.capacity, stated.overhead)}
    room |= {"capacity": stated.capacity} if stated.overhead else {}
    room |= {"labels": stated.labels} if stated.labels else {}
    for each in stated.offerings:
        row: Json = {"instanceType": stated.name, "price": each.price}
        row |= {"zone": each.zone} if each.zone else {}
        row |= {"capacityType": each.capacity_type, "architecture": stated.architecture}
        row |= {"operatingSystem": stated.operating_system}
        row |= {} if each.available else {"available": False}
        if each.reservation_id:
            row["reservationID"] = each.reservation_id
            row["reservationCapacity"] = each.reservation_capacity
        yield {**row, **room}
        room = {}


class _AmountError(KubestageError):
    """An amount that cannot be read, and where it is in its type."""

    def __init__(self, problem: str, path: str) -> None:
        super().__init__(problem)
        self.path = path


def _left(capacity: Mapping[str, Any], overhead: Mapping[str, Any]) -> dict[str, str]:
    left = {}
    for name, amount in capacity.items():
        kept = overhead.get(name)
        whole = _amount(amount, f"capacity.{name}")
        left[name] = str(whole if kept is None else whole - _amount(kept, f"overhead.{name}"))
    return left


def _amount(stated: Any, path: str) -> Quantity:
    try:
        return quantity.of(stated)
    except quantity.QuantityError as error:
        raise _AmountError(f"{stated!r}: {error}", path) from None


def _is_of_kwok(stated: Any) -> bool:
    offerings = stated.get("offerings") if isinstance(stated, dict) else None
    return isinstance(offerings, list) and any(
        isinstance(each, dict) and "Requirements" in each for each in offerings
    )


def _from_kwok(stated: Json) -> Json:
    """A type as its KWOK provider offers it: with default pods, an overhead, and labels."""
    resources = stated.get("resources") or {}
    return {
        "name": stated.get("name"),
        "architecture": stated.get("architecture", "amd64"),
        "operatingSystem": (stated.get("operatingSystems") or ["linux"])[0],
        "labels": _kwok_labels(str(stated.get("name") or ""), resources),
        "capacity": {**_KWOK_PODS, **resources},
        "overhead": _KWOK_OVERHEAD,
        "offerings": [_kwok_offering(each) for each in stated["offerings"]],
    }


def _kwok_offering(stated: Json) -> Json:
    """Zone and capacity type are requirements; everything counts as available."""
    named = {
        each.get("key"): (each.get("values") or [""])[0] for each in stated.get("Requirements", ())
    }
    offering: Json = {"price": stated.get("Price"), "zone": named.get(_ZONE, "")}
    return {**offering, "capacityType": named.get(prices.CAPACITY_TYPE, prices.ON_DEMAND)}


def _kwok_labels(name: str, resources: Json) -> dict[str, str]:
    cpu, memory = str(resources.get("cpu", "")), str(resources.get("memory", ""))
    size = _KWOK_SIZE.fullmatch(name)
    family = re.split(r"[.-]", name, maxsplit=1)
    found = {
        "size": size[1] if size else cpu,
        "family": family[0] if len(family) > 1 else name[:1],
        "cpu": cpu,
        "memory": memory,
    }
    return {f"{_KWOK_GROUP}/instance-{key}": value for key, value in found.items() if value}
