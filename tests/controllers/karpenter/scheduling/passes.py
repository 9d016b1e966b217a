"""Passes of the provisioner on small clusters, as tests need them."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from kubestage.aliases import Json
from kubestage.controllers.karpenter import labels, provisioning
from kubestage.controllers.karpenter.scheduling.options import Options
from kubestage.controllers.karpenter.state.cluster_state import ClusterState
from tests.controllers.karpenter import objects
from tests.controllers.karpenter.clouds import STANDARD

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kubestage.controllers.karpenter.events import Event
    from kubestage.controllers.karpenter.instance_types import InstanceType

NAMESPACE = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "default"}}


class Pass:
    """What one pass decided, by the names of pods and nodes."""

    def __init__(
        self,
        given: Iterable[Json],
        *,
        types: Sequence[InstanceType] = STANDARD,
        **options: Any,
    ) -> None:
        listed = [NAMESPACE, *copy.deepcopy(list(given))]
        if not any(each["kind"] == "NodePool" for each in listed):
            listed.append(objects.node_pool())
        pools = [each for each in listed if each["kind"] == "NodePool"]
        self.events: list[Event] = []
        self.results = provisioning.schedule(
            ClusterState(listed, objects.START_NS),
            pools,
            {each["metadata"]["name"]: types for each in pools},
            Options(strict_reservations=True, **options),
            publish=self.events.append,
        )

    @property
    def new(self) -> list[list[str]]:
        """The pods of each new node."""
        return [_names(each.pods) for each in self.results.new_node_claims]

    @property
    def existing(self) -> dict[str, list[str]]:
        """The pods that nodes of the cluster got."""
        return {each.node.name: _names(each.pods) for each in self.results.existing_nodes}

    @property
    def errors(self) -> dict[str, str]:
        """Why pods go nowhere."""
        return {each.pod["metadata"]["name"]: str(each.error) for each in self.results.pod_errors}

    def zones(self) -> list[list[str]]:
        """The zones that each new node could be in."""
        found = []
        for claim in self.results.new_node_claims:
            stated = claim.requirements.get(labels.ZONE)
            found.append(stated.sorted_values if not stated.complement else [])
        return found

    def types(self) -> list[list[str]]:
        """The types that each new node could be."""
        return [
            [each.name for each in claim.instance_types] for claim in self.results.new_node_claims
        ]


def pod(name: str, cpu: str = "1", pod_labels: Json | None = None, **spec: Any) -> Json:
    """A pod that waits; later names are created later."""
    made = objects.pod(name, cpu=cpu, labels=pod_labels or {"app": "web"})
    made["spec"].update(spec)
    return made


def node(name: str, zone: str = "zone-1", cpu: str = "4", **spec: Any) -> list[Json]:
    """A node of the default NodePool, with its NodeClaim."""
    stated = {**objects.labels("m.4"), labels.ZONE: zone}
    made = objects.node(name, stated, cpu=cpu)
    made["spec"].update(spec)
    return [objects.node_claim(name, stated), made]


def spread(key: str, app: str = "web", **more: Any) -> Json:
    """A topology spread constraint over the pods of an app."""
    return {
        "maxSkew": 1,
        "topologyKey": key,
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {"app": app}},
        **more,
    }


def required(*terms: Json) -> Json:
    """A node affinity that requires one of some terms."""
    return {
        "nodeAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": {
                "nodeSelectorTerms": [{"matchExpressions": [term]} for term in terms]
            }
        }
    }


def expression(key: str, operator: str, *values: str) -> Json:
    """One expression of a node selector term."""
    return {"key": key, "operator": operator, "values": list(values)}


def anti_affinity(key: str, app: str = "web") -> Json:
    """An affinity that keeps away from the pods of an app."""
    term = {"topologyKey": key, "labelSelector": {"matchLabels": {"app": app}}}
    return {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}


def affinity(key: str, app: str = "web") -> Json:
    """An affinity to the pods of an app."""
    term = {"topologyKey": key, "labelSelector": {"matchLabels": {"app": app}}}
    return {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}


def _names(pods: Iterable[Json]) -> list[str]:
    return [each["metadata"]["name"] for each in pods]
