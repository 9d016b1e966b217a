"""Turns what happens in the store into what the cache and the queue must know."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.objects import pod_resources
from kubestage.objects.views import node as node_views
from kubestage.objects.views import pod as pod_views
from kubestage.scheduler import property_changes
from kubestage.scheduler.cluster_events import ActionType, ClusterEvent, EventResource
from kubestage.scheduler.queue import occasions
from kubestage.store.log import ADDED, DELETED

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Container

    from kubestage.aliases import Json
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.cache import Cache
    from kubestage.scheduler.delayed_queue import DelayedQueue
    from kubestage.scheduler.queue import SchedulingQueue
    from kubestage.scheduler.timing import Timekeeper
    from kubestage.scheduler.waiting_pods import WaitingPods
    from kubestage.store.log import Change
    from kubestage.store.store import Store


_replace: Final = msgspec.structs.replace
# Fields of a status that matter to other pods.
_SPECIAL: Final = frozenset(
    {"nominatedNodeName", "resourceClaimStatuses", "extendedResourceClaimStatus"}
)
_ENDED: Final = ("Succeeded", "Failed")
_ACTIONS: Final = {ADDED: ActionType.ADD, DELETED: ActionType.DELETE}
_OTHERS: Final = {
    ("", "PersistentVolume"): EventResource.PERSISTENT_VOLUME,
    ("", "PersistentVolumeClaim"): EventResource.PERSISTENT_VOLUME_CLAIM,
    ("storage.k8s.io", "CSINode"): EventResource.CSI_NODE,
    ("storage.k8s.io", "CSIDriver"): EventResource.CSI_DRIVER,
    ("storage.k8s.io", "CSIStorageCapacity"): EventResource.CSI_STORAGE_CAPACITY,
    ("storage.k8s.io", "StorageClass"): EventResource.STORAGE_CLASS,
    ("storage.k8s.io", "VolumeAttachment"): EventResource.VOLUME_ATTACHMENT,
    ("resource.k8s.io", "ResourceClaim"): EventResource.RESOURCE_CLAIM,
    ("resource.k8s.io", "ResourceSlice"): EventResource.RESOURCE_SLICE,
    ("resource.k8s.io", "DeviceClass"): EventResource.DEVICE_CLASS,
}


class EventHandlers:
    """Subscribed to the store, after handling everything that is there already.

    Pods that have run to their end are not seen: to the scheduler they are gone.
    """

    def __init__(
        self,
        profiles: Container[str],
        cache: Cache,
        queue: SchedulingQueue | DelayedQueue,
        waiting: WaitingPods,
        time: Timekeeper | None = None,
    ) -> None:
        self._profiles = profiles
        self._cache = cache
        self._queue = queue
        self._waiting = waiting
        self._handlers: tuple[tuple[Callable[[Change], None], Collection[tuple[str, str]]], ...] = (
            (self._on_pod, (("", "Pod"),)),
            (self._on_node, (("", "Node"),)),
            (self._on_other, tuple(_OTHERS)),
        )
        if time is not None and time.is_measuring:
            self._handlers = tuple(
                (functools.partial(self._measure, time, handler), kinds)
                for handler, kinds in self._handlers
            )

    def start(self, store: Store) -> None:
        """Take up the nodes and pods that are there, in the order they came, then listen."""
        for node in store.read(("v1", "Node")).values():
            self._cache.add_node(node_views.of(node))
        for key, pod in store.read(("v1", "Pod")).items():
            if not _is_ended(pod):
                self._add_pod(pod_views.of(pod, key))
        for handler, kinds in self._handlers:
            store.subscribe(handler, kinds)

    def stop(self, store: Store) -> None:
        """Listen no more."""
        for handler, _ in self._handlers:
            store.unsubscribe(handler)

    def _measure(self, time: Timekeeper, handler: Callable[[Change], None], change: Change) -> None:
        time.handled(occasions.label_of(_event_of(change)), handler, change)

    def _on_pod(self, change: Change) -> None:
        if change.is_binding and self._confirm(change):
            return
        if change.is_reworded and self._reword(change):
            return
        old = change.old
        was_seen = old is not None and not _is_ended(old)
        is_seen = change.type != DELETED and not _is_ended(change.new)
        if is_seen and was_seen:
            assert old is not None
            if not self._refresh(old, change.new):
                self._update_pod(old, pod_views.of(change.new, change.key))
        elif is_seen:
            self._add_pod(pod_views.of(change.new, change.key))
        elif was_seen:
            assert old is not None
            self._delete_pod(change.new if change.type == DELETED else old)

    def _refresh(self, old: Json, new: Json) -> bool:
        """Whether a pod on a node only reports its containers, and nothing else has changed.

        NOTE: this happens to every pod several times; treating it like any other update costs
        two and a half times as much (benchmarks/controllers.py).
        """
        was, metadata = old["metadata"], new["metadata"]
        if (
            old["spec"] is not new["spec"]
            or was.get("labels") is not metadata.get("labels")
            or "deletionTimestamp" in was
            or "deletionTimestamp" in metadata
        ):
            return False
        known = self._cache.known_pod(metadata["uid"])
        if known is None or known.raw is not old:
            return False
        if _is_special_claim(old) or _is_special_claim(new):
            return False
        phase = (new.get("status") or {}).get("phase") or ""
        self._cache.refresh_pod(_replace(known, raw=new, phase=phase))
        self._queue.move_all(occasions.ASSIGNED_POD_UPDATE, old, new)
        return True

    def _reword(self, change: Change) -> bool:
        """Whether a pod in the queue is as it was but for the message of a condition.

        NOTE: this happens at each attempt that fails (benchmarks/karpenter_day.py).
        """
        queued, old = self._queue.get(change.key), change.old
        if queued is None or old is None or queued.pod.raw is not old:
            return False
        if self._cache.assumed_pod(queued.pod.uid) is not None:
            return False
        self._queue.update(old, _replace(queued.pod, raw=change.new), is_reworded=True)
        return True

    def _confirm(self, change: Change) -> bool:
        """Whether a pod has just got the node it was assumed to be on, and is nothing else new.

        NOTE: this happens to every pod, and treating it like any other update costs several times
        as much (benchmarks/scheduler.py).
        """
        new = change.new
        assumed = self._cache.assumed_pod(new["metadata"]["uid"])
        if (
            assumed is None
            or assumed.raw is not change.old
            or assumed.node_name != new["spec"]["nodeName"]
            or assumed.phase in _ENDED
            # What it counts for may depend on its status.
            or assumed.requests is not assumed.plan.usage.resource
        ):
            return False
        pod = _replace(assumed, raw=new, nominated_node_name="")
        self._cache.confirm_pod(pod)
        self._queue.move_all(occasions.ASSIGNED_POD_ADD, None, new)
        return True

    def _add_pod(self, pod: PodView) -> None:
        if pod.node_name:
            self._add_assigned(pod)
        elif pod.scheduler_name in self._profiles:
            self._queue.add(pod)

    def _update_pod(self, old: Json, pod: PodView) -> None:
        if old["spec"].get("nodeName"):
            self._cache.add_pod(pod)
            for event in property_changes.of_pod(old, pod.raw):
                self._queue.move_all(event, old, pod.raw)
        elif pod.node_name:
            self._add_assigned(pod)
            if pod.scheduler_name in self._profiles:
                self._queue.delete(pod.key, pod.uid)
        elif pod.scheduler_name in self._profiles:
            self._update_pending(old, pod)

    def _delete_pod(self, last: Json) -> None:
        if last["spec"].get("nodeName"):
            self._cache.remove_pod(last["metadata"]["uid"])
            self._queue.move_all(occasions.ASSIGNED_POD_DELETE, last, None)
            return
        pod = pod_views.of(last)
        if pod.scheduler_name not in self._profiles:
            return
        self._queue.delete(pod.key, pod.uid)
        if self._cache.assumed_pod(pod.uid) is not None:
            self._give_up_assumed(pod.uid)
        elif pod.nominated_node_name:
            self._release_promise(last)

    def _add_assigned(self, pod: PodView) -> None:
        self._cache.add_pod(pod)
        self._queue.move_all(occasions.ASSIGNED_POD_ADD, None, pod.raw)

    def _update_pending(self, old: Json, pod: PodView) -> None:
        if self._cache.assumed_pod(pod.uid) is not None:
            deleting = "deletionTimestamp"
            if deleting in pod.raw["metadata"] and deleting not in old["metadata"]:
                self._give_up_assumed(pod.uid)
            return
        self._queue.update(old, pod)
        nominated = (old.get("status") or {}).get("nominatedNodeName")
        if nominated and nominated != pod.nominated_node_name:
            self._release_promise(old)

    def _give_up_assumed(self, uid: str) -> None:
        """A pod is deleted while it is being bound: what it was to occupy is free again."""
        assumed = self._cache.assumed_pod(uid)
        assert assumed is not None
        waiting = self._waiting.get(uid)
        if waiting is None or not waiting.reject("", "removed"):
            self._cache.forget_pod(uid)
        self._queue.move_all(occasions.ASSIGNED_POD_DELETE, placed(assumed), None)

    def _release_promise(self, old: Json) -> None:
        """A pod is no longer nominated to a node, which may help pods of lower priority."""
        priority = old["spec"].get("priority") or 0
        self._queue.move_all(
            occasions.ASSIGNED_POD_DELETE, old, None, functools.partial(_is_no_greater, priority)
        )

    def _on_node(self, change: Change) -> None:
        if change.type == DELETED:
            self._queue.move_all(occasions.NODE_DELETE, change.new, None)
            self._cache.remove_node(change.new["metadata"]["name"])
            return
        self._cache.add_node(node_views.of(change.new))
        if change.old is None:
            self._queue.move_all(occasions.NODE_ADD, None, change.new)
            return
        for event in property_changes.of_node(change.old, change.new):
            self._queue.move_all(event, change.old, change.new)

    def _on_other(self, change: Change) -> None:
        resource = _OTHERS[change.kind.group, change.kind.kind]
        event = ClusterEvent(resource, _ACTIONS.get(change.type, ActionType.UPDATE))
        gone = change.type == DELETED
        self._queue.move_all(event, change.old, None if gone else change.new)


def _event_of(change: Change) -> ClusterEvent:
    """The name of a change before its details are known."""
    action = _ACTIONS.get(change.type, ActionType.UPDATE)
    if change.kind.kind == "Node":
        return ClusterEvent(EventResource.NODE, action)
    if change.kind.kind == "Pod":
        is_assigned = bool(change.new["spec"].get("nodeName"))
        pod = EventResource.ASSIGNED_POD if is_assigned else EventResource.UNSCHEDULED_POD
        return ClusterEvent(pod, action)
    return ClusterEvent(_OTHERS[change.kind.group, change.kind.kind], action)


def placed(pod: PodView) -> Json:
    """A pod that is assumed to be on a node, as the object it would be there."""
    return {**pod.raw, "spec": {**pod.raw["spec"], "nodeName": pod.node_name}}


def _is_ended(pod: Json) -> bool:
    return (pod.get("status") or {}).get("phase") in _ENDED


def _is_special_claim(pod: Json) -> bool:
    status = pod.get("status") or {}
    return not _SPECIAL.isdisjoint(status) or pod_resources.has_status_resources(pod)


def _is_no_greater(priority: int, pod: PodView) -> bool:
    return pod.priority <= priority
