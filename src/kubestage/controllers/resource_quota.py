"""The resource quota controller: what a namespace uses is counted again when objects go.

Upstream also counts everything again from time to time. That matters only where a quota was
charged, perhaps for an object that then could not be made, and for pods that should have gone and
do not, which are not charged without end: so these alone set a timer here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.controllers.controller import ANY, Controller
from kubestage.objects import gvk
from kubestage.objects.quota import amounts, evaluators, pods, services, volume_claims
from kubestage.store.log import ADDED, DELETED

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.controller import Cluster, Handlers
    from kubestage.objects.kinds import Kind
    from kubestage.store.log import Change


class ResourceQuotaController(Controller):
    """Admission charges what is created; this loop gives back what is gone."""

    name = "resourcequota-controller"

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self._quotas = self.lister.collection(gvk.RESOURCE_QUOTA)
        self._is_counting = False

    def handlers(self) -> Handlers:
        """Everything, for everything can be counted."""
        return {ANY: self._on_change}

    def _on_change(self, change: Change) -> None:
        if not self._quotas.objects:
            return
        kind = change.kind
        if kind is self._quotas.kind:
            self._on_quota(change)
        elif kind.namespaced and self._gives_back(change):
            for key in self._concerned(change):
                self.queue.add(key)
        elif kind.plural == "pods" and not kind.group:
            until_ns = pods.charged_until_ns(change.new)
            if until_ns is not None:
                for key in self._concerned(change):
                    self._resync(key, until_ns)

    def _concerned(self, change: Change) -> list[str]:
        """The quotas that count objects of this kind in this namespace."""
        evaluator = evaluators.of(change.kind)
        if evaluator is None:
            return []
        return [
            key
            for key in self._quotas.keys(change.new["metadata"]["namespace"])
            if any(map(evaluator.tracks, self._quotas.objects[key]["spec"].get("hard") or ()))
        ]

    def _resync(self, key: str, after_unix_ns: int) -> None:
        """Count again at the first tick of upstream's clock after a moment that is to come."""
        clock, period_ns = self.clock, self.settings.resource_quota_sync_period_ns
        if after_unix_ns >= clock.unix_ns:
            tick_ns = ((after_unix_ns - clock.epoch_ns) // period_ns + 1) * period_ns
            self.queue.add_after(key, tick_ns - clock.now_ns)

    def _on_quota(self, change: Change) -> None:
        if change.type == DELETED:
            return
        spec, status = change.new["spec"], change.new.get("status") or {}
        if change.old is None or spec.get("hard") != status.get("hard"):
            self.queue.add(change.key)
        elif not self._is_counting:
            self._resync(change.key, self.clock.unix_ns)

    def _gives_back(self, change: Change) -> bool:
        """Whether an object is gone, or uses less than before."""
        if change.type == DELETED:
            return True
        if change.type == ADDED or change.old is None or change.kind.group:
            return False
        now_ns, old, new = self.clock.unix_ns, change.old, change.new
        if change.kind.plural == "pods":
            if pods.is_terminating(old) != pods.is_terminating(new):
                return True
            return pods.is_charged(old, now_ns) and not pods.is_charged(new, now_ns)
        if change.kind.plural == "services":
            return services.usage(old, now_ns) != services.usage(new, now_ns)
        if change.kind.plural == "persistentvolumeclaims":
            return volume_claims.usage(old, now_ns) != volume_claims.usage(new, now_ns)
        return False

    def sync(self, key: str) -> None:
        """Count for one quota."""
        quota = self._quotas.objects.get(key)
        if quota is None:
            return
        namespace = quota["metadata"]["namespace"]
        hard = quota["spec"].get("hard") or {}
        status = quota.get("status") or {}

        def objects(kind: Kind) -> list[Json]:
            return self.lister.all(kind, namespace)

        counted = evaluators.total(quota, self.store.kinds, objects, self.clock.unix_ns)
        used = amounts.mask({**amounts.read(status.get("used")), **counted}, hard)
        self._is_counting = True
        self.store.record_status(gvk.RESOURCE_QUOTA, key, _status(hard, amounts.write(used)))
        self._is_counting = False
        for pod in self.lister.all(gvk.POD, namespace):
            until_ns = pods.charged_until_ns(pod)
            if until_ns is not None:
                self._resync(key, until_ns)


def _status(hard: Json, used: Json) -> Json:
    """Empty lists are left out, as the API does."""
    return {name: part for name, part in (("hard", hard), ("used", used)) if part}
