"""The recommender's round: read usage, and write recommendations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.controllers.vpa import checkpoints, policies
from kubestage.controllers.vpa.cluster_state import ClusterState
from kubestage.controllers.vpa.feeder import Feeder
from kubestage.controllers.vpa.recommending import Recommender
from kubestage.controllers.vpa.targets import Target, TargetError
from kubestage.errors import ApiError
from kubestage.objects import timestamps
from kubestage.objects.patches import PatchType

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.controller import Cluster
    from kubestage.controllers.vpa.settings import VpaSettings
    from kubestage.controllers.vpa.targets import Targets
    from kubestage.controllers.vpa.vpa_state import VpaState


class RecommenderRound:
    """Everything that the recommender does once a minute."""

    def __init__(self, cluster: Cluster, targets: Targets, settings: VpaSettings) -> None:
        self._store = cluster.store
        self._clock = cluster.environment.clock
        self._settings = settings
        self._targets = targets
        self.state = ClusterState(settings)
        board = cluster.metrics.board
        self.feeder = Feeder(self.state, cluster.store, board, targets, settings)
        self._recommender = Recommender(settings)
        self._has_history = False
        self._cleaned_ns = self._clock.now_ns

    def run(self) -> None:
        """One round."""
        self.state.now_ns = self._clock.unix_ns
        self.feeder.load_vpas()
        if not self._has_history:
            self._has_history = True
            self.feeder.load_checkpoints()
        self.feeder.load_pods()
        self.feeder.load_metrics()
        now = timestamps.format_time(self.state.now_ns)
        for obj in self.feeder.observed():
            self._update(obj, now)
        if self._settings.write_checkpoints:
            self._keep_checkpoints(now)
        self.state.collect_garbage(self._is_controlled)

    def _update(self, obj: Json, now: str) -> None:
        metadata = obj["metadata"]
        vpa = self.state.vpas[metadata["namespace"], metadata["name"]]
        self._recommender.recommend(vpa, self.state)
        vpa.update_conditions(now)
        status = vpa.status()
        if status != obj.get("status"):
            key = f"{vpa.namespace}/{vpa.name}"
            self._store.record_status(policies.VPA, key, status)

    def _is_controlled(self, vpa: VpaState) -> bool:
        ref = vpa.target_ref or {}
        target = Target(
            vpa.namespace, ref.get("kind", ""), ref.get("name", ""), ref.get("apiVersion", "")
        )
        try:
            return self._targets.topmost(target) is not None
        except TargetError:
            return False

    def _keep_checkpoints(self, now: str) -> None:
        for vpa in self.state.vpas.values():
            stored = checkpoints.of_vpa(self.state, vpa, self._settings)
            for container, checkpoint in stored.items():
                self._keep(checkpoints.written(vpa, container, checkpoint, now))
        since_ns = self._clock.now_ns - self._cleaned_ns
        if since_ns > self._settings.checkpoints_gc_interval_ns:
            self._cleaned_ns = self._clock.now_ns
            self._drop_orphans()

    def _keep(self, obj: Json) -> None:
        store, metadata = self._store, obj["metadata"]
        name, namespace = metadata["name"], metadata["namespace"]
        try:
            if f"{namespace}/{name}" in store.read(policies.CHECKPOINT):
                patch = [{"op": "replace", "path": "/status", "value": obj["status"]}]
                store.patch(policies.CHECKPOINT, name, patch, namespace, patch_type=PatchType.JSON)
            else:
                store.create(obj)
        except ApiError:
            # A namespace that is ending takes nothing new; upstream only logs it, too.
            return

    def _drop_orphans(self) -> None:
        vpas = self._store.read(policies.VPA)
        for obj in list(self._store.read(policies.CHECKPOINT).values()):
            metadata = obj["metadata"]
            owner = (obj.get("spec") or {}).get("vpaObjectName") or ""
            if f"{metadata['namespace']}/{owner}" not in vpas:
                self._store.delete(policies.CHECKPOINT, metadata["name"], metadata["namespace"])
