"""The arguments of the plugins that score resources; see `plugins.arguments`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects.validation import field, names

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kubestage.aliases import Json
    from kubestage.objects.validation.field import FieldError

_RESOURCES: Final = ("cpu", "memory")
_STRATEGIES: Final = ("LeastAllocated", "MostAllocated", "RequestedToCapacityRatio")
_MAX_SCORE: Final = 10


class NodeResourcesBalancedAllocationArgs:
    """The resources that should be in balance."""

    @staticmethod
    def default(args: Json) -> Json:
        return {"resources": _resources(args.get("resources"))}

    @staticmethod
    def problems(args: Json, path: str) -> Iterator[FieldError]:
        seen: set[str] = set()
        for index, resource in enumerate(args["resources"]):
            where = f"{path}resources[{index}]"
            if resource["name"] in seen:
                yield field.duplicate(f"{where}.name", resource["name"])
            seen.add(resource["name"])
            if resource["weight"] != 1:
                yield field.invalid(f"{where}.weight", resource["weight"], "must be 1")


class NodeResourcesFitArgs:
    """The resources that are ignored, and how free resources are scored."""

    @staticmethod
    def default(args: Json) -> Json:
        out = {
            key: [name or "" for name in args[key]]
            for key in ("ignoredResources", "ignoredResourceGroups")
            if args.get(key)
        }
        stated = args.get("scoringStrategy", {"type": "LeastAllocated"})
        strategy: Json = {"resources": _resources(stated.get("resources"))}
        if stated.get("type"):
            strategy["type"] = stated["type"]
        ratio = stated.get("requestedToCapacityRatio")
        if ratio is not None:
            points = shape_points(ratio.get("shape"))
            strategy["requestedToCapacityRatio"] = {"shape": points} if points else {}
        return {**out, "scoringStrategy": strategy}

    @staticmethod
    def problems(args: Json, path: str) -> Iterator[FieldError]:
        for index, name in enumerate(args.get("ignoredResources", ())):
            where = f"{path}ignoredResources[{index}]"
            yield from field.invalids(where, name, names.is_qualified_name(name))
        for index, group in enumerate(args.get("ignoredResourceGroups", ())):
            where = f"{path}ignoredResourceGroups[{index}]"
            if "/" in group:
                yield field.invalid(where, group, "resource group name can't contain '/'")
            yield from field.invalids(where, group, names.is_qualified_name(group))
        yield from _scoring_strategy(args["scoringStrategy"], f"{path}scoringStrategy")


def _resources(stated: list[Any] | None) -> list[Json]:
    items = [item or {} for item in stated or ()] or [{"name": name} for name in _RESOURCES]
    return [{"name": each.get("name", ""), "weight": each.get("weight") or 1} for each in items]


def shape_points(stated: list[Any] | None) -> list[dict[str, int]]:
    """The points of a function from utilization to score, with their defaults."""
    points = [point or {} for point in stated or ()]
    return [{key: each.get(key, 0) for key in ("utilization", "score")} for each in points]


def _scoring_strategy(strategy: Json, path: str) -> Iterator[FieldError]:
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
            yield from _shape_problems(ratio.get("shape", ()), f"{where}.shape")
    elif ratio is not None:
        yield field.forbidden(where, "must be nil when type is not RequestedToCapacityRatio")


def _shape_problems(points: Sequence[dict[str, int]], path: str) -> Iterator[FieldError]:
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
