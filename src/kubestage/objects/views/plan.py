"""The part of a pod that its template decides, compiled once for all pods that share it.

Pods of one Deployment differ in name and node but not in what scheduling weighs. A plan is a
function of the bytes of just those parts, so equal templates meet in one plan even when each pod
was decoded on its own, and nothing that happens to a pod's object later can reach it.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.objects import affinity as affinities
from kubestage.objects import host_ports as ports
from kubestage.objects import node_selector, resource_totals
from kubestage.objects.taints import Toleration, toleration_of

if TYPE_CHECKING:
    from kubestage.objects.host_ports import HostPort
    from kubestage.objects.resource_totals import Resource, Usage

_encode: Final = msgspec.msgpack.Encoder().encode
_decode: Final = msgspec.msgpack.Decoder().decode

# Kept out of a plan: names, commands, environments, mounts, which differ without effect.
_CONTAINER_PARTS: Final = ("resources", "ports", "image", "restartPolicy", "restartPolicyRules")
_SPEC_PARTS: Final = (
    "overhead", "resources", "nodeSelector", "affinity", "tolerations", "topologySpreadConstraints",
    "hostNetwork", "hostUsers",
)  # fmt: skip
_MAX_PLANS: Final = 4096
_plans: Final[dict[bytes, PodPlan]] = {}


class PodPlan(msgspec.Struct, frozen=True, dict=True, eq=False):
    """What a pod spec means to scheduling; affinity and spread are compiled at their first use."""

    key: bytes
    namespace: str
    fit_request: Resource
    usage: Usage
    host_ports: tuple[HostPort, ...]
    tolerations: tuple[Toleration, ...]
    images: tuple[str, ...]
    has_affinity: bool
    has_required_anti_affinity: bool
    has_spread: bool

    @functools.cached_property
    def spec(self) -> dict[str, Any]:
        """The plan's own copy of the parts that are compiled late."""
        return dict(zip(_SPEC_PARTS, _decode(self.key)[1:], strict=False))

    @functools.cached_property
    def requested_of_nodes(self) -> bytes:
        """Equal for plans that differ only in what they say of other pods, and in namespace."""
        parts = _decode(self.key)
        affinity = parts[1 + _SPEC_PARTS.index("affinity")] or {}
        parts[0] = None
        parts[1 + _SPEC_PARTS.index("affinity")] = affinity.get("nodeAffinity")
        parts[1 + _SPEC_PARTS.index("topologySpreadConstraints")] = None
        return _encode(parts)

    @functools.cached_property
    def required_node_affinity(self) -> node_selector.RequiredNodeAffinity:
        """Which nodes the pod may run on."""
        return node_selector.required_of(self.spec)

    @functools.cached_property
    def preferred_node_terms(self) -> node_selector.PreferredTerms:
        """Which nodes the pod would rather run on; ``SelectorError`` if a term is malformed."""
        node_affinity = (self.spec.get("affinity") or {}).get("nodeAffinity") or {}
        terms = node_affinity.get("preferredDuringSchedulingIgnoredDuringExecution")
        return node_selector.preferred(terms) if terms else node_selector.NO_PREFERENCE

    @functools.cached_property
    def affinity(self) -> affinities.PodAffinity:
        """Which pods it is to be near to or far from."""
        return affinities.pod_affinity_of(self.spec.get("affinity"), self.namespace)

    @functools.cached_property
    def spread_constraints(self) -> tuple[affinities.SpreadConstraint, ...]:
        """How it is to be spread; ``SelectorError`` if a constraint is malformed."""
        return affinities.spread_constraints_of(self.spec.get("topologySpreadConstraints"))


def of(spec: dict[str, Any], namespace: str) -> PodPlan:
    """The plan of a pod spec in a namespace."""
    get = spec.get
    parts: list[Any] = [namespace, *map(get, _SPEC_PARTS)]
    parts += [_container_parts(get("containers")), _container_parts(get("initContainers"))]
    key = _encode(parts)
    plan = _plans.get(key)
    if plan is None:
        if len(_plans) >= _MAX_PLANS:
            _plans.clear()
        plan = _plans[key] = _compile(key, spec, namespace)
    return plan


def _container_parts(containers: list[dict[str, Any]] | None) -> list[list[Any]]:
    return [list(map(item.get, _CONTAINER_PARTS)) for item in containers] if containers else []


def _compile(key: bytes, spec: dict[str, Any], namespace: str) -> PodPlan:
    affinity = spec.get("affinity") or {}
    anti = affinity.get("podAntiAffinity")
    containers = [*(spec.get("initContainers") or ()), *(spec.get("containers") or ())]
    return PodPlan(
        key,
        namespace,
        *resource_totals.request_and_usage({"spec": spec}),
        ports.of(spec),
        tuple(map(toleration_of, spec.get("tolerations") or ())),
        tuple([normalized_image(item.get("image") or "") for item in containers]),
        anti is not None or affinity.get("podAffinity") is not None,
        bool(anti and anti.get("requiredDuringSchedulingIgnoredDuringExecution")),
        bool(spec.get("topologySpreadConstraints")),
    )


def normalized_image(name: str) -> str:
    """An image name as nodes report it: one without a tag means ``:latest``."""
    return name if name.rfind(":") > name.rfind("/") else f"{name}:latest"
