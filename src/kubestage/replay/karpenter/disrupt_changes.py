"""What becomes of a recorded world when a command is carried out: the simplest launch, no delay."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.controllers.karpenter import labels
from kubestage.controllers.karpenter.conditions import hashing
from kubestage.controllers.karpenter.disruption.emptiness import EMPTY
from kubestage.controllers.karpenter.instance_types import prices
from kubestage.controllers.karpenter.scheduling import templates
from kubestage.controllers.karpenter.state import pod_state
from kubestage.objects import quantity, timestamps
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.controllers.karpenter.amounts import Amounts
    from kubestage.controllers.karpenter.disruption.command import Command
    from kubestage.controllers.karpenter.instance_types import InstanceType, Offering
    from kubestage.controllers.karpenter.requirements import Requirements
    from kubestage.controllers.karpenter.scheduling.results import NewNodeClaim
    from kubestage.controllers.karpenter.state.cluster_state import ClusterState

_CONDITIONS: Final = ("Initialized", "Launched", "Ready", "Registered")
_READY: Final = {labels.NODE_REGISTERED: "true", labels.NODE_INITIALIZED: "true"}


class Changes:
    """Carries out commands on a cluster, and notes what it did as the recordings do."""

    def __init__(self, cluster: ClusterState, well_known: frozenset[str], start_ns: int) -> None:
        self._cluster = cluster
        self._well_known = well_known
        self._start_ns = start_ns

    def apply(self, command: Command, applied: list[Json]) -> bool:
        """Launch the replacements, move the pods, remove the nodes, and note it in `applied`.

        False, and nothing is done, if a replacement cannot be had: then the nodes stay.
        """
        machines = [machine for machine in map(self._machine, command.replacements) if machine]
        if len(machines) < len(command.replacements):
            return False
        seconds = (self._cluster.now_ns - self._start_ns) // SECOND_NS
        targets: dict[str, str] = {}
        for claim, machine in zip(command.replacements, machines, strict=True):
            name = f"repl-{seconds}-{len(applied) + 1}"
            applied.append(self._launch(claim, machine, name))
            targets.update((pod_state.key_of(pod), name) for pod in claim.pods)
        if command.results is not None:
            for placed in command.results.existing_nodes:
                targets.update((pod_state.key_of(pod), placed.node.name) for pod in placed.pods)
        if command.reason == EMPTY:
            targets = {}
        for candidate in command.candidates:
            applied += self._remove(candidate.name, targets)
        return True

    def _machine(self, claim: NewNodeClaim) -> tuple[InstanceType, Offering] | None:
        """The cheapest type that a NodeClaim may have, where that is cheapest; None if nowhere."""
        required, well_known = claim.requirements, self._well_known
        types = prices.order_by_price(claim.instance_types, required, well_known)
        usable = prices.compatible_offerings(types[0].available, required, well_known)
        return (types[0], prices.cheapest(usable)) if usable else None

    def _launch(
        self, claim: NewNodeClaim, machine: tuple[InstanceType, Offering], name: str
    ) -> Json:
        instance_type, offering = machine
        known = _labels(claim, instance_type, offering)
        now = timestamps.format_time(self._cluster.now_ns)
        self._cluster.update(_node_claim(claim, instance_type, name, known, now))
        self._cluster.update(_node(claim, instance_type, name, known, now))
        return {
            "op": "replacementReady",
            "node": name,
            "instanceType": instance_type.name,
            "zone": offering.zone,
            "capacityType": offering.capacity_type,
            "price": offering.price,
            "labels": {**known, **_READY},
        }

    def _remove(self, name: str, targets: dict[str, str]) -> Iterator[Json]:
        for pod in self._cluster.pods_on(name):
            key = pod_state.key_of(pod)
            target = targets.get(key)
            if target is None:
                metadata = pod["metadata"]
                self._cluster.delete("Pod", metadata["name"], metadata.get("namespace") or "")
                yield {"op": "podGone", "pod": key}
                continue
            self._cluster.update({**pod, "spec": {**pod["spec"], "nodeName": target}})
            self._note_pod_event(target)
            yield {"op": "podMoved", "pod": key, "node": target}
        node = self._cluster.node_named(name)
        assert node is not None
        assert node.node_claim is not None
        self._cluster.delete("Node", name)
        self._cluster.delete("NodeClaim", node.node_claim["metadata"]["name"])
        yield {"op": "nodeRemoved", "node": name}

    def _note_pod_event(self, name: str) -> None:
        node = self._cluster.node_named(name)
        if node is None or node.node_claim is None:
            return
        now = timestamps.format_time(self._cluster.now_ns)
        claim = node.node_claim
        self._cluster.update({**claim, "status": {**claim["status"], "lastPodEventTime": now}})


def _labels(claim: NewNodeClaim, instance_type: InstanceType, offering: Offering) -> dict[str, str]:
    """The labels of a node: what the NodePool says, what was required, what it has become."""
    return {
        **_single(claim.requirements),
        **templates.labels_of(claim.node_pool),
        **_single(instance_type.requirements),
        **_single(offering.requirements),
    }


def _single(requirements: Requirements) -> dict[str, str]:
    return {key: value for key, value in requirements.labels().items() if key not in _READY}


def _node_claim(
    claim: NewNodeClaim, instance_type: InstanceType, name: str, known: dict[str, str], now: str
) -> Json:
    template = claim.node_pool["spec"]["template"]
    annotations = hashing.with_hash(claim.node_pool)["metadata"]["annotations"]
    kept = (labels.NODE_POOL_HASH, labels.NODE_POOL_HASH_VERSION)
    conditions = [
        {"type": kind, "status": "True", "reason": kind, "message": "", "lastTransitionTime": now}
        for kind in _CONDITIONS
    ]
    return {
        "apiVersion": "karpenter.sh/v1",
        "kind": "NodeClaim",
        "metadata": {
            "name": name,
            "uid": f"uid-nc-{name}",
            "creationTimestamp": now,
            "labels": known,
            "annotations": {key: annotations[key] for key in kept},
        },
        "spec": template["spec"],
        "status": {
            "nodeName": name,
            "providerID": f"sim://{name}",
            "conditions": conditions,
            **_resources(instance_type),
        },
    }


def _node(
    claim: NewNodeClaim, instance_type: InstanceType, name: str, known: dict[str, str], now: str
) -> Json:
    spec: Json = {"providerID": f"sim://{name}"}
    taints = claim.node_pool["spec"]["template"]["spec"].get("taints")
    if taints:
        spec["taints"] = taints
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": name,
            "uid": f"uid-n-{name}",
            "creationTimestamp": now,
            "labels": {**known, **_READY, labels.HOSTNAME: name},
        },
        "spec": spec,
        "status": {
            "conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": now}],
            **_resources(instance_type),
        },
    }


def _resources(instance_type: InstanceType) -> dict[str, Any]:
    return {
        "capacity": _stated(instance_type.capacity),
        "allocatable": _stated(instance_type.allocatable),
    }


def _stated(amounts: Amounts) -> dict[str, str]:
    return {name: str(quantity.from_milli(amount)) for name, amount in amounts.items()}
