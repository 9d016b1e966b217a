"""How much of the cluster's cores and memory can still be requested, or be given up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import quantity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from kubestage.aliases import Json
    from kubestage.controllers.node_autoscaler.groups import Group
    from kubestage.controllers.node_autoscaler.settings import NodeAutoscalerSettings


_ID: Final = "cluster-wide"
_RESOURCES: Final = ("cpu", "memory")
_VIRTUAL: Final = "virtual-kubelet"


class Quotas:
    """What is left of each resource: up to the most, or down to the least.

    All nodes of a group count like the first that is seen of it.
    """

    def __init__(
        self,
        nodes: Iterable[Json],
        group_of: Callable[[Json], Group | None],
        bounds: dict[str, int],
        sign: int,
    ) -> None:
        """What is left from what nodes have up to the bounds, or down to them if `sign` is -1."""
        self._group_of = group_of
        self._of_group: dict[str, dict[str, int]] = {}
        used = self._total(nodes)
        self._left = {name: max(sign * (bounds[name] - used[name]), 0) for name in _RESOURCES}

    @classmethod
    def above(
        cls,
        nodes: Iterable[Json],
        settings: NodeAutoscalerSettings,
        group_of: Callable[[Json], Group | None],
    ) -> Quotas:
        """How much may be added to what nodes have."""
        return cls(nodes, group_of, _limits(settings, 1), 1)

    @classmethod
    def below(
        cls,
        nodes: Iterable[Json],
        settings: NodeAutoscalerSettings,
        group_of: Callable[[Json], Group | None],
    ) -> Quotas:
        """How much of what nodes have may go."""
        return cls(nodes, group_of, _limits(settings, 0), -1)

    def allowed(self, node: Json, count: int, group: Group | None) -> int:
        """How many of so many nodes there is enough left for."""
        for name, amount in self._amounts(node, group).items():
            if amount > 0:
                count = min(count, self._left[name] // amount)
        return count

    def reason_against(self, node: Json, group: Group | None, count: int = 1) -> str:
        """Why there is not enough left for so many nodes; empty if there is."""
        amounts = self._amounts(node, group)
        short = [name for name, amount in amounts.items() if amount * count > self._left[name]]
        return f'exceeded quota: "{_ID}", resources: {", ".join(short)}' if short else ""

    def take(self, node: Json, count: int, group: Group | None) -> bool:
        """Count this many nodes; False if the quota does not suffice for all of them."""
        if self.allowed(node, count, group) < count:
            return False
        for name, amount in self._amounts(node, group).items():
            self._left[name] -= amount * count
        return True

    def _amounts(self, node: Json, group: Group | None) -> dict[str, int]:
        if group is None:
            return _capacity(node)
        found = self._of_group.get(group.name)
        if found is None:
            found = self._of_group[group.name] = _capacity(node)
        return found

    def _total(self, nodes: Iterable[Json]) -> dict[str, int]:
        total = dict.fromkeys(_RESOURCES, 0)
        for node in nodes:
            labels = node["metadata"].get("labels") or {}
            if labels.get("type") != _VIRTUAL:
                for name, amount in self._amounts(node, self._group_of(node)).items():
                    total[name] += amount
        return total


def _limits(settings: NodeAutoscalerSettings, bound: int) -> dict[str, int]:
    return {"cpu": settings.cores[bound], "memory": settings.memory[bound]}


def _capacity(node: Json) -> dict[str, int]:
    capacity = (node.get("status") or {}).get("capacity") or {}
    return {name: max(quantity.value_of(capacity.get(name) or "0"), 0) for name in _RESOURCES}
