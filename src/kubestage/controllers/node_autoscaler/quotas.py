"""How much of the cluster's cores and memory can still be requested, or be given up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import quantity

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.aliases import Json
    from kubestage.controllers.node_autoscaler.settings import NodeAutoscalerSettings


_ID: Final = "cluster-wide"
_RESOURCES: Final = ("cpu", "memory")


class Quotas:
    """What is left of each resource: up to the most, or down to the least."""

    def __init__(self, left: dict[str, int]) -> None:
        self._left = left

    @classmethod
    def above(cls, nodes: Iterable[Json], settings: NodeAutoscalerSettings) -> Quotas:
        """How much may be added to what nodes have."""
        most, used = _limits(settings, 1), _total(nodes)
        return cls({name: max(most[name] - used[name], 0) for name in _RESOURCES})

    @classmethod
    def below(cls, nodes: Iterable[Json], settings: NodeAutoscalerSettings) -> Quotas:
        """How much of what nodes have may go."""
        least, used = _limits(settings, 0), _total(nodes)
        return cls({name: max(used[name] - least[name], 0) for name in _RESOURCES})

    def allowed(self, node: Json, count: int) -> int:
        """How many of so many nodes there is enough left for."""
        for name, amount in _amounts(node).items():
            if amount > 0:
                count = min(count, self._left[name] // amount)
        return count

    def reason_against(self, node: Json) -> str:
        """Why there is not enough left for one node; empty if there is."""
        short = [name for name, amount in _amounts(node).items() if amount > self._left[name]]
        return f'exceeded quota: "{_ID}", resources: {", ".join(short)}' if short else ""

    def take(self, node: Json, count: int = 1) -> bool:
        """Count this many nodes; False if the quota does not suffice for all of them."""
        if self.allowed(node, count) < count:
            return False
        for name, amount in _amounts(node).items():
            self._left[name] -= amount * count
        return True


def _limits(settings: NodeAutoscalerSettings, bound: int) -> dict[str, int]:
    return {"cpu": settings.cores[bound], "memory": settings.memory[bound]}


def _amounts(node: Json) -> dict[str, int]:
    capacity = (node.get("status") or {}).get("capacity") or {}
    return {name: quantity.value_of(capacity.get(name) or "0") for name in _RESOURCES}


def _total(nodes: Iterable[Json]) -> dict[str, int]:
    total = dict.fromkeys(_RESOURCES, 0)
    for node in nodes:
        for name, amount in _amounts(node).items():
            total[name] += amount
    return total
