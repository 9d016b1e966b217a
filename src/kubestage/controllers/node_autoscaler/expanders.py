"""Which group to grow if several would do.

Each expander keeps the best of the options it is given; if several are left after the last one,
the choice is random.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, Protocol

import msgspec

from kubestage.controllers.node_autoscaler import node_state
from kubestage.objects import prices

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kubestage.controllers.node_autoscaler.groups import Group
    from kubestage.controllers.node_autoscaler.priority_config import PriorityConfig
    from kubestage.controllers.node_autoscaler.templates import Template
    from kubestage.objects.views.pod import PodView

_GIB: Final = 1 << 30
_MIB: Final = 1 << 20
# Pods have no price: the base prices of cluster-autoscaler are what they are worth.
_STABLE_PRICE: Final = 0.5 * prices.CORE + 500 * _MIB / _GIB * prices.GIB
_GPU_UNFITNESS: Final = 1000.0
# The larger the cluster, the larger its nodes should be: most nodes, and thousandths of a core.
_PREFERRED: Final = ((2, 1000), (6, 2000), (20, 4000), (60, 8000), (200, 16000))
_PREFERRED_IN_LARGEST: Final = 32000


class Option(msgspec.Struct, frozen=True):
    """A group that could grow, by how many nodes, and for which pods."""

    group: Group
    template: Template
    node_count: int
    pods: list[PodView]
    similar: tuple[str, ...] = ()


class Choice(msgspec.Struct, frozen=True):
    """Options, and the one that was taken; `tied` are those between which chance decided."""

    options: list[Option]
    best: Option
    tied: list[Option] = []


class Chance(Protocol):
    """Decides where nothing else does."""

    def choice(self, options: Sequence[Option]) -> Option:
        """One of several options."""
        ...


class Expander:
    """Chooses among options by a chain of rules.

    `cluster_size` is how many nodes there are. `choices` are those that were made since it was
    emptied.
    """

    def __init__(
        self, names: str, chance: Chance, priorities: PriorityConfig | None = None
    ) -> None:
        self._names = names.split(",")
        self._chance = chance
        self._priorities = priorities
        self.choices: list[Choice] = []

    def best(self, options: Sequence[Option], cluster_size: int) -> Option | None:
        """The option to take."""
        left = list(options)
        for name in self._names:
            left = self._filter(name, left, cluster_size)
            if len(left) == 1:
                self.choices.append(Choice(list(options), left[0]))
                return left[0]
        if not left:
            return None
        best = self._chance.choice(left)
        self.choices.append(Choice(list(options), best, left))
        return best

    def _filter(self, name: str, options: list[Option], cluster_size: int) -> list[Option]:
        if not options:
            return []
        if name == "random":
            return [self._chance.choice(options)]
        if name == "priority":
            if self._priorities is None or not self._priorities.exists:
                return _first_in_priority(options)
            names = [each.group.name for each in options]
            return [options[number] for number in self._priorities.best(names)]
        if name == "price":
            return _cheapest(options, _preferred_milli_cpu(cluster_size))
        return _least(options, _SCORES[name])


def _least(options: list[Option], score: Callable[[Option], float]) -> list[Option]:
    scores = [score(option) for option in options]
    least = min(scores)
    return [option for option, each in zip(options, scores, strict=True) if each == least]


def _waste(option: Option) -> float:
    """The fractions of CPU and memory that pods would leave unused."""
    capacity = option.template.capacity
    cpu = capacity.milli_cpu * option.node_count
    memory = capacity.memory * option.node_count
    requested_cpu = sum(pod.requests.milli_cpu for pod in option.pods)
    requested_memory = sum(pod.requests.memory for pod in option.pods)
    return _fraction(cpu - requested_cpu, cpu) + _fraction(memory - requested_memory, memory)


def _fraction(part: int, whole: int) -> float:
    return part / whole if whole else math.inf


def _pods_left_out(option: Option) -> float:
    return -len(option.pods)


def _nodes(option: Option) -> float:
    return option.node_count


_SCORES: Final[dict[str, Callable[[Option], float]]] = {
    "least-waste": _waste,
    "most-pods": _pods_left_out,
    "least-nodes": _nodes,
}


def _first_in_priority(options: list[Option]) -> list[Option]:
    """The groups of the highest priority; groups without one only if all are without."""
    stated = [each for each in options if each.group.priority is not None]
    if not stated:
        return options
    return _least(stated, lambda option: -(option.group.priority or 0))


def _cheapest(options: list[Option], preferred_milli_cpu: int) -> list[Option]:
    """The groups that cost least for their use; groups without a price only if all are without."""
    priced = [each for each in options if each.group.price is not None]
    if not priced:
        return options
    return _least(priced, lambda option: price_score(option, preferred_milli_cpu))


def price_score(option: Option, preferred_milli_cpu: int) -> float:
    """What nodes cost for what they are used for, and how ill they suit the cluster's size."""
    nodes_price = (option.group.price or 0.0) * option.node_count
    pods_price = sum(map(_pod_price, option.pods))
    price = (nodes_price + _STABLE_PRICE) / (pods_price + _STABLE_PRICE)
    if node_state.gpu_of(option.template.allocatable) is not None:
        return _GPU_UNFITNESS * price
    milli_cpu = option.template.capacity.milli_cpu
    if not milli_cpu:
        return math.inf
    unfitness = max(preferred_milli_cpu / milli_cpu, milli_cpu / preferred_milli_cpu)
    # One node of the wrong size may be wrong; of twenty it is a matter of taste.
    return ((unfitness - 1.0) * (1.0 - math.tanh((option.node_count - 1) / 15.0)) + 1.0) * price


def _pod_price(pod: PodView) -> float:
    requests = pod.requests
    return (
        requests.milli_cpu / 1000.0 * prices.CORE
        + requests.memory / _GIB * prices.GIB
        + sum(requests.scalars.get(name, 0) for name in node_state.GPUS) * prices.GPU
    )


def _preferred_milli_cpu(cluster_size: int) -> int:
    for most_nodes, milli_cpu in _PREFERRED:
        if cluster_size <= most_nodes:
            return milli_cpu
    return _PREFERRED_IN_LARGEST
