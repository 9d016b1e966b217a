"""What all loops of Karpenter work with, and the ways in which they write."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Final

from kubestage.controllers.karpenter.decisions import purchases
from kubestage.controllers.node_decisions import NodeDecisions
from kubestage.errors import Conflict, NotFound
from kubestage.objects import gvk

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kubestage.aliases import Json
    from kubestage.controllers.karpenter.events import Publish
    from kubestage.controllers.karpenter.provider.cloud import Cloud
    from kubestage.controllers.karpenter.settings import KarpenterSettings
    from kubestage.controllers.karpenter.state.cluster_state import ClusterState
    from kubestage.controllers.lister import Lister
    from kubestage.sim.clock import Clock
    from kubestage.store.store import Store

NODE_POOL: Final = ("karpenter.sh/v1", "NodePool")
NODE_CLAIM: Final = ("karpenter.sh/v1", "NodeClaim")
NODE: Final = gvk.NODE


@dataclasses.dataclass
class AtWork:
    """`wake` has a key synced after some time; `publish` writes Events, `decisions` has reasons."""

    store: Store
    lister: Lister
    clock: Clock
    settings: KarpenterSettings
    cluster: ClusterState
    cloud: Cloud
    publish: Publish
    wake: Callable[[str, int], None]
    decisions: NodeDecisions = dataclasses.field(default_factory=NodeDecisions)

    @property
    def now_ns(self) -> int:
        """The time of the calendar."""
        return self.clock.unix_ns

    def claim(self, name: str) -> Json | None:
        """A NodeClaim."""
        return self.lister.get(NODE_CLAIM, name)

    def node(self, name: str) -> Json | None:
        """A Node."""
        return self.lister.get(NODE, name)

    def node_pool_of(self, obj: Json) -> Json | None:
        """The NodePool of a NodeClaim or a Node."""
        name = (obj["metadata"].get("labels") or {}).get("karpenter.sh/nodepool")
        return None if name is None else self.lister.get(NODE_POOL, name)

    def node_of(self, node_claim: Json) -> Json | None:
        """The Node of a NodeClaim: that of the same machine."""
        provider_id = (node_claim.get("status") or {}).get("providerID")
        if not provider_id:
            return None
        found = self.node(node_claim["metadata"]["name"])
        if found is not None and _provider_id(found) == provider_id:
            return found
        return next(
            (each for each in self.lister.all(NODE) if _provider_id(each) == provider_id), None
        )

    def claim_of(self, node: Json) -> Json | None:
        """The NodeClaim of a Node: that of the same machine."""
        provider_id = _provider_id(node)
        found = self.claim(node["metadata"]["name"])
        if found is not None and (found.get("status") or {}).get("providerID") == provider_id:
            return found
        return next(
            (
                each
                for each in self.lister.all(NODE_CLAIM)
                if provider_id and (each.get("status") or {}).get("providerID") == provider_id
            ),
            None,
        )

    def is_managed(self, obj: Json) -> bool:
        """Whether a NodePool or a NodeClaim refers to a class that a stage serves."""
        return reference_of(obj)["kind"] in ("StageNodeClass", "EC2NodeClass")

    def write_status(self, kind: tuple[str, str], obj: Json, status: Json) -> Json:
        """Give an object another status, if it is another."""
        if status == obj.get("status"):
            return obj
        return self.store.record_status(kind, obj["metadata"]["name"], status)

    def write_metadata(self, kind: tuple[str, str], obj: Json, **changed: Any) -> Json:
        """Add labels, annotations or owners to an object."""
        before = obj["metadata"]
        after = {**before, **changed}
        if after == before:
            return obj
        return self.store.record_metadata(kind, before["name"], after)

    def patch(self, kind: tuple[str, str], name: str, patch: Json) -> None:
        """Change an object that may be gone."""
        try:
            self.store.patch(kind, name, patch)
        except (NotFound, Conflict):
            return

    def give_up(self, claim: Json, reason: str, replacements: Sequence[str] = ()) -> None:
        """Delete a NodeClaim, and say why."""
        if self.decisions.is_observed and not is_going(claim):
            decision = purchases.departure(self.now_ns, claim, reason, replacements)
            self.decisions.report(decision)
        self.delete(NODE_CLAIM, claim["metadata"]["name"])

    def delete(self, kind: tuple[str, str], name: str) -> None:
        """Delete an object that may be gone."""
        try:
            self.store.delete(kind, name)
        except NotFound:
            return


def reference_of(obj: Json) -> Json:
    """The reference of a NodePool or a NodeClaim to its class."""
    spec: Json = obj["spec"]
    found: Json = (spec["template"]["spec"] if "template" in spec else spec)["nodeClassRef"]
    return found


def is_going(obj: Json) -> bool:
    """Whether an object is being deleted."""
    return "deletionTimestamp" in obj["metadata"]


def _provider_id(node: Json) -> str:
    return (node.get("spec") or {}).get("providerID") or ""
