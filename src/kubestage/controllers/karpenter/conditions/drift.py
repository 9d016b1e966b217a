"""Drifted: a NodeClaim is not what its NodePool, or the cloud, would make today."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.karpenter import labels
from kubestage.controllers.karpenter.conditions import status
from kubestage.controllers.karpenter.instance_types import prices
from kubestage.controllers.karpenter.requirements import requirement, requirements
from kubestage.objects import timestamps
from kubestage.units import HOUR_NS, MINUTE_NS

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.karpenter.instance_types.provider import InstanceTypeProvider

DRIFTED: Final = "Drifted"
LAUNCHED: Final = "Launched"
NODE_POOL_DRIFTED: Final = "NodePoolDrifted"
REQUIREMENTS_DRIFTED: Final = "RequirementsDrifted"
INSTANCE_TYPE_NOT_FOUND: Final = "InstanceTypeNotFound"

_CHECKED_FROM_NS: Final = HOUR_NS
_REMEMBERED_NS: Final = 30 * MINUTE_NS


class DriftCheck:
    """Finds drift; that an instance type is still offered is remembered for half an hour."""

    def __init__(self, provider: InstanceTypeProvider) -> None:
        self._provider = provider
        self._found_until_ns: dict[str, int] = {}

    def with_drifted(self, node_pool: Json, node_claim: Json, now_ns: int) -> Json:
        """The NodeClaim with the condition as it should be now."""
        reason = ""
        if status.is_true(node_claim, LAUNCHED):
            reason = self.reason(node_pool, node_claim, now_ns)
        if not reason:
            return status.without(node_claim, DRIFTED)
        return status.with_true(node_claim, DRIFTED, now_ns, reason)

    def reason(self, node_pool: Json, node_claim: Json, now_ns: int) -> str:
        """Why a NodeClaim has drifted; empty if it has not."""
        return (
            _static_reason(node_pool, node_claim)
            or _requirements_reason(node_pool, node_claim)
            or self._instance_type_reason(node_pool, node_claim, now_ns)
            or self._provider.drift_reason(node_claim)
        )

    def _instance_type_reason(self, node_pool: Json, node_claim: Json, now_ns: int) -> str:
        metadata = node_claim["metadata"]
        uid = metadata.get("uid") or ""
        created_ns = timestamps.parse_time(metadata["creationTimestamp"])
        if now_ns < self._found_until_ns.get(uid, 0) or now_ns - created_ns <= _CHECKED_FROM_NS:
            return ""
        if not self._is_offered(node_pool, metadata.get("labels") or {}):
            return INSTANCE_TYPE_NOT_FOUND
        self._found_until_ns[uid] = now_ns + _REMEMBERED_NS
        return ""

    def _is_offered(self, node_pool: Json, claimed: dict[str, str]) -> bool:
        provider = self._provider
        name = claimed.get(labels.INSTANCE_TYPE)
        found = next((each for each in provider.types_of(node_pool) if each.name == name), None)
        if found is None:
            return False
        required = requirements.of_labels(claimed)
        if claimed.get(labels.CAPACITY_TYPE) == labels.RESERVED:
            # A reservation may have ended: the machine goes on as an on-demand one.
            either = requirement.new(
                labels.CAPACITY_TYPE, requirement.IN, (labels.RESERVED, labels.ON_DEMAND)
            )
            required = required.with_replaced(either).without(*provider.reserved_labels)
        return bool(prices.compatible_offerings(found.offerings, required, provider.well_known))


def _static_reason(node_pool: Json, node_claim: Json) -> str:
    made_of, claimed = (obj["metadata"].get("annotations") or {} for obj in (node_pool, node_claim))
    keys = labels.NODE_POOL_HASH, labels.NODE_POOL_HASH_VERSION
    if any(key not in each for key in keys for each in (made_of, claimed)):
        return ""
    if made_of[labels.NODE_POOL_HASH_VERSION] != claimed[labels.NODE_POOL_HASH_VERSION]:
        return ""
    same = made_of[labels.NODE_POOL_HASH] == claimed[labels.NODE_POOL_HASH]
    return "" if same else NODE_POOL_DRIFTED


def _requirements_reason(node_pool: Json, node_claim: Json) -> str:
    required = requirements.of_json(node_pool["spec"]["template"]["spec"].get("requirements") or ())
    known = requirements.of_labels(node_claim["metadata"].get("labels"))
    return "" if known.is_compatible(required) else REQUIREMENTS_DRIFTED
