"""NodeResourcesBalancedAllocation, one node at a time."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from kubestage.objects import resource_totals
from tests.reference import node_amounts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.node_info import NodeInfo


def is_skipped(pod: PodView, resources: Sequence[str]) -> bool:
    requests = dict(pod.requests.items())
    return not any(requests.get(name) for name in resources)


def score_node(pod: PodView, node: NodeInfo, resources: Sequence[str]) -> int:
    requests = dict(pod.requests.items())
    with_pod, without_pod = [], []
    for name in resources:
        wanted = requests.get(name, 0)
        offered = node_amounts.allocatable(node, name)
        if offered == 0 or (wanted == 0 and resource_totals.is_scalar(name)):
            continue
        taken = node_amounts.requested(node, name)
        with_pod.append(min((taken + wanted) / offered, 1.0))
        without_pod.append(min(taken / offered, 1.0))
    return 50 + (50 + balance(with_pod) - balance(without_pod)) // 2


def balance(fractions: Sequence[float]) -> int:
    deviation = 0.0
    if len(fractions) == 2:
        deviation = abs((fractions[0] - fractions[1]) / 2)
    elif len(fractions) > 2:
        total = 0.0
        for fraction in fractions:
            total += fraction
        mean = total / len(fractions)
        squares = 0.0
        for fraction in fractions:
            squares += (fraction - mean) * (fraction - mean)
        deviation = math.sqrt(squares / len(fractions))
    return int((1 - deviation) * 100)
