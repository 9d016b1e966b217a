"""A node as Karpenter sees it: the Node, the NodeClaim it was launched for, or only one of them."""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING

from kubestage.controllers.karpenter import amounts, labels
from kubestage.controllers.karpenter.conditions import status
from kubestage.controllers.karpenter.conditions.consolidation import CONSOLIDATABLE
from kubestage.controllers.karpenter.state import eviction_cost, pod_state
from kubestage.controllers.karpenter.state.disruption_limits import EvictablePods
from kubestage.objects import taints

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kubestage.aliases import Json
    from kubestage.controllers.karpenter.amounts import Amounts
    from kubestage.controllers.karpenter.state.usage import PortUser, Volumes


@dataclasses.dataclass(eq=False)
class StateNode:
    """One version of a node with its pods; what follows from them is computed once.

    `pods` are all that are bound to it, those that have ended included, by namespace and name.
    """

    node: Json | None
    node_claim: Json | None
    pods: Sequence[Json] = ()
    port_users: tuple[PortUser, ...] = ()
    volumes: Volumes = dataclasses.field(default_factory=dict)
    volume_limits: dict[str, int] = dataclasses.field(default_factory=dict)
    marked: bool = False
    nominated_until_ns: int = -1

    @functools.cached_property
    def name(self) -> str:
        """The Node's name once it is registered, that of the NodeClaim before."""
        name: str = self._shown["metadata"]["name"]
        return name

    @functools.cached_property
    def provider_id(self) -> str:
        """The identity of the machine; a Node without one has its name."""
        if self.node is None:
            claimed: str = (self._claim.get("status") or {}).get("providerID") or ""
            return claimed
        stated: str = (self.node.get("spec") or {}).get("providerID") or ""
        return stated or self.node["metadata"]["name"]

    @functools.cached_property
    def _claim(self) -> Json:
        assert self.node_claim is not None
        return self.node_claim

    @functools.cached_property
    def _shown(self) -> Json:
        """The object whose metadata count."""
        if self.node is None or (self.managed and not self.registered):
            return self._claim
        return self.node

    @property
    def managed(self) -> bool:
        """Whether Karpenter launched it."""
        return self.node_claim is not None

    @functools.cached_property
    def labels(self) -> dict[str, str]:
        """The labels that count."""
        return self._shown["metadata"].get("labels") or {}

    @functools.cached_property
    def annotations(self) -> dict[str, str]:
        """The annotations that count."""
        return self._shown["metadata"].get("annotations") or {}

    @functools.cached_property
    def hostname(self) -> str:
        """The name that topologies of hosts know it by."""
        return self.labels.get(labels.HOSTNAME) or self.name

    @functools.cached_property
    def node_pool(self) -> str:
        """The NodePool it belongs to; empty if none."""
        return self.labels.get(labels.NODE_POOL) or ""

    @functools.cached_property
    def registered(self) -> bool:
        """Whether its Node has joined the cluster; one that is not managed has."""
        return not self.managed or self._node_label(labels.NODE_REGISTERED) == "true"

    @functools.cached_property
    def initialized(self) -> bool:
        """Whether pods can run on it; one that is not managed can."""
        return not self.managed or self._node_label(labels.NODE_INITIALIZED) == "true"

    def _node_label(self, key: str) -> str | None:
        stated = (self.node or {}).get("metadata", {}).get("labels") or {}
        found: str | None = stated.get(key)
        return found

    @functools.cached_property
    def taints(self) -> list[Json]:
        """The taints that pods must tolerate; those that pass while it starts are left out."""
        claim_spec = (self.node_claim or {}).get("spec") or {}
        if self.node is None or (self.managed and not self.registered):
            found: list[Json] = claim_spec.get("taints") or []
        else:
            found = (self.node.get("spec") or {}).get("taints") or []
        if self.initialized:
            return found
        startup = {
            (each["key"], each.get("effect")) for each in claim_spec.get("startupTaints") or ()
        }
        return [
            taint
            for taint in found
            if not labels.is_ephemeral(taints.taint_of(taint))
            and (taint["key"], taint.get("effect")) not in startup
        ]

    @functools.cached_property
    def capacity(self) -> Amounts:
        """What the machine has, itself as one of the nodes."""
        return {**self._offered("capacity"), amounts.NODES: amounts.UNIT}

    @functools.cached_property
    def allocatable(self) -> Amounts:
        """What pods can have; a node that starts gets what its NodeClaim promises."""
        return self._offered("allocatable")

    def _offered(self, field: str) -> Amounts:
        stated = amounts.of(((self.node or {}).get("status") or {}).get(field))
        if self.initialized:
            return stated
        promised = amounts.of((self._claim.get("status") or {}).get(field))
        for name, amount in promised.items():
            if not stated.get(name):
                stated[name] = amount
        return stated

    @functools.cached_property
    def live_pods(self) -> list[Json]:
        """The pods that use resources."""
        return [pod for pod in self.pods if not pod_state.is_terminal(pod)]

    @functools.cached_property
    def pod_requests(self) -> Amounts:
        """What its pods take."""
        return self._sum(self.live_pods)

    @functools.cached_property
    def daemon_requests(self) -> Amounts:
        """What the DaemonSets' pods among them take."""
        return self._sum(filter(pod_state.is_daemon, self.live_pods))

    @staticmethod
    def _sum(pods: Iterable[Json]) -> Amounts:
        pods = list(pods)
        return amounts.requests_of(pods) if pods else {}

    @functools.cached_property
    def available(self) -> Amounts:
        """What is left for more pods."""
        return amounts.subtracted(self.allocatable, self.pod_requests)

    @functools.cached_property
    def has_protected_pods(self) -> bool:
        """Whether any of its pods asks not to be disrupted: then the time of day matters."""
        return any(map(pod_state.asks_for_protection, self.pods))

    @functools.cached_property
    def evictable_pods(self) -> EvictablePods:
        """The pods that are evicted when it is disrupted, if none is protected."""
        return EvictablePods(filter(pod_state.would_be_evicted, self.pods))

    @functools.cached_property
    def is_ready(self) -> bool:
        """Whether its Node is ready."""
        return status.is_true(self.node or {}, "Ready")

    @functools.cached_property
    def is_being_disrupted(self) -> bool:
        """Whether its Node or its NodeClaim is marked as one that a command is about."""
        if self.node_claim is None:
            return False
        stated = ((self.node or {}).get("spec") or {}).get("taints") or ()
        is_tainted = any(each["key"] == labels.DISRUPTED_TAINT.key for each in stated)
        return is_tainted or bool(status.find(self.node_claim, "DisruptionReason"))

    @functools.cached_property
    def is_drifted(self) -> bool:
        """Whether it is not what its NodePool wants any more."""
        return status.is_true(self._claim, "Drifted")

    @functools.cached_property
    def is_consolidatable(self) -> bool:
        """Whether nothing has happened on it for long enough."""
        return status.is_true(self._claim, CONSOLIDATABLE)

    @functools.cached_property
    def reschedulable_pods(self) -> list[Json]:
        """The pods that come again elsewhere."""
        return [pod for pod in self.pods if pod_state.is_reschedulable(pod)]

    @functools.cached_property
    def lifetime(self) -> eviction_cost.Lifetime | None:
        """When its NodeClaim was created and expires; None if it does not expire."""
        return eviction_cost.lifetime_of(self._claim)

    @functools.cached_property
    def total_eviction_cost(self) -> float:
        """The cost of all pods together."""
        cost = 0.0
        for pod in self.pods:
            cost += eviction_cost.of(pod)
        return cost

    @functools.cached_property
    def reschedule_disruption_cost(self) -> float:
        """The cost of the node and of the pods that come again elsewhere."""
        return eviction_cost.positive_sum(self.reschedulable_pods)

    @functools.cached_property
    def disruption_cost(self) -> float:
        """The cost of the node and of its pods, those of DaemonSets left out."""
        return eviction_cost.positive_sum(
            pod for pod in self.live_pods if not pod_state.is_daemon(pod)
        )

    @functools.cached_property
    def deleted(self) -> bool:
        """Whether it is on its way out."""
        if self.node_claim is None:
            return self.node is not None and _is_deleting(self.node)
        return _is_deleting(self.node_claim) or self.is_terminating

    @functools.cached_property
    def is_terminating(self) -> bool:
        """Whether its machine is being given back."""
        return self.managed and status.is_true(self._claim, "InstanceTerminating")

    @property
    def marked_for_deletion(self) -> bool:
        """Whether it is on its way out, or about to be."""
        return self.marked or self.deleted

    def nominated(self, now_ns: int) -> bool:
        """Whether pods that wait were recently promised to it."""
        return self.nominated_until_ns > now_ns


def _is_deleting(obj: Json) -> bool:
    return obj["metadata"].get("deletionTimestamp") is not None
