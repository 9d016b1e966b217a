"""What makes a plugin's arguments unusable; the arguments are defaulted ``v1`` JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.objects import durations, node_selector
from kubestage.objects.label_requirement import SelectorError
from kubestage.objects.validation import field, names
from kubestage.objects.validation.field import Rendered

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from kubestage.objects.validation.field import FieldError

_STRATEGIES: Final = ("LeastAllocated", "MostAllocated", "RequestedToCapacityRatio")
_ACTIONS: Final = ("DoNotSchedule", "ScheduleAnyway")
_MAX_SCORE: Final = 10


def validate(plugin: str, args: dict[str, Any], path: str) -> list[str]:
    """The broken rules of a plugin whose arguments have a type; an empty path is left out."""
    broken = _RULES[plugin](args, f"{path}." if path else "")
    return list(dict.fromkeys(str(problem) for problem in broken))


def _default_preemption(args: dict[str, Any], path: str) -> Iterator[FieldError]:
    percentage, absolute = args["minCandidateNodesPercentage"], args["minCandidateNodesAbsolute"]
    percentage_path = f"{path}minCandidateNodesPercentage"
    absolute_path = f"{path}minCandidateNodesAbsolute"
    if not 0 <= percentage <= 100:
        yield field.invalid(percentage_path, percentage, "not in valid range [0, 100]")
    if absolute < 0:
        yield field.invalid(absolute_path, absolute, "not in valid range [0, inf)")
    if percentage == 0 and absolute == 0:
        both = "cannot be zero at the same time as"
        yield field.invalid(percentage_path, 0, f"{both} minCandidateNodesAbsolute")
        yield field.invalid(absolute_path, 0, f"{both} minCandidateNodesPercentage")


def _dynamic_resources(args: dict[str, Any], path: str) -> Iterator[FieldError]:
    if durations.parse_duration(args["filterTimeout"]) < 0:
        detail = "must be zero or positive"
        yield field.invalid(f"{path}filterTimeout", args["filterTimeout"], detail)
    if durations.parse_duration(args["bindingTimeout"]) < durations.SECOND:
        detail = "must be at least 1 second"
        yield field.invalid(f"{path}bindingTimeout", args["bindingTimeout"], detail)


def _inter_pod_affinity(args: dict[str, Any], path: str) -> Iterator[FieldError]:
    weight = args["hardPodAffinityWeight"]
    if not 0 <= weight <= 100:
        yield field.invalid(f"{path}hardPodAffinityWeight", weight, "not in valid range [0, 100]")


def _node_affinity(args: dict[str, Any], path: str) -> Iterator[str]:
    affinity = args.get("addedAffinity", {})
    required = affinity.get("requiredDuringSchedulingIgnoredDuringExecution")
    preferred = affinity.get("preferredDuringSchedulingIgnoredDuringExecution")
    prefix = f"{path}addedAffinity"
    try:
        if required is not None:
            where = f"{prefix}.requiredDuringSchedulingIgnoredDuringExecution"
            node_selector.parse(required, where)
    except SelectorError as error:
        yield from error.problems
    try:
        if preferred:
            where = f"{prefix}.preferredDuringSchedulingIgnoredDuringExecution"
            node_selector.preferred(preferred, where)
    except SelectorError as error:
        yield from error.problems


def _balanced_allocation(args: dict[str, Any], path: str) -> Iterator[FieldError]:
    seen: set[str] = set()
    for index, resource in enumerate(args["resources"]):
        where = f"{path}resources[{index}]"
        if resource["name"] in seen:
            yield field.duplicate(f"{where}.name", resource["name"])
        seen.add(resource["name"])
        if resource["weight"] != 1:
            yield field.invalid(f"{where}.weight", resource["weight"], "must be 1")


def _fit(args: dict[str, Any], path: str) -> Iterator[FieldError]:
    for index, name in enumerate(args.get("ignoredResources", ())):
        where = f"{path}ignoredResources[{index}]"
        yield from field.invalids(where, name, names.is_qualified_name(name))
    for index, group in enumerate(args.get("ignoredResourceGroups", ())):
        where = f"{path}ignoredResourceGroups[{index}]"
        if "/" in group:
            yield field.invalid(where, group, "resource group name can't contain '/'")
        yield from field.invalids(where, group, names.is_qualified_name(group))
    yield from _scoring_strategy(args["scoringStrategy"], f"{path}scoringStrategy")


def _scoring_strategy(strategy: dict[str, Any], path: str) -> Iterator[FieldError]:
    kind = strategy.get("type", "")
    if kind not in _STRATEGIES:
        yield field.not_supported(f"{path}.type", kind, _STRATEGIES)
    for index, resource in enumerate(strategy["resources"]):
        if not 0 < resource["weight"] <= 100:
            detail = f"resource weight of {resource['name']} not in valid range (0, 100]"
            yield field.invalid(f"{path}.resources[{index}].weight", resource["weight"], detail)
    ratio, where = strategy.get("requestedToCapacityRatio"), f"{path}.requestedToCapacityRatio"
    if kind == "RequestedToCapacityRatio":
        if ratio is None:
            yield field.required(where, "must be specified when type is RequestedToCapacityRatio")
        else:
            yield from _shape(ratio.get("shape", ()), f"{where}.shape")
    elif ratio is not None:
        yield field.forbidden(where, "must be nil when type is not RequestedToCapacityRatio")


def _shape(points: Sequence[dict[str, int]], path: str) -> Iterator[FieldError]:
    if not points:
        yield field.required(path, "at least one point must be specified")
    for index in range(1, len(points)):
        if points[index - 1]["utilization"] >= points[index]["utilization"]:
            where, value = f"{path}[{index}].utilization", points[index]["utilization"]
            yield field.invalid(where, value, "values must be sorted in increasing order")
            break
    for index, point in enumerate(points):
        for key, limit in (("utilization", 100), ("score", _MAX_SCORE)):
            if not 0 <= point[key] <= limit:
                detail = f"not in valid range [0, {limit}]"
                yield field.invalid(f"{path}[{index}].{key}", point[key], detail)


def _pod_topology_spread(args: dict[str, Any], path: str) -> Iterator[FieldError]:
    kind, constraints = args["defaultingType"], args.get("defaultConstraints", ())
    if kind not in ("System", "List"):
        yield field.not_supported(f"{path}defaultingType", kind, ("System", "List"))
    elif kind == "System" and constraints:
        yield field.invalid(f"{path}defaultingType", kind, "when .defaultConstraints are not empty")
    seen: set[tuple[str, str]] = set()
    for index, constraint in enumerate(constraints):
        where = f"{path}defaultConstraints[{index}]"
        yield from _constraint(constraint, where)
        same = (constraint["topologyKey"], constraint["whenUnsatisfiable"])
        if same in seen:
            yield field.duplicate(where, f"{{{', '.join(same)}}}")
        seen.add(same)


def _constraint(constraint: dict[str, Any], path: str) -> Iterator[FieldError]:
    if constraint["maxSkew"] <= 0:
        yield field.invalid(f"{path}.maxSkew", constraint["maxSkew"], "not in valid range (0, inf)")
    key, action = constraint["topologyKey"], constraint["whenUnsatisfiable"]
    if not key:
        yield field.required(f"{path}.topologyKey", "can not be empty")
    else:
        yield from field.invalids(f"{path}.topologyKey", key, names.is_qualified_name(key))
    if not action:
        yield field.required(f"{path}.whenUnsatisfiable", "can not be empty")
    elif action not in _ACTIONS:
        yield field.not_supported(f"{path}.whenUnsatisfiable", action, _ACTIONS)
    if constraint.get("labelSelector") is not None:
        detail = "constraint must not define a selector, as they deduced for each pod"
        yield field.forbidden(f"{path}.labelSelector", detail)


def _volume_binding(args: dict[str, Any], path: str) -> Iterator[FieldError]:
    timeout = args["bindTimeoutSeconds"]
    if timeout < 0:
        detail = "invalid BindTimeoutSeconds, should not be a negative value"
        yield field.invalid(f"{path}bindTimeoutSeconds", timeout, detail)
    if "shape" in args:
        points = [
            {key.capitalize(): value for key, value in each.items()} for each in args["shape"]
        ]
        detail = (
            "unexpected field `shape`, remove it or turn on the feature gate StorageCapacityScoring"
        )
        shown = Rendered(msgspec.json.encode(points).decode())
        yield field.invalid(f"{path}shape", shown, detail)


_RULES: Final[dict[str, Callable[[dict[str, Any], str], Iterator[FieldError | str]]]] = {
    "DefaultPreemption": _default_preemption,
    "DynamicResources": _dynamic_resources,
    "InterPodAffinity": _inter_pod_affinity,
    "NodeAffinity": _node_affinity,
    "NodeResourcesBalancedAllocation": _balanced_allocation,
    "NodeResourcesFit": _fit,
    "PodTopologySpread": _pod_topology_spread,
    "VolumeBinding": _volume_binding,
}
