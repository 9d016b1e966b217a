"""NodeResourcesFit, one node at a time."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Any

from kubestage.objects import pod_resources, resource_totals
from kubestage.scheduler.status import SUCCESS, Status, unresolvable, unschedulable
from tests.reference import node_amounts

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.node_info import NodeInfo

DEFAULTS = {"cpu": "100m", "memory": "200Mi"}


def filter_node(
    pod: PodView, node: NodeInfo, ignored: Collection[str], groups: Collection[str]
) -> Status:
    reasons = []
    never = False
    if len(node.pods) + 1 > node.view.allowed_pods:
        reasons.append("Too many pods")
    for resource, amount in pod.fit_request.items():
        extended = resource_totals.is_extended(resource)
        if extended and (resource in ignored or resource.split("/")[0] in groups):
            continue
        offered = node_amounts.allocatable(node, resource)
        if amount > 0 and amount > offered - node_amounts.requested(node, resource):
            reasons.append(f"Insufficient {resource}")
            never = never or amount > offered
    if not reasons:
        return SUCCESS
    return unresolvable(*reasons) if never else unschedulable(*reasons)


def score_node(pod: PodView, node: NodeInfo, strategy: dict[str, Any]) -> int:
    options = pod_resources.Options(skip_pod_level=True, non_missing=DEFAULTS)
    requests = pod_resources.requests(pod.raw, options)
    total = weights = 0
    for each in strategy["resources"]:
        name, weight = each["name"], each["weight"]
        wanted = 0
        if name in requests:
            wanted = requests[name].milli_value if name == "cpu" else requests[name].value
        offered = node_amounts.allocatable(node, name)
        if offered == 0 or (wanted == 0 and resource_totals.is_scalar(name)):
            continue
        taken = node_amounts.nonzero_requested(node, name) + wanted
        share = _share(strategy, taken, offered)
        if strategy["type"] == "RequestedToCapacityRatio" and share <= 0:
            continue
        total += share * weight
        weights += weight
    if weights == 0:
        return 0
    if strategy["type"] == "RequestedToCapacityRatio":
        return math.floor(total / weights + 0.5)
    return total // weights


def _share(strategy: dict[str, Any], taken: int, offered: int) -> int:
    if strategy["type"] == "LeastAllocated":
        return 0 if taken > offered else (offered - taken) * 100 // offered
    if strategy["type"] == "MostAllocated":
        return min(taken, offered) * 100 // offered
    utilization = 100 if taken > offered else taken * 100 // offered
    shape = strategy["requestedToCapacityRatio"]["shape"]
    return broken_line([(p["utilization"], p["score"] * 10) for p in shape], utilization)


def broken_line(points: Sequence[tuple[int, int]], at: int) -> int:
    """Linear between points, level outside of them, fractions cut off."""
    if at <= points[0][0]:
        return points[0][1]
    for (x0, y0), (x1, y1) in itertools.pairwise(points):
        if at <= x1:
            return y0 + math.trunc((y1 - y0) * (at - x0) / (x1 - x0))
    return points[-1][1]
