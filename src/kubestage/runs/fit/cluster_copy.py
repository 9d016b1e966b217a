"""A copy of a cluster on which the scheduler tries one pod again and again.

The copy has the objects of a stage and its scheduler, but no controllers and no time. Each attempt
begins with the cluster as it is: whatever an attempt changes is undone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage import stage as stages
from kubestage.errors import ApiError
from kubestage.objects import gvk
from kubestage.objects.views import pod as pod_views
from kubestage.runs.fit import quotas
from kubestage.runs.fit.edit import NOTHING
from kubestage.scheduler.preemption import report
from kubestage.scheduler.scheduler import Scheduler
from kubestage.store import admission
from kubestage.store.admission import resource_quota
from kubestage.store.collection import key_of
from kubestage.store.restoring import ObjectKey, Past

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kubestage.aliases import Json
    from kubestage.objects.kinds import Kind
    from kubestage.objects.views.pod import PodView
    from kubestage.runs.fit.cluster_image import ClusterImage
    from kubestage.runs.fit.edit import Edit
    from kubestage.scheduler.attempt import Attempt
    from kubestage.store.log import Change

_ENDED: Final = ("Succeeded", "Failed")
_SET_BY_SERVER: Final = (
    "creationTimestamp", "deletionGracePeriodSeconds", "deletionTimestamp", "generation",
    "managedFields", "resourceVersion", "selfLink", "uid",
)  # fmt: skip
_LEAVING: Final = ("deletionGracePeriodSeconds", "deletionTimestamp")


class Outcome(NamedTuple):
    """What came of an attempt: a node, and the pods that were preempted, or why there is none.

    `refusal` is set if the API refuses the pod.
    """

    node: str = ""
    victims: tuple[Json, ...] = ()
    message: str = ""
    refusal: str = ""
    attempt: Attempt | None = None

    @property
    def is_placed(self) -> bool:
        """Whether the pod got a node."""
        return bool(self.node)


class ClusterCopy:
    """One pod, in a copy of its cluster.

    A pod that is in the cluster has been admitted before, so that quotas are not charged for it
    again. `attempts` counts how often it was tried.
    """

    def __init__(self, image: ClusterImage, pod: Json) -> None:
        self.is_new = "uid" not in pod["metadata"]
        checks = tuple(
            each for each in admission.CHECKS if self.is_new or each is not resource_quota.check
        )
        objects = [each for each in image.objects if not _is_left_out(*each, pod)]
        past = Past(image.revision, image.unix_ns, 1, objects)
        stage = stages.Stage(image.seed, past=past, checks=checks, garbage="manual", history=1_000)
        self.store = stage.store
        self.scheduler = Scheduler(
            stage.store,
            None,
            stage.streams,
            image.configuration,
            plugins=image.plugins,
            tie_break=image.tie_break,
            transport=image.transport,
            events=False,
        )
        # Other pods wait for their turn as long as the copy exists; nominations of theirs count.
        while self.scheduler.queue.pop() is not None:
            pass
        self.attempts = 0
        self._changes: dict[tuple[Kind, str], Json | None] = {}
        self._is_undoing = False
        stage.store.subscribe(self._on_change)
        self.pod = self._named(pod)
        self._is_admitted = not self.is_new and self._refusal(_as_new(pod)) is None

    @property
    def key(self) -> str:
        """``namespace/name`` of the pod."""
        metadata = self.pod["metadata"]
        return key_of(metadata["namespace"], metadata["name"])

    def objects(self, kind: tuple[str, str]) -> Mapping[str, Json]:
        """The objects of a kind, by key."""
        return self.store.read(kind)

    def known(self, obj: Json) -> Json | None:
        """The object of the copy that has the same kind and name."""
        kind = self.store.kinds.of(obj)
        return self.store.read(kind).get(_key(obj))

    def view(self, edit: Edit = NOTHING) -> PodView:
        """The pod as the scheduler reads it."""
        return pod_views.of(edit.changed(self.pod))

    def attempt(
        self,
        edit: Edit = NOTHING,
        look: Callable[[Attempt], None] | None = None,
        then: Callable[[], None] | None = None,
    ) -> Outcome:
        """Have the scheduler try the pod, with an edit made.

        `look` is called with the attempt if it found no node, `then` when it found one, both before
        all is undone.
        """
        self.attempts += 1
        try:
            outcome = self._attempt(edit, look)
            if outcome.is_placed and then is not None:
                then()
            return outcome
        except ApiError as error:
            return Outcome(refusal=error.message)
        finally:
            self._undo()

    def reschedule(self, pod: Json) -> str:
        """Have a pod that was removed come again and be tried; the node that it gets, if any."""
        spec = {name: value for name, value in pod["spec"].items() if name != "nodeName"}
        metadata = {name: each for name, each in pod["metadata"].items() if name not in _LEAVING}
        self._put({**pod, "metadata": metadata, "spec": spec, "status": {"phase": "Pending"}})
        attempt = self.scheduler.schedule_one()
        return "" if attempt is None else attempt.node_name or ""

    def _attempt(self, edit: Edit, look: Callable[[Attempt], None] | None) -> Outcome:
        for obj in edit.remove:
            self._remove(self.store.kinds.of(obj), _key(obj))
        for obj in (*edit.put, *edit.beside):
            self._put({**obj, "metadata": dict(obj["metadata"])})
        if self.is_new:
            for quota in quotas.freed(self.store, edit.remove):
                self._put({**quota, "metadata": dict(quota["metadata"])})
        pod = self._enter(edit)
        uid = pod["metadata"]["uid"]
        attempt = self.scheduler.schedule_one()
        if attempt is None:
            return Outcome(message=self._held_back(pod))
        node = self.scheduler.cache.node_of(uid)
        if node:
            return Outcome(node, attempt=attempt)
        account: report.Report | None = attempt.state.get(report.KEY)
        if account is None or account.chosen is None:
            if look is not None:
                look(attempt)
            return Outcome(message=attempt.failure, attempt=attempt)
        victims = tuple(each.raw for each in account.chosen.victims)
        for victim in victims:
            self._remove(self.store.kind(gvk.POD), _key(victim))
        self.scheduler.activate([pod_views.of(pod)])
        self.scheduler.schedule_one()
        node = self.scheduler.cache.node_of(uid)
        return Outcome(node or "", victims, attempt.failure, attempt=attempt)

    def _enter(self, edit: Edit) -> Json:
        """Put the pod into the copy as it would be after an edit."""
        pod = edit.changed(self.pod)
        metadata = dict(pod["metadata"])
        if pod is not self.pod or self.is_new:
            if self.is_new or self._is_admitted:
                admitted = self.store.create(_as_new(pod), dry_run=True)
                metadata = {**admitted["metadata"], "uid": metadata["uid"]}
                pod = {**admitted, "metadata": metadata}
            kept = self.pod.get("status", {}).get("resourceClaimStatuses")
            status = {"phase": "Pending", **({"resourceClaimStatuses": kept} if kept else {})}
            pod = {**pod, "status": status}
        self._put(pod := {**pod, "metadata": metadata})
        return pod

    def _refusal(self, pod: Json) -> str | None:
        try:
            self.store.create(pod, dry_run=True)
        except ApiError as error:
            return error.message
        return None

    def _held_back(self, pod: Json) -> str:
        """Why the pod does not even come into the queue."""
        view = pod_views.of(pod)
        profile = self.scheduler.profiles.get(view.scheduler_name)
        if profile is None:
            known = ", ".join(self.scheduler.profiles)
            return f"no profile is called {view.scheduler_name} (there is {known})"
        for plugin in profile.pre_enqueue:
            status = plugin.pre_enqueue(view)
            if not status.is_success:
                message: str = status.message
                return message
        return "it is not tried"

    def _named(self, pod: Json) -> Json:
        """The pod with all that a pod in a store has."""
        if not self.is_new:
            return pod
        metadata = {"namespace": "default", **pod["metadata"]}
        if not metadata.get("name"):
            metadata["name"] = f"{metadata.pop('generateName', 'pod-')}new"
        return {**pod, "metadata": {**metadata, "uid": "the-new-pod"}}

    def _put(self, obj: Json) -> None:
        self.store.put(self.store.kinds.of(obj), _key(obj), obj)
        self.store.settle()

    def _remove(self, kind: Kind, key: str) -> None:
        if key in self.store.read(kind):
            self.store.remove(kind, key)
            self.store.settle()

    def _on_change(self, change: Change) -> None:
        if not self._is_undoing:
            self._changes.setdefault((change.kind, change.key), change.old)

    def _undo(self) -> None:
        """Have everything as it was: what is new goes first, the last change before others.

        A host port that two pods share is free for the scheduler once one of them goes. So the pod
        must not be there any more when its victims come back.
        """
        self._is_undoing = True
        try:
            for (kind, key), before in reversed(self._changes.items()):
                if before is None:
                    self._remove(kind, key)
            for (kind, key), before in reversed(self._changes.items()):
                if before is not None and self.store.read(kind).get(key) is not before:
                    self._put({**before, "metadata": dict(before["metadata"])})
        finally:
            self._is_undoing = False
            self._changes.clear()


def _is_left_out(place: ObjectKey, obj: Json, pod: Json) -> bool:
    """Whether an object is of no account: the pod itself, ended pods, others that only wait."""
    if place[:2] != ("", "pods"):
        return False
    status = obj.get("status") or {}
    if obj["metadata"]["uid"] == pod["metadata"].get("uid") or status.get("phase") in _ENDED:
        return True
    return not obj["spec"].get("nodeName") and not status.get("nominatedNodeName")


def _as_new(pod: Json) -> Json:
    """A pod as it would be created again."""
    metadata = {
        name: value for name, value in pod["metadata"].items() if name not in _SET_BY_SERVER
    }
    return {**{name: pod[name] for name in pod if name != "status"}, "metadata": metadata}


def _key(obj: Json) -> str:
    return key_of(obj["metadata"].get("namespace"), obj["metadata"]["name"])
