"""What NodeOverlays make of the prices of nodes: what Karpenter decides with, and what is billed.

An overlay changes what Karpenter believes. The bill stays that of the catalogue, unless the overlay
has the annotation ``kubestage.dev/billed: "true"``: then it states a discount, or a surcharge.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.aliases import Json

NODE_OVERLAY: Final = ("karpenter.sh/v1alpha1", "NodeOverlay")
BILLED: Final = "kubestage.dev/billed"
_NODE_POOL: Final = "karpenter.sh/nodepool"
_VALIDATED: Final = "ValidationSucceeded"


class NodeOverlays:
    """The overlays of a cluster that change prices; the heaviest that selects a node counts."""

    def __init__(self, overlays: Iterable[Json]) -> None:
        by_name = sorted(overlays, key=lambda each: str(each["metadata"]["name"]), reverse=True)
        priced = [each for each in by_name if _change(each["spec"]) is not None]
        self._all = sorted(priced, key=lambda each: -(each["spec"].get("weight") or 0))

    def billed(self, price: float, labels: Json) -> float:
        """What a node with these labels is billed, of this price in the catalogue."""
        of_bill = (each for each in self._all if _is_billed(each) and _validated(each) != "False")
        return _overlaid(price, labels, of_bill)

    def decided(self, price: float, labels: Json) -> float:
        """What Karpenter believes that such a node costs."""
        return _overlaid(price, labels, (each for each in self._all if _validated(each) == "True"))


def adjusted_price(price: float, change: str) -> float:
    """A price after a change: a new one, one to be added, or a percentage."""
    if not change:
        return price
    if not change.startswith(("+", "-")):
        return float(change)
    if change.endswith("%"):
        adjusted = price * (1 + float(change[:-1]) / 100)
    else:
        adjusted = price + float(change)
    return max(adjusted, 0.0)


def _overlaid(price: float, labels: Json, overlays: Iterable[Json]) -> float:
    if not labels.get(_NODE_POOL):
        # Only nodes of Karpenter have what overlays are about.
        return price
    for each in overlays:
        if all(_holds(stated, labels) for stated in each["spec"].get("requirements") or ()):
            return adjusted_price(price, _change(each["spec"]) or "")
    return price


def _change(spec: Json) -> str | None:
    price: str | None = spec.get("price")
    return spec.get("priceAdjustment") if price is None else price


def _is_billed(overlay: Json) -> bool:
    return (overlay["metadata"].get("annotations") or {}).get(BILLED) == "true"


def _validated(overlay: Json) -> str:
    """Whether Karpenter found an overlay valid; empty if it does not look at overlays."""
    for each in (overlay.get("status") or {}).get("conditions") or ():
        if each["type"] == _VALIDATED:
            return str(each["status"])
    return ""


def _holds(stated: Json, labels: Json) -> bool:
    """Whether a requirement holds for the labels of a node."""
    value, values = labels.get(stated["key"]), stated.get("values") or []
    operator = stated["operator"]
    if operator in ("NotIn", "DoesNotExist"):
        return value is None if operator == "DoesNotExist" else value not in values
    if value is None:
        return False
    if operator == "In":
        return value in values
    return operator == "Exists" or _compares(operator, value, values)


def _compares(operator: str, value: str, values: list[str]) -> bool:
    try:
        number, bound = int(value), int(values[0])
    except (ValueError, IndexError):
        return False
    return {
        "Gt": number > bound, "Gte": number >= bound, "Lt": number < bound, "Lte": number <= bound,
    }.get(operator, False)  # fmt: skip
