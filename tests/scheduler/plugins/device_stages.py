"""A pod with claims on its way through DynamicResources, one extension point after the other."""

from __future__ import annotations

import dataclasses
import random
from typing import TYPE_CHECKING, Any

import numpy as np

from kubestage import errors
from kubestage.objects.views import node as node_views
from kubestage.scheduler.cache import Cache
from kubestage.scheduler.cycle_state import CycleState
from kubestage.scheduler.diagnosis import Diagnosis
from kubestage.scheduler.handle import Handle
from kubestage.scheduler.nominator import Nominator
from kubestage.scheduler.plugins.dynamic_resources import DynamicResources
from kubestage.scheduler.replay.cluster import ReplayCluster
from kubestage.scheduler.status import SUCCESS, Status
from tests.scheduler.devices import machines
from tests.scheduler.plugins import clusters

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.columns import Columns


NOT_AVAILABLE = "resourceclaim not available on the node"
CANNOT_ALLOCATE = "cannot allocate all claims"


class Cluster(ReplayCluster):
    """A cluster that also takes new objects, and may refuse changes to some."""

    def __init__(self, objects: list[Json], cache: Cache) -> None:
        super().__init__(objects, cache)
        self.refused: set[str] = set()
        self.hidden: set[str] = set()
        self.gone: list[str] = []
        self.events: list[str] = []

    def get(self, api_version: str, kind: str, name: str, namespace: str = "") -> Json | None:
        """One object, unless it is hidden as if it were gone."""
        return None if name in self.hidden else super().get(api_version, kind, name, namespace)

    def create(self, obj: Json) -> Json:
        """Add an object under a name of its own."""
        self._refuse(obj["metadata"]["generateName"])
        name = f"{obj['metadata']['generateName']}x7k2p"
        named = {**obj, "metadata": {**obj["metadata"], "name": name, "uid": f"uid-{name}"}}
        return super().update(named)

    def update(self, obj: Json, subresource: str = "") -> Json:
        """Replace an object, unless its name is among those refused."""
        self._refuse(obj["metadata"]["name"])
        return super().update(obj, subresource)

    def delete(self, obj: Json) -> None:
        """Remember what was to go."""
        self._refuse(f"-{obj['metadata']['name']}")
        self.gone.append(obj["metadata"]["name"])

    def patch_status(self, pod: PodView, status: Json) -> None:
        """Merge into a pod's status, unless its name is among those refused."""
        self._refuse(pod.name)
        super().patch_status(pod, status)

    def event(
        self, regarding: Json, kind: str, reason: str, action: str, note: str, by: str
    ) -> None:
        """Remember what was told."""
        self.events.append(f"{regarding['metadata']['name']} {kind} {reason} {action}: {note}{by}")

    def claim(self, name: str = "claim") -> Json:
        """A claim as it is now."""
        found = self.get(machines.API, "ResourceClaim", name, "default")
        assert found is not None
        return found

    def _refuse(self, name: str) -> None:
        if name in self.refused:
            raise errors.Conflict(f"{name} is locked")


@dataclasses.dataclass
class Stage:
    """A cluster of nodes and objects, and the plugin in it."""

    cluster: Cluster
    plugin: DynamicResources
    columns: Columns
    handle: Handle
    state: CycleState = dataclasses.field(default_factory=CycleState)

    def pod(self, name: str = "incoming") -> PodView:
        """A pod as it is now."""
        return self.cluster.pod(f"default/{name}")

    def filter(self, name: str = "incoming") -> dict[str, str] | Status:
        """What each node is told ('' if it will do), or why no node was asked."""
        self.state = CycleState()
        pod = self.pod(name)
        status, nodes = self.plugin.pre_filter(self.state, pod, self.columns)
        assert nodes is None
        if not status.is_success:
            return status
        codes = self.plugin.filter(self.state, pod, self.columns, slice(0, len(self.columns)))
        if codes is None:
            return dict.fromkeys(self.columns.names, "")
        return {
            node: self.plugin.status(self.state, pod, code).message if code else ""
            for node, code in zip(self.columns.names, codes.tolist(), strict=True)
        }

    def post_filter(self, name: str = "incoming") -> Status:
        """What becomes of a pod that fits nowhere."""
        pod = self.pod(name)
        diagnosis = Diagnosis(self.columns)
        if self.state.get(self.plugin.name) is not None:
            codes = self.plugin.filter(self.state, pod, self.columns, slice(0, len(self.columns)))
            for code in () if codes is None else np.unique(codes[codes > 0]).tolist():
                status = self.plugin.status(self.state, pod, code).by(self.plugin.name)
                assert codes is not None
                diagnosis.add(np.flatnonzero(codes == code), status)
        result, status = self.plugin.post_filter(self.state, pod, diagnosis)
        assert result is None
        return status

    def scores(self, name: str = "incoming") -> tuple[list[int], list[int]]:
        """The raw and the normalised scores of all nodes."""
        pod, rows = self.pod(name), np.arange(len(self.columns))
        raw = self.plugin.score(self.state, pod, self.columns, rows)
        brought = self.plugin.normalize(self.state, pod, raw, self.columns, rows)
        return raw.tolist(), brought.tolist()

    def bind(self, node: str = "n0", name: str = "incoming") -> Status:
        """Take a filtered pod to a node, as far as claims are concerned."""
        status = self.plugin.reserve(self.state, self.pod(name), node)
        if not status.is_success:
            return status
        return self.plugin.pre_bind(self.state, self.pod(name), node)

    def schedule(self, node: str = "n0", name: str = "incoming") -> None:
        """Take a pod to a node, which must do."""
        found = self.filter(name)
        assert isinstance(found, dict)
        assert found[node] == ""
        assert self.bind(node, name) == SUCCESS


def stage(*objects: Json, nodes: int | list[Json] = 2, **args: Any) -> Stage:
    """A cluster of some nodes, or of these, with the usual class and these objects."""
    listed = machines.nodes(nodes) if isinstance(nodes, int) else nodes
    cache = Cache()
    cluster = Cluster([machines.device_class(), *listed, *objects], cache)
    for node in listed:
        cache.add_node(node_views.of(node))
    handle = Handle(cluster, cluster, Nominator(), random.Random(0), cache)
    return Stage(cluster, DynamicResources(args, handle), cache.columns, handle)


def pod(*claims: str, name: str = "incoming", requests: Json | None = None, **parts: Any) -> Json:
    """A pod that uses claims; `status` goes where it belongs, the rest to its spec."""
    status = parts.pop("status", None)
    if claims:
        parts["resourceClaims"] = [
            {"name": f"c{number}", "resourceClaimName": each} for number, each in enumerate(claims)
        ]
    raw = clusters.pod(name, requests, **parts).raw
    return raw if status is None else {**raw, "status": status}


def gpus(node: str = "n0", count: int = 1) -> Json:
    """A slice of devices on a node."""
    return machines.resource_slice(f"slice-{node}", machines.devices(count), node=node)


def allocated(name: str = "claim", node: str = "n0", users: list[str] | None = None) -> Json:
    """A claim that has a device on a node."""
    status: Json = {"allocation": machines.allocation(machines.result("gpu-0", node), node=node)}
    if users:
        status["reservedFor"] = [{"resource": "pods", "name": each, "uid": each} for each in users]
    return machines.claim(name, status=status)
