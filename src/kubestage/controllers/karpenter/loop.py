"""Karpenter on a stage: what it is notified of, and who handles which key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.controllers.controller import Controller
from kubestage.controllers.karpenter.disruption.context import Context
from kubestage.controllers.karpenter.lifecycle import (
    class_status,
    disrupting,
    overlay_status,
    provisioner,
    relevance,
)
from kubestage.controllers.karpenter.lifecycle.at_work import (
    NODE_CLAIM,
    NODE_POOL,
    AtWork,
    is_going,
    reference_of,
)
from kubestage.controllers.karpenter.lifecycle.claim_state import ClaimState
from kubestage.controllers.karpenter.lifecycle.claims import NodeClaims
from kubestage.controllers.karpenter.lifecycle.disrupting import Disrupting
from kubestage.controllers.karpenter.lifecycle.evictions import Evictions
from kubestage.controllers.karpenter.lifecycle.garbage import Garbage
from kubestage.controllers.karpenter.lifecycle.machine_events import MachineEvents
from kubestage.controllers.karpenter.lifecycle.node_claim_makers import NodeClaimMaker
from kubestage.controllers.karpenter.lifecycle.node_pools import NodePools
from kubestage.controllers.karpenter.lifecycle.node_repair import NodeRepair
from kubestage.controllers.karpenter.lifecycle.orchestration import Orchestration
from kubestage.controllers.karpenter.lifecycle.pool_health import PoolHealth
from kubestage.controllers.karpenter.lifecycle.provisioner import Provisioner
from kubestage.controllers.karpenter.lifecycle.publishing import Publisher
from kubestage.controllers.karpenter.lifecycle.termination import Termination
from kubestage.controllers.karpenter.provider import node_class
from kubestage.controllers.karpenter.provider.cloud import Cloud
from kubestage.controllers.karpenter.scheduling.options import Placeholders
from kubestage.controllers.karpenter.state.cluster_state import ClusterState
from kubestage.store.log import ADDED, DELETED, Change

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.aliases import Json
    from kubestage.controllers.controller import Cluster, Handlers


class Karpenter(Controller):
    """Has NodePools get and lose nodes.

    A key says who handles it, and what it is about: ``claim:NAME``, ``pool:NAME``, ``provision``.
    """

    name = "karpenter"

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        settings = cluster.settings.karpenter
        self._cloud = Cloud(cluster, self.lister)
        self._cluster = ClusterState(now_ns=self.clock.unix_ns)
        publish = Publisher(self.events, self.lister, self.clock).publish
        self._at_work = AtWork(
            self.store, self.lister, self.clock, settings, self._cluster, self._cloud, publish,
            self.queue.add_after, cluster.decisions,
        )  # fmt: skip
        context = Context(self._cluster, self._cloud, Placeholders(), settings, publish)
        self._make_parts(context)
        self._is_met = False

    def _make_parts(self, context: Context) -> None:
        at_work, environment = self._at_work, self.cluster.environment
        health, maker = PoolHealth(at_work), NodeClaimMaker(at_work)
        orchestration = Orchestration(at_work, context, maker)
        self._evictions = Evictions(at_work)
        self._claims = NodeClaims(at_work, health)
        self._claim_state = ClaimState(at_work)
        self._pools = NodePools(at_work, health, maker)
        self._provisioner = Provisioner(at_work, context, maker, environment)
        self._disrupting = Disrupting(at_work, context, orchestration, environment)
        self._garbage = Garbage(at_work, environment)
        self._parts: dict[str, Callable[[str], None]] = {
            "claim": self._claims.sync,
            "state": self._claim_state.sync,
            "expiry": self._claim_state.expire,
            "pods": self._claim_state.note_pods,
            "node": Termination(at_work, self._evictions).sync,
            "evict": self._evictions.sync,
            "machine": MachineEvents(at_work).sync,
            "repair": NodeRepair(at_work).sync,
            "pool": self._pools.sync,
            "count": self._pools.count,
            "static": self._pools.sync_static,
            "command": orchestration.sync,
            "class": self._sync_class,
            "capacity": self._on_capacity,
            "overlays": self._sync_overlays,
        }

    def handlers(self) -> Handlers:
        """What Karpenter makes and follows, and all that decides where pods fit."""
        return {
            ("karpenter.sh", "NodePool"): self._on_pool,
            ("karpenter.sh", "NodeClaim"): self._on_claim,
            ("", "Node"): self._on_node,
            ("", "Pod"): self._on_pod,
            ("kubestage.dev", "StageNodeClass"): self._on_class,
            ("karpenter.k8s.aws", "EC2NodeClass"): self._on_class,
            ("kubestage.dev", "PriceCatalog"): self._on_catalog,
            ("karpenter.sh", "NodeOverlay"): self._on_overlay,
            **dict.fromkeys(relevance.FOLLOWED, self._on_other),
        }

    def sync(self, key: str) -> None:
        """Do what a key stands for."""
        self._cluster.now_ns = self.clock.unix_ns
        topic, _, name = key.partition(":")
        if topic == provisioner.KEY:
            self._provisioner.sync()
        elif topic == disrupting.KEY:
            self._disrupting.sync()
        else:
            self._parts[topic](name)

    def _on_pool(self, change: Change) -> None:
        self._meet_all()
        self._follow(change)
        name, old = change.key, change.old
        if change.type == DELETED:
            for claim in self._claims_of(name):
                self._at_work.give_up(claim, f"its NodePool {name} was deleted")
            return
        self._disrupting.start()
        self._garbage.start()
        if old is not None and old["spec"] is change.new["spec"] and (
            old["metadata"].get("annotations") == change.new["metadata"].get("annotations")
        ):  # fmt: skip
            return
        self.queue.add(f"pool:{name}")
        self.queue.add(f"static:{name}")
        for claim in self._claims_of(name):
            self.queue.add(f"state:{claim['metadata']['name']}")

    def _on_claim(self, change: Change) -> None:
        self._meet_all()
        self._follow(change)
        claim, name = change.new, change.key
        self._pools_of(claim)
        if change.type == DELETED:
            return
        if change.type == ADDED:
            self._claim_state.meet(claim)
        self.queue.add(f"claim:{name}")
        self.queue.add(f"state:{name}")

    def _on_node(self, change: Change) -> None:
        if not self._is_met:
            return
        node, old = change.new, change.old
        self._cluster.now_ns = self.clock.unix_ns
        if change.type == DELETED:
            self._cluster.delete("Node", change.key)
        else:
            self._cluster.update(node)
        self._provisioner.on_node(node, gone=change.type == DELETED)
        if old is not None and change.type != DELETED and relevance.is_heartbeat(old, node):
            return
        self._notice()
        claim = self._at_work.claim_of(node)
        if claim is not None:
            self.queue.add(f"claim:{claim['metadata']['name']}")
            self._pools_of(claim)
            self.queue.add(f"repair:{change.key}")
        if is_going(node):
            self.queue.add(f"node:{change.key}")

    def _on_pod(self, change: Change) -> None:
        if not self._is_met:
            return
        self._cluster.now_ns = self.clock.unix_ns
        if change.is_reworded:
            self._notice()
            return
        pod, is_gone = change.new, change.type == DELETED
        if is_gone or relevance.is_other_pod(change):
            self._notice()
        if is_gone:
            self._cluster.delete("Pod", pod["metadata"]["name"], pod["metadata"]["namespace"])
        else:
            self._cluster.update(pod)
        self._provisioner.on_pod(pod, gone=is_gone)
        self._claim_state.on_pod(change)
        node_name = pod["spec"].get("nodeName")
        node = self._at_work.node(node_name) if node_name else None
        if node is not None and is_going(node):
            self.queue.add(f"node:{node_name}")

    def _on_class(self, change: Change) -> None:
        if not self._is_met:
            return
        kind = (change.kind.api_version, change.kind.kind)
        if change.type != DELETED:
            self.queue.add(f"class:{change.kind.kind}/{change.key}")
        if kind == node_class.STAGE:
            for obj in self.lister.all(node_class.EC2):
                self.queue.add(f"class:{node_class.EC2[1]}/{obj['metadata']['name']}")
        self._notice()
        for pool in self.lister.all(NODE_POOL):
            reference = reference_of(pool)
            if (reference["kind"], reference["name"]) == (change.kind.kind, change.key):
                self.queue.add(f"pool:{pool['metadata']['name']}")
        for claim in self.lister.all(NODE_CLAIM):
            self.queue.add(f"state:{claim['metadata']['name']}")

    def _on_catalog(self, _: Change) -> None:
        if not self._is_met:
            return
        self._notice()
        for kind in (node_class.STAGE, node_class.EC2):
            for obj in self.lister.all(kind):
                self.queue.add(f"class:{kind[1]}/{obj['metadata']['name']}")
        for claim in self.lister.all(NODE_CLAIM):
            self.queue.add(f"state:{claim['metadata']['name']}")

    def _on_overlay(self, change: Change) -> None:
        if not self._is_met:
            return
        if change.old is None or change.old["spec"] is not change.new["spec"]:
            self.queue.add("overlays:")
            self._cluster.mark_unconsolidated()
            self._notice()

    def _sync_overlays(self, _: str) -> None:
        overlay_status.sync(self._at_work)

    def _on_other(self, change: Change) -> None:
        if not self._is_met:
            return
        self._follow(change)

    def _sync_class(self, name: str) -> None:
        kind, _, name = name.partition("/")
        of = node_class.STAGE if kind == node_class.STAGE[1] else node_class.EC2
        class_status.sync(self._at_work, of, name)

    def _on_capacity(self, _: str) -> None:
        """Something can be had again that could not."""
        self._notice()

    def _follow(self, change: Change) -> None:
        """Take an object into the state of the cluster."""
        self._cluster.now_ns = self.clock.unix_ns
        metadata = change.new["metadata"]
        if change.type == DELETED:
            kind, namespace = change.new["kind"], metadata.get("namespace") or ""
            self._cluster.delete(kind, metadata["name"], namespace)
        else:
            self._cluster.update(change.new)
        self._notice()

    def _notice(self) -> None:
        self._provisioner.notice()
        self._disrupting.notice()

    def _pools_of(self, claim: Json) -> None:
        pool = (claim["metadata"].get("labels") or {}).get("karpenter.sh/nodepool")
        if pool:
            self._pools.recount(pool)
            self.queue.add(f"static:{pool}")

    def _claims_of(self, pool: str) -> list[Json]:
        return [
            claim
            for claim in self.lister.all(NODE_CLAIM)
            if (claim["metadata"].get("labels") or {}).get("karpenter.sh/nodepool") == pool
        ]

    def _meet_all(self) -> None:
        """Take in what there is when the first NodePool or NodeClaim comes.

        Before that nothing is followed, as if the loop was not loaded.
        """
        if self._is_met:
            return
        self._is_met = True
        handlers = self.handlers()
        for collection in self.store.collections():
            handler = handlers.get((collection.kind.group, collection.kind.kind))
            if handler is None:
                continue
            for key in collection.keys(None):
                obj = collection.objects[key]
                revision = int(obj["metadata"]["resourceVersion"])
                handler(Change(revision, ADDED, collection.kind, key, obj, None))
