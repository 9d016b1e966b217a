"""Groups that are as good as one: found by what their nodes are like, and kept at equal size."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.aliases import Json
from kubestage.controllers.node_autoscaler import groups
from kubestage.golang import sort
from kubestage.objects import quantity, resource_totals

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.controllers.node_autoscaler.settings import NodeAutoscalerSettings
    from kubestage.controllers.node_autoscaler.templates import Template


_IGNORED: Final = frozenset(
    {
        groups.HOSTNAME,
        groups.LABEL,
        "failure-domain.beta.kubernetes.io/zone",
        "failure-domain.beta.kubernetes.io/region",
        "topology.kubernetes.io/zone",
        "topology.kubernetes.io/region",
        "beta.kubernetes.io/fluentd-ds-ready",
        "kops.k8s.io/instancegroup",
    }
)


class Growth(msgspec.Struct):
    """A group that is to grow."""

    group: str
    current: int
    new: int
    most: int

    def __str__(self) -> str:
        return f"{{{self.group} {self.current}->{self.new} (max: {self.most})}}"

    @property
    def increase(self) -> int:
        """By how many nodes it grows."""
        return self.new - self.current


def are_similar(one: Template, other: Template, settings: NodeAutoscalerSettings) -> bool:
    """Whether nodes of two groups are about the same machines with the same labels."""
    if settings.balancing_label:
        return _share_labels(one, other, settings.balancing_label)
    mine, theirs = one.node["status"], other.node["status"]
    ratio = settings.max_allocatable_difference_ratio
    return (
        _same_capacity(mine["capacity"], theirs["capacity"], settings.memory_difference_ratio)
        and _within(_milli(mine["allocatable"]), _milli(theirs["allocatable"]), ratio)
        and _within(_free(one), _free(other), settings.max_free_difference_ratio)
        and _labels(one, settings) == _labels(other, settings)
    )


def _share_labels(one: Template, other: Template, names: Iterable[str]) -> bool:
    mine, theirs = one.node["metadata"]["labels"], other.node["metadata"]["labels"]
    return all(name in mine and mine[name] == theirs.get(name) for name in names)


def _same_capacity(mine: Json, theirs: Json, ratio: float) -> bool:
    one, other = _milli(mine), _milli(theirs)
    memory = [{"memory": each.pop("memory", 0)} for each in (one, other)]
    return one == other and _within(memory[0], memory[1], ratio)


def _milli(amounts: Json) -> dict[str, int]:
    return {name: quantity.milli_value_of(amount) for name, amount in amounts.items()}


def _within(one: dict[str, int], other: dict[str, int], ratio: float) -> bool:
    if one.keys() != other.keys():
        return False
    return all(abs(one[name] - other[name]) <= max(one[name], other[name]) * ratio for name in one)


def _free(template: Template) -> dict[str, int]:
    taken = resource_totals.ZERO
    for pod in template.pods:
        taken = taken + pod.requests
    offered = template.allocatable
    return {
        "cpu": offered.milli_cpu - taken.milli_cpu,
        "memory": offered.memory - taken.memory,
        "pods": offered.allowed_pod_number,
        "ephemeral-storage": offered.ephemeral_storage - taken.ephemeral_storage,
        **{name: offered.scalars.get(name, 0) - each for name, each in taken.scalars.items()},
    }


def _labels(template: Template, settings: NodeAutoscalerSettings) -> dict[str, str]:
    labels: dict[str, str] = template.node["metadata"]["labels"]
    ignored = {*_IGNORED, *settings.balancing_ignore_label}
    return {name: value for name, value in labels.items() if name not in ignored}


def balanced(sizes: Iterable[tuple[str, int, int]], new_nodes: int) -> list[Growth]:
    """Deal new nodes to groups (name, size, most), the smallest first, until all are as large.

    Groups that do not grow are left out. A group that is full is exchanged with the first that is
    not, which makes a difference to the order in which the others get theirs: the turn goes on from
    the one that has taken its place.
    """
    growing = [Growth(name, size, size, most) for name, size, most in sizes if size != most]
    growing = sort.in_order(growing, lambda one, other: one.current < other.current)
    left = min(new_nodes, sum(max(each.most - each.current, 0) for each in growing))
    start = at = 0
    while left > 0:
        each = growing[at]
        if each.new < each.most:
            each.new += 1
            left -= 1
        else:
            growing[start], growing[at] = each, growing[start]
            start += 1
        is_ahead = at < len(growing) - 1 and growing[at].new > growing[at + 1].new
        at = at + 1 if is_ahead else start
    return [each for each in growing if each.new != each.current]
