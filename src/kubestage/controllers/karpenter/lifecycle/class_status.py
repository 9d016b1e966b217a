"""The status of node classes, which on a real cluster their provider writes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.karpenter.conditions.condition_set import ConditionSet
from kubestage.controllers.karpenter.provider import node_class
from kubestage.objects.prices import PRICE_CATALOG, entries

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.karpenter.lifecycle.at_work import AtWork
    from kubestage.controllers.karpenter.provider.node_class import NodeClass

_STAGE: Final = ("InstanceTypesReady",)
_EC2: Final = (
    "AMIsReady", "SubnetsReady", "SecurityGroupsReady", "InstanceProfileReady",
    "ValidationSucceeded", "PlacementGroupReady",
)  # fmt: skip
_NO_TYPES: Final = "no PriceCatalog has instance types; name one with --catalogue"


def sync(at_work: AtWork, kind: tuple[str, str], name: str) -> None:
    """Write whether a node class is ready, and what it stands for."""
    obj = at_work.lister.get(kind, name)
    if obj is None:
        return
    group = kind[0].partition("/")[0]
    found = at_work.cloud.class_of({"group": group, "kind": kind[1], "name": name})
    assert found is not None
    has_types = bool(at_work.cloud.types_of_class(found))
    conditions = ConditionSet(obj, _STAGE if kind == node_class.STAGE else _EC2, at_work.now_ns)
    if kind == node_class.EC2:
        for each in _EC2:
            conditions.set_true(each)
    elif has_types:
        conditions.set_true(_STAGE[0])
    else:
        conditions.set_false(_STAGE[0], "NoInstanceTypes", _missing(at_work, found, obj))
    status = conditions.status
    if kind == node_class.EC2:
        status = {**status, **_resolved(at_work, found)}
    at_work.write_status(kind, obj, status)


def _missing(at_work: AtWork, found: NodeClass, obj: Json) -> str:
    """Why a class has no instance types."""
    if found.catalog and at_work.lister.get(PRICE_CATALOG, found.catalog) is None:
        return f'there is no PriceCatalog "{found.catalog}"; name its file with --catalogue'
    zones = (obj.get("spec") or {}).get("zones")
    catalogs = at_work.lister.all(PRICE_CATALOG)
    if zones and any(each.resources or each.capacity for one in catalogs for each in entries(one)):
        return f"there are none in its zones: {', '.join(zones)}"
    return _NO_TYPES


def _resolved(at_work: AtWork, found: NodeClass) -> Json:
    """What the selectors of a class of AWS stand for: one subnet a zone, one group, one image."""
    zones = at_work.cloud.zones_of(found)
    spec = found.obj["spec"]
    profile = spec.get("instanceProfile") or f"kubestage_{found.metadata['name']}"
    return {
        "subnets": [{"id": f"subnet-{zone}", "zone": zone} for zone in zones],
        "securityGroups": [{"id": "sg-kubestage", "name": "kubestage"}],
        "amis": [{"id": found.image, "requirements": []}],
        "instanceProfile": profile,
    }
