"""The kubelet of all nodes: its handlers, and what others query."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from kubestage.controllers.controller import Controller
from kubestage.controllers.kubelet import phases, references, usage
from kubestage.controllers.kubelet.inside import Inside
from kubestage.controllers.kubelet.pod import Pod
from kubestage.controllers.kubelet.pod_lifecycle import PodLifecycle
from kubestage.controllers.pods import POD
from kubestage.store.log import DELETED
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.controller import Cluster, Handlers
    from kubestage.controllers.kubelet.holding import Holding
    from kubestage.controllers.kubelet.usage import Usage
    from kubestage.metrics.samples import Used
    from kubestage.store.log import Change


class KubeletController(Controller):
    """One kubelet for every node there is.

    Handlers only record what changed and schedule movements of pods; what a movement entails is
    done when it arrives where it was sent. A pod whose node is missing or unreachable stays where
    it is.
    """

    name = "kubelet"
    ignores_rewordings = True

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self._plays_pods = not cluster.settings.kubelet.pods_by_kwok
        self.lifecycle = PodLifecycle(cluster)
        self.nodes = self.lifecycle.nodes
        self.pods = self.lifecycle.pods
        self.inside = Inside(self.lifecycle, self.store, self.clock)

    def handlers(self) -> Handlers:
        """Pods and nodes."""
        handlers = {("", "Node"): self.nodes.on_change}
        if self._plays_pods:
            handlers["", "Pod"] = self.on_pod
        holding = self.lifecycle.holding
        if self._plays_pods and holding is not None:
            for kind in references.KINDS:
                handlers["", kind] = functools.partial(_notify, holding, kind)
        return handlers

    def start(self) -> None:
        """Register as a source of usage."""
        self.cluster.metrics.add_source(self)

    def used(self) -> dict[str, dict[str, Used]]:
        """By pod and container, what those that run on reachable nodes have used so far."""
        return usage.used(self.nodes.ready.entities_in_stock(), self.clock.now_ns)

    def sync(self, key: str) -> None:
        """Nothing is ever queued: pods are moved instead."""
        raise AssertionError(key)

    def usage(self, key: str, now_ns: int | None = None) -> Usage | None:
        """What the running containers of a pod use, now or then; None if it is not followed."""
        obj = self.lister.get(POD, key)
        pod = None if obj is None else self.pods.get(obj["metadata"]["uid"])
        if pod is None:
            return None
        return usage.pod_usage(pod, self.clock.now_ns if now_ns is None else now_ns)

    def on_pod(self, change: Change) -> None:
        """Handle a change of a pod."""
        new = change.new
        pod = self.pods.get(new["metadata"]["uid"])
        if pod is None:
            if change.type != DELETED:
                self._meet(change.key, new)
        elif change.type == DELETED:
            pod.gone = True
            self.lifecycle.notice(pod)
        elif self._has_changed(pod, change):
            self.lifecycle.notice(pod)

    def _meet(self, key: str, obj: Json) -> None:
        """Start to follow a pod, unless it has run to its end."""
        status = obj.get("status") or {}
        if status.get("phase") in (phases.SUCCEEDED, phases.FAILED):
            return
        pod = Pod(key, obj["metadata"])
        pod.is_restored = self.store.is_restored(obj)
        if "podIP" in status and not obj["spec"].get("hostNetwork"):
            # Before others are given it.
            self.lifecycle.addresses.keep(status["podIP"])
        self._on_node_name(pod, obj["spec"])
        self._on_deletion(pod, obj["metadata"])
        self.lifecycle.begin(pod)

    def _has_changed(self, pod: Pod, change: Change) -> bool:
        """Record what is new of a pod; whether anything has to be done."""
        new, old = change.new, change.old
        has_changed = not pod.node_name and self._on_node_name(pod, new["spec"])
        has_changed |= self._on_deletion(pod, new["metadata"])
        if pod.node is None or pod.is_over:
            return has_changed
        status = new.get("status")
        if status is not pod.status:
            self._on_status(pod, status or {})
            has_changed = True
        if old is not None and (_is_other(new, old) or (pod.holds and _is_relabeled(new, old))):
            pod.is_changed = pod.is_stale = has_changed = True
        return has_changed

    def _on_node_name(self, pod: Pod, spec: Json) -> bool:
        name = spec.get("nodeName")
        if not name:
            return False
        pod.node_name = name
        self.nodes.bound_to(name)[pod.uid] = pod
        return True

    def _on_deletion(self, pod: Pod, metadata: Json) -> bool:
        if "deletionTimestamp" not in metadata:
            return False
        grace_ns = (metadata.get("deletionGracePeriodSeconds") or 0) * SECOND_NS
        if pod.deleting and grace_ns == pod.grace_ns:
            return False
        pod.deleting, pod.grace_ns = True, grace_ns
        return True

    def _on_status(self, pod: Pod, status: Json) -> None:
        """Another client wrote a pod's status: the kubelet's part is written again.

        A final phase stays, whichever client wrote it.
        """
        pod.is_stale = True
        if status.get("phase") in (phases.SUCCEEDED, phases.FAILED):
            pod.is_over, pod.is_stale = True, False
            pod.phase = status["phase"]
            pod.drop_steps()
            assert pod.node is not None
            pod.node.release(pod)


def _notify(holding: Holding, kind: str, change: Change) -> None:
    holding.changed((kind, change.key))


def _is_relabeled(new: Json, old: Json) -> bool:
    is_same: bool = new["metadata"].get("labels") == old["metadata"].get("labels")
    return not is_same


def _is_other(new: Json, old: Json) -> bool:
    """Whether more than the status of a pod has changed; what is the same is shared."""
    if new["spec"] is not old["spec"]:
        return True
    is_same: bool = new["metadata"].get("annotations") is old["metadata"].get("annotations")
    return not is_same
