"""What a NodePool refers to: a StageNodeClass, or one of AWS with a StageNodeClass beside it."""

from __future__ import annotations

import functools
import hashlib
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.aliases import Json
from kubestage.controllers.karpenter import amounts
from kubestage.controllers.karpenter.provider import kubelet_config
from kubestage.controllers.karpenter.provider.catalog import Terms
from kubestage.golang import durations
from kubestage.objects import distributions
from kubestage.units import MINUTE_NS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kubestage.objects.distributions import Distribution

STAGE: Final = ("kubestage.dev/v1alpha1", "StageNodeClass")
EC2: Final = ("karpenter.k8s.aws/v1", "EC2NodeClass")
DEFAULT_NAME: Final = "default"
"""The StageNodeClass that counts where none has the name of another provider's class."""

_BY_GROUP_KIND: Final = {("kubestage.dev", STAGE[1]): STAGE, ("karpenter.k8s.aws", EC2[1]): EC2}
_REGISTRATION: Final = "30s"
_INITIALIZATION: Final = "10s"
_NOTICE: Final = "2m"
# What AWS can change of machines that are there, or resolves by itself.
_UNHASHED: Final = frozenset(
    {
        "subnetSelectorTerms", "securityGroupSelectorTerms", "capacityReservationSelectorTerms",
        "ipPrefixCount", "amiSelectorTerms", "amiFamily",
    }
)  # fmt: skip
_HASHED_OF_STAGE: Final = frozenset({"catalog", "overhead", "maxPods"})


class Window(msgspec.Struct, frozen=True):
    """When, and of what, there is no capacity; or when machines are taken back."""

    instance_types: tuple[str, ...] = ()
    zones: tuple[str, ...] = ()
    capacity_types: tuple[str, ...] = ()
    from_ns: int = 0
    until_ns: int | None = None
    probability: float = 1.0


class NodeClass(msgspec.Struct, frozen=True):
    """A node class as the provider goes by it."""

    key: tuple[str, str, str]
    obj: Json
    catalog: str
    terms: Terms
    registration: Distribution
    initialization: Distribution
    removes_startup_taints: bool
    shortages: tuple[Window, ...]
    interruptions_per_hour: float
    notice_ns: int
    interruptions: tuple[Window, ...]
    image: str
    hash: str

    @property
    def metadata(self) -> Json:
        """The metadata of the object that the NodePool names."""
        found: Json = self.obj["metadata"]
        return found


def kind_of(reference: Mapping[str, str]) -> tuple[str, str] | None:
    """The kind of a reference, if it is one that a stage can serve."""
    return _BY_GROUP_KIND.get((reference["group"], reference["kind"]))


def read(kind: tuple[str, str], obj: Json, beside: Json | None) -> NodeClass:
    """The class of an object; `beside` states how machines start, for a class of AWS."""
    own: Json = obj.get("spec") or {}
    spec = own if kind == STAGE else ((beside or {}).get("spec") or {})
    spot: Json = spec.get("spot") or {}
    adjust = None
    if kind == EC2:
        adjust = functools.partial(kubelet_config.adjusted, spec=own)
    hashed = {name: own[name] for name in sorted(own) if _is_hashed(kind, name)}
    image = _digest(own["amiSelectorTerms"]) if kind == EC2 else ""
    return NodeClass(
        (*kind, obj["metadata"]["name"]),
        obj,
        spec.get("catalog") or "",
        Terms(
            tuple(spec.get("zones") or ()),
            amounts.of(spec.get("overhead")),
            spec.get("maxPods"),
            adjust,
        ),
        distributions.parse(spec.get("registrationDelay") or _REGISTRATION),
        distributions.parse(spec.get("initializationDelay") or _INITIALIZATION),
        spec.get("removesStartupTaints", True),
        tuple(map(_shortage, spec.get("insufficientCapacity") or ())),
        float(spot.get("interruptionsPerHour") or 0),
        durations.parse_duration(spot.get("notice") or _NOTICE),
        tuple(map(_interruption, spot.get("interruptions") or ())),
        f"ami-{image[:17]}" if image else "",
        _digest(hashed),
    )


def _is_hashed(kind: tuple[str, str], name: str) -> bool:
    return name in _HASHED_OF_STAGE if kind == STAGE else name not in _UNHASHED


def _digest(value: Any) -> str:
    return hashlib.sha256(msgspec.json.encode(value, order="sorted")).hexdigest()


def _shortage(stated: Json) -> Window:
    until = stated.get("until")
    return Window(
        tuple(stated.get("instanceTypes") or ()),
        tuple(stated.get("zones") or ()),
        tuple(stated.get("capacityTypes") or ()),
        durations.parse_duration(stated.get("from") or "0s"),
        None if until is None else durations.parse_duration(until),
        float(stated.get("probability", 1)),
    )


def _interruption(stated: Json) -> Window:
    at_ns = durations.parse_duration(stated["at"])
    return Window(
        tuple(stated.get("instanceTypes") or ()),
        tuple(stated.get("zones") or ()),
        from_ns=at_ns,
        until_ns=at_ns + MINUTE_NS,
        probability=float(stated.get("share", 1)),
    )
