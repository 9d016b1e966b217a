"""What nodes cost per hour: by their NodeGroup, or by a PriceCatalog.

A catalog has a price for an instance type, or for one in a zone or of a capacity type; the most
specific one counts.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage import lazy
from kubestage.aliases import Json
from kubestage.objects import node_pools
from kubestage.objects.node_overlays import NodeOverlays
from kubestage.objects.views.node import ZONE_LABELS

# NOTE: few clusters have one of these catalogs.
with lazy.imports():
    from kubestage.objects import shipped_prices

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

PRICE_CATALOG: Final = ("kubestage.dev/v1alpha1", "PriceCatalog")
NODE_GROUP: Final = ("kubestage.dev/v1alpha1", "NodeGroup")
INSTANCE_TYPES: Final = ("node.kubernetes.io/instance-type", "beta.kubernetes.io/instance-type")
ON_DEMAND: Final = "on-demand"
SPOT: Final = "spot"
CAPACITY_TYPES: Final = (ON_DEMAND, SPOT, "reserved")
CAPACITY_TYPE: Final = "karpenter.sh/capacity-type"
DEFAULT_CURRENCY: Final = "USD"
# Spot prices have so many, and what is computed from others is not more exact.
_DECIMALS: Final = 6

# The base prices of cluster-autoscaler on Google's cloud, in dollars per hour. They divide the
# price of a node between its resources.
CORE: Final = 0.033174
GIB: Final = 0.004446
GPU: Final = 0.7

# How providers label nodes that are not on demand, and the capacity type that it means.
_CAPACITY_LABELS: Final[tuple[tuple[str, dict[str, str]], ...]] = (
    (CAPACITY_TYPE, {}),
    ("eks.amazonaws.com/capacityType", {"SPOT": SPOT, "ON_DEMAND": ON_DEMAND}),
    ("cloud.google.com/gke-spot", {"true": SPOT, "false": ON_DEMAND}),
    ("cloud.google.com/gke-preemptible", {"true": SPOT, "false": ON_DEMAND}),
    ("kubernetes.azure.com/scalesetpriority", {"spot": SPOT, "regular": ON_DEMAND}),
)


class CatalogEntry(msgspec.Struct, frozen=True, rename="camel"):
    """One price of a catalog."""

    instance_type: str
    price: float
    zone: str = ""
    capacity_type: str = ON_DEMAND
    architecture: str = "amd64"
    resources: Json = {}
    capacity: Json = {}
    labels: Json = {}
    operating_system: str = "linux"
    available: bool = True
    reservation_id: str = ""
    reservation_capacity: int = 0


class Prices:
    """The prices that hold in a cluster at one moment."""

    def __init__(
        self, groups: Mapping[str, Json], catalogs: Iterable[Json], overlays: Iterable[Json] = ()
    ) -> None:
        """Prices of NodeGroups, by name, and of PriceCatalogs: the first with a price counts.

        NodeOverlays may change what is billed, or only what Karpenter decides with.
        """
        self._overlays = NodeOverlays(overlays)
        self.currency = DEFAULT_CURRENCY
        self.ignored: list[str] = []
        """Names of catalogs that have another currency than the first one."""
        self._groups = {
            name: float(price)
            for name, group in groups.items()
            if (price := (group.get("spec") or {}).get("price")) is not None
        }
        self._entries: dict[tuple[str, str, str], CatalogEntry] = {}
        ordered = sorted(catalogs, key=lambda each: str(each["metadata"]["name"]))
        for number, catalog in enumerate(ordered):
            currency = catalog["spec"].get("currency") or DEFAULT_CURRENCY
            if number == 0:
                self.currency = currency
            if currency != self.currency:
                self.ignored.append(catalog["metadata"]["name"])
                continue
            for entry in entries(catalog):
                key = (entry.instance_type, entry.zone, entry.capacity_type)
                self._entries.setdefault(key, entry)

    def __bool__(self) -> bool:
        return bool(self._groups or self._entries)

    @property
    def entries(self) -> Sequence[CatalogEntry]:
        """All prices of catalogs, in their order."""
        return list(self._entries.values())

    def of_node(self, node: Json) -> float | None:
        """What a node is billed per hour; None if nothing states it."""
        labels: Json = (node.get("metadata") or {}).get("labels") or {}
        group = self._groups.get(labels.get(node_pools.GROUP_LABEL) or "")
        if group is not None:
            return group
        price = self._of_labels(labels)
        return None if price is None else self._overlays.billed(price, labels)

    def decided(self, node: Json) -> float | None:
        """What Karpenter believes that a node costs per hour, or else what it is billed."""
        labels: Json = (node.get("metadata") or {}).get("labels") or {}
        price = None if labels.get(node_pools.GROUP_LABEL) else self._of_labels(labels)
        return self.of_node(node) if price is None else self._overlays.decided(price, labels)

    def of_group(self, group: Json) -> float | None:
        """What a node of a NodeGroup costs per hour."""
        price = group["spec"].get("price")
        if price is not None:
            return float(price)
        metadata = (group["spec"].get("template") or {}).get("metadata") or {}
        return self._of_labels(metadata.get("labels") or {})

    def _of_labels(self, labels: Json) -> float | None:
        kind = next((labels[name] for name in INSTANCE_TYPES if labels.get(name)), "")
        if not kind or not self._entries:
            return None
        zone = next((labels[name] for name in ZONE_LABELS if labels.get(name)), "")
        capacity = capacity_type(labels)
        entry = self._entries.get((kind, zone, capacity)) or self._entries.get((kind, "", capacity))
        return None if entry is None else entry.price


def capacity_type(labels: Json) -> str:
    """``on-demand``, ``spot`` or ``reserved``, by the labels of a node."""
    for name, meanings in _CAPACITY_LABELS:
        value = labels.get(name)
        if value:
            return str(meanings.get(value, value)).lower()
    return ON_DEMAND


def setting(catalog: Json, name: str) -> Any:
    """What a catalog object states of all its prices, or the catalog of kubestage that it names."""
    spec = catalog["spec"]
    if name in spec or not spec.get("builtIn"):
        return spec.get(name)
    return shipped_prices.spec(spec["builtIn"]).get(name)


def entries(catalog: Json) -> list[CatalogEntry]:
    """The prices of a catalog object; what it states itself comes before what it refers to."""
    spec = catalog["spec"]
    named = spec.get("builtIn")
    found = list(map(_entry, spec.get("prices") or () if named else spec["prices"]))
    if named:
        found += _shipped(named)
    share = setting(catalog, "spotPriceShare")
    return found if share is None else [*found, *_spot_entries(found, float(share))]


@functools.cache
def _shipped(name: str) -> tuple[CatalogEntry, ...]:
    return tuple(map(_entry, shipped_prices.spec(name)["prices"]))


def _spot_entries(known: Sequence[CatalogEntry], share: float) -> Iterator[CatalogEntry]:
    """Spot prices as a share of those on demand, where none is stated."""
    stated = {(each.instance_type, each.zone) for each in known if each.capacity_type == SPOT}
    for each in known:
        types = (each.instance_type, each.zone), (each.instance_type, "")
        if each.capacity_type == ON_DEMAND and stated.isdisjoint(types):
            price = round(each.price * share, _DECIMALS)
            yield msgspec.structs.replace(each, price=price, capacity_type=SPOT)


def _entry(stated: Json) -> CatalogEntry:
    return CatalogEntry(
        stated["instanceType"],
        float(stated["price"]),
        stated.get("zone") or "",
        (stated.get("capacityType") or ON_DEMAND).lower(),
        stated.get("architecture") or "amd64",
        stated.get("resources") or {},
        stated.get("capacity") or {},
        stated.get("labels") or {},
        stated.get("operatingSystem") or "linux",
        stated.get("available", True),
        stated.get("reservationID") or "",
        stated.get("reservationCapacity") or 0,
    )
