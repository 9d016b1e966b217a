"""Arguments of kubestage's own plugins: decoded by the plugin's name, then defaulted.

What comes out is the ``v1`` JSON that the plugin's constructor gets: every default filled in,
one spelling for everything. Arguments of other plugins are passed on as they were written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects import go_decoder, schema, shape
from kubestage.scheduler.config import reading, wire_types
from kubestage.scheduler.config.failure import ConfigError
from kubestage.scheduler.config.model import API_VERSION

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

_RESOURCES: Final = ("cpu", "memory")
_TYPED: Final = ("v1", "v1beta3", "v1beta2")
"""Versions that give arguments a type; to the others they are any JSON."""


def is_known(plugin: str) -> bool:
    """Whether the plugin's arguments have a type of their own."""
    return plugin in _DEFAULTS


def default(plugin: str, args: dict[str, Any] | None = None) -> dict[str, Any]:
    """The defaulted arguments of a plugin that `is_known`."""
    given = {key: value for key, value in (args or {}).items() if value is not None}
    return {"apiVersion": API_VERSION, "kind": f"{plugin}Args", **_DEFAULTS[plugin](given)}


def decode(
    plugin: str, raw: Any, version: str, versions: Collection[str]
) -> tuple[Any, reading.Decoded]:
    """A plugin's arguments as written, not yet defaulted, and how they decoded.

    The arguments are None where there are none, and plain JSON for a plugin that is not ours.
    """
    kind = f"{plugin}Args"
    if not wire_types.is_kind(version, kind):
        if not is_known(plugin) or version not in _TYPED:
            return go_decoder.plain(raw), reading.Decoded({})
        version = "v1"
    about = f"decoding args for plugin {plugin}"
    try:
        found = reading.read(raw, "", versions, (version, kind))
    except ConfigError as error:
        raise reading.problem(f"{about}: {error.problem}") from None
    if found.kind != kind:
        wanted, got = (f"{name}.{wire_types.GROUP}" for name in (kind, found.kind))
        raise reading.problem(f"args for plugin {plugin} were not of type {wanted}, got {got}")
    return found.decoded.object, found.decoded


def _default_preemption(args: dict[str, Any]) -> dict[str, Any]:
    return {
        "minCandidateNodesPercentage": args.get("minCandidateNodesPercentage", 10),
        "minCandidateNodesAbsolute": args.get("minCandidateNodesAbsolute", 100),
    }


def _dynamic_resources(args: dict[str, Any]) -> dict[str, Any]:
    return {
        "filterTimeout": args.get("filterTimeout", "10s"),
        "bindingTimeout": args.get("bindingTimeout", "10m0s"),
    }


def _inter_pod_affinity(args: dict[str, Any]) -> dict[str, Any]:
    return {
        "hardPodAffinityWeight": args.get("hardPodAffinityWeight", 1),
        "ignorePreferredTermsOfExistingPods": args.get("ignorePreferredTermsOfExistingPods", False),
    }


def _node_affinity(args: dict[str, Any]) -> dict[str, Any]:
    if "addedAffinity" not in args:
        return {}
    struct = schema.struct("core/v1.NodeAffinity")
    return {"addedAffinity": shape.normalize(args["addedAffinity"], struct)}


def _balanced_allocation(args: dict[str, Any]) -> dict[str, Any]:
    return {"resources": _resources(args.get("resources"))}


def _fit(args: dict[str, Any]) -> dict[str, Any]:
    out = {
        key: [name or "" for name in args[key]]
        for key in ("ignoredResources", "ignoredResourceGroups")
        if args.get(key)
    }
    given = args.get("scoringStrategy", {"type": "LeastAllocated"})
    strategy: dict[str, Any] = {"resources": _resources(given.get("resources"))}
    if given.get("type"):
        strategy["type"] = given["type"]
    ratio = given.get("requestedToCapacityRatio")
    if ratio is not None:
        points = _shape(ratio.get("shape"))
        strategy["requestedToCapacityRatio"] = {"shape": points} if points else {}
    return {**out, "scoringStrategy": strategy}


def _pod_topology_spread(args: dict[str, Any]) -> dict[str, Any]:
    struct = schema.struct("core/v1.TopologySpreadConstraint")
    constraints = [
        shape.normalize(each or {}, struct) for each in args.get("defaultConstraints", ())
    ]
    out: dict[str, Any] = {"defaultConstraints": constraints} if constraints else {}
    return {**out, "defaultingType": args.get("defaultingType") or "System"}


def _volume_binding(args: dict[str, Any]) -> dict[str, Any]:
    out: dict[str, Any] = {"bindTimeoutSeconds": args.get("bindTimeoutSeconds", 600)}
    # Even an empty shape is an error while its feature is off, so it must be seen.
    return {**out, "shape": _shape(args["shape"])} if "shape" in args else out


def _resources(given: list[Any] | None) -> list[dict[str, Any]]:
    items = [item or {} for item in given or ()] or [{"name": name} for name in _RESOURCES]
    return [{"name": each.get("name", ""), "weight": each.get("weight") or 1} for each in items]


def _shape(given: list[Any] | None) -> list[dict[str, int]]:
    points = [point or {} for point in given or ()]
    return [{key: each.get(key, 0) for key in ("utilization", "score")} for each in points]


_DEFAULTS: Final[dict[str, Callable[[dict[str, Any]], dict[str, Any]]]] = {
    "DefaultPreemption": _default_preemption,
    "DynamicResources": _dynamic_resources,
    "InterPodAffinity": _inter_pod_affinity,
    "NodeAffinity": _node_affinity,
    "NodeResourcesBalancedAllocation": _balanced_allocation,
    "NodeResourcesFit": _fit,
    "PodTopologySpread": _pod_topology_spread,
    "VolumeBinding": _volume_binding,
}
