"""One side of a change as rules see it: a cluster that has come to rest."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, NamedTuple

from kubestage.errors import InputError
from kubestage.objects import gvk
from kubestage.results.analysis import pod_state
from kubestage.results.life import pending, workloads
from kubestage.results.packing import contents, packing
from kubestage.runs.check.places import Place
from kubestage.runs.inputs import node_words

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.results.packing.contents import Contents
    from kubestage.results.packing.packing import Packing
    from kubestage.runs.check.places import Places
    from kubestage.stage import Stage

_OVER = ("Succeeded", "Failed")
REPLICATED = ("deployment", "statefulset", "replicaset", "replicationcontroller")
"""The kinds whose pods stand in for one another."""


class Waiting(NamedTuple):
    """A pod without a node, and why it has none."""

    pod: str
    reason: str


class Workload(NamedTuple):
    """A workload, or a pod without one: where its pods are."""

    name: str
    """As in ``deployment/shop/web``."""
    desired: int | None
    """How many replicas it is to have; None if that is not set."""
    pods: list[Json]
    """Those that have a node."""
    waiting: list[Waiting]

    @property
    def kind(self) -> str:
        """In lower case."""
        return self.name.partition("/")[0]

    @property
    def namespace(self) -> str:
        """Where it is."""
        return self.name.split("/")[1]

    @property
    def nodes(self) -> list[str]:
        """The node of each pod that has one."""
        return [each["spec"]["nodeName"] for each in self.pods]

    @property
    def is_replicated(self) -> bool:
        """Whether its pods stand in for one another."""
        return self.kind in REPLICATED


class Side:
    """A cluster with one side of a change, for rules: they read it, and change only copies.

    `stage` is the cluster itself; `objects("Deployment")` are what it has of a kind.
    """

    def __init__(self, name: str, stage: Stage, places: Places | None = None) -> None:
        self.name = name
        self.stage = stage
        self._places = places

    def place(self, subject: str, path: str | None = None) -> Place:
        """Where an object such as ``deployment/shop/web`` is written, or a field of it."""
        return Place() if self._places is None else self._places.of(subject, path)

    def objects(self, kind: str) -> list[Json]:
        """All objects of a kind, as in ``Deployment``; InputError if no such kind is known."""
        rows = [each for each in self.stage.store.collections() if each.kind.kind == kind]
        if not rows:
            raise InputError(f'no objects of kind "{kind}" are known')
        return [obj for each in rows for obj in each.objects.values()]

    @property
    def nodes(self) -> dict[str, Json]:
        """All nodes by name."""
        return dict(self.stage.store.read(gvk.NODE))

    @property
    def pods(self) -> list[Json]:
        """All pods that have not ended."""
        return [
            pod
            for pod in self.stage.store.read(gvk.POD).values()
            if (pod.get("status") or {}).get("phase") not in _OVER
            and "deletionTimestamp" not in pod["metadata"]
        ]

    @functools.cached_property
    def zones(self) -> dict[str, str]:
        """The zone of each node that has one."""
        found = {name: node_words.zone_of(node) for name, node in self.nodes.items()}
        return {name: zone for name, zone in found.items() if zone}

    @functools.cached_property
    def workloads(self) -> dict[str, Workload]:
        """All workloads that have pods, or should have some, by name."""
        found: dict[str, Workload] = {}
        known = workloads.Workloads(self.stage.store)
        for kind, obj in self._replicated():
            name = f"{kind}/{pod_state.key_of(obj)}"
            if workloads.controller(obj) is None and workloads.desired(obj):
                found[name] = Workload(name, workloads.desired(obj), [], [])
        for pod in self.pods:
            owner = workloads.controller(pod)
            key = pod_state.key_of(pod)
            name = f"pod/{key}"
            if owner is not None:
                name = str(known.top(owner, pod["metadata"]["namespace"]))
            if name not in found:
                found[name] = Workload(name, None if owner else 1, [], [])
            if pod["spec"].get("nodeName"):
                found[name].pods.append(pod)
            else:
                found[name].waiting.append(Waiting(key, pending.reason_of(pod)))
        return found

    def _replicated(self) -> list[tuple[str, Json]]:
        kinds = (gvk.DEPLOYMENT, gvk.STATEFUL_SET, gvk.REPLICA_SET, gvk.DAEMON_SET)
        return [
            (kind[1].lower(), obj) for kind in kinds for obj in self.stage.store.read(kind).values()
        ]

    @functools.cached_property
    def contents(self) -> Contents:
        """Nodes and pods as the measures of packing read them."""
        return contents.of_store(self.stage.store)

    @functools.cached_property
    def packing(self) -> Packing:
        """What the cluster costs, and how well its pods are packed."""
        return packing.of(self.contents)

    @property
    def waiting(self) -> int:
        """How many pods have no node."""
        return sum(len(each.waiting) for each in self.workloads.values())

    @functools.cached_property
    def used_nodes(self) -> list[str]:
        """Nodes that run more than what every node runs."""
        used = {pod.node for pod in self.contents.pods if pod.node and not pod.is_daemon}
        return [node.name for node in self.contents.nodes if node.name in used]

    def __getstate__(self) -> dict[str, Any]:
        # What was computed is computed again where it is needed: a copy is for one rule.
        return {"name": self.name, "stage": self.stage, "_places": None}
