"""The loop behind ReplicaSets, and behind ReplicationControllers as well."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from kubestage.controllers import ownership, pod_control, pods
from kubestage.controllers.controller import Controller
from kubestage.controllers.pods import POD
from kubestage.controllers.replicaset import ranking, status
from kubestage.controllers.replicaset.pod_counter import PodCounter
from kubestage.controllers.selectors import Selectors
from kubestage.errors import ApiError, NotFound
from kubestage.objects import labels
from kubestage.store.log import DELETED

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.controller import Cluster, Handlers
    from kubestage.objects.labels import Selector
    from kubestage.store.log import Change


BURST_REPLICAS: Final = 500
"""How many pods are made or deleted at once; the rest has to wait its turn."""


class _Owner:
    """What the loop knows of one owner.

    `is_unclaimed` means that there may be pods to adopt. `reported` is the status
    that the loop wrote last, to know its own handwriting. `unseen` are pods of a sibling, by uid,
    that were deleted while the owner was in line: upstream, which syncs both at once, does not
    know of that yet.
    """

    __slots__ = ("counter", "is_unclaimed", "key", "replicas", "reported", "spec", "unseen")

    def __init__(self, key: str, spec: Json, counter: PodCounter) -> None:
        self.key = key
        self.spec = spec
        self.replicas: int = spec.get("replicas") or 0
        self.counter = counter
        self.is_unclaimed = True
        self.reported: Json | None = None
        self.unseen: dict[str, Json] = {}

    @property
    def is_settled(self) -> bool:
        """Whether a change that counts for nothing cannot call for anything to be done."""
        counter = self.counter
        return counter.active == self.replicas and not counter.strays and not self.is_unclaimed


class ReplicaSetController(Controller):
    """Creates and deletes pods until there are as many as a ReplicaSet requests."""

    name = "replicaset-controller"
    kind: ClassVar[tuple[str, str]] = ("apps/v1", "ReplicaSet")
    reports_terminating: ClassVar[bool] = True

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self._pod_control = pod_control.PodControl(self.store, self.events)
        self._owners: dict[str, _Owner] = {}
        self._selectors = Selectors()

    def handlers(self) -> Handlers:
        """Owners, and all pods."""
        kind = self.store.kind(self.kind)
        return {(kind.group, kind.kind): self._on_owner, ("", "Pod"): self._on_pod}

    def selector_of(self, spec: Json) -> Selector:
        """Which pods an owner means."""
        return labels.from_label_selector(spec.get("selector"))

    def _on_owner(self, change: Change) -> None:
        new, old = change.new, change.old
        metadata = new["metadata"]
        if change.type == DELETED:
            self._owners.pop(metadata["uid"], None)
            self._selectors.drop(metadata["namespace"], change.key)
            return
        if old is None or old["spec"] is not new["spec"]:
            selector = self.selector_of(new["spec"])
            self._selectors.set(metadata["namespace"], change.key, selector)
        elif self._is_written_here(new):
            return
        self.queue.add(change.key)

    def _is_written_here(self, obj: Json) -> bool:
        metadata = obj["metadata"]
        owner = self._owners.get(metadata["uid"])
        if owner is None or owner.reported is None or not owner.is_settled:
            return False
        is_current: bool = owner.reported["observedGeneration"] == metadata["generation"]
        return is_current and obj.get("status") is owner.reported

    def _on_pod(self, change: Change) -> None:
        if self._selectors.is_empty:
            return
        new, old = change.new, change.old
        reference = ownership.controller_of(new)
        uid = reference["uid"] if reference is not None else None
        if change.is_reworded:
            self._on_reworded(uid)
            return
        has_moved = False
        if old is not None and old["metadata"].get("ownerReferences") is not new["metadata"].get(
            "ownerReferences"
        ):
            has_moved = self._has_left(change.key, old, uid)
        if uid is None:
            self._on_orphan(change, has_moved=has_moved)
            return
        owner = self._owners.get(uid)
        if owner is None:
            return
        counter = owner.counter
        if change.type == DELETED:
            counts = counter.forget(change.key)
        else:
            counts = counter.observe(change.key, new)
        if counts or not owner.is_settled:
            self.queue.add(owner.key)

    def _on_reworded(self, uid: str | None) -> None:
        """A pod that waits counts as before."""
        owner = None if uid is None else self._owners.get(uid)
        if owner is not None and not owner.is_settled:
            self.queue.add(owner.key)

    def _has_left(self, key: str, old: Json, uid: str | None) -> bool:
        """Take a pod from the owner that it had, if that is not its owner any more."""
        reference = ownership.controller_of(old)
        if reference is None or reference["uid"] == uid:
            return False
        owner = self._owners.get(reference["uid"])
        if owner is not None:
            owner.counter.forget(key)
            self.queue.add(owner.key)
        return True

    def _on_orphan(self, change: Change, *, has_moved: bool) -> None:
        """Owners that select the pod may adopt it."""
        if change.type == DELETED or pods.is_terminating(change.new):
            return
        new, old = change.new, change.old
        found = ownership.labels_of(new)
        if old is not None and not has_moved and ownership.labels_of(old) == found:
            return
        for key in self._selectors.matching(new["metadata"]["namespace"], found):
            obj = self.lister.get(self.kind, key)
            owner = self._owners.get(obj["metadata"]["uid"]) if obj is not None else None
            if owner is not None:
                owner.is_unclaimed = True
            self.queue.add(key)

    def sync(self, key: str) -> None:
        """Count the pods of an owner, make or delete some, and report."""
        obj = self.lister.get(self.kind, key)
        if obj is None:
            return
        owner = self._owner(key, obj)
        if owner.is_unclaimed or owner.counter.strays:
            self._claim(owner, obj)
        now_unix_ns = self.clock.unix_ns
        counts = owner.counter.counts(now_unix_ns)
        failure = None
        if "deletionTimestamp" not in obj["metadata"]:
            try:
                self._adjust(owner, obj)
            except ApiError as error:
                failure = error
        if self.is_held_up and failure is None:
            # Upstream is still at it, and reports when it is done.
            return
        report = status.report(
            obj,
            counts,
            failure.message if failure is not None else None,
            now_unix_ns,
            terminating=self.reports_terminating,
        )
        if report != obj.get("status"):
            owner.reported = report
            self.store.record_status(self.kind, key, report)
        owner.unseen.clear()
        if failure is not None:
            raise failure
        if counts.ready != counts.available:
            next_ns = owner.counter.next_available_ns
            if next_ns is not None:
                self.queue.add_at(key, next_ns)

    def _owner(self, key: str, obj: Json) -> _Owner:
        """What is known of an owner, counted afresh if it means other pods than before."""
        uid, spec = obj["metadata"]["uid"], obj["spec"]
        known = self._owners.get(uid)
        if known is not None and known.spec is spec:
            return known
        selector = self.selector_of(spec)
        template = spec["template"].get("metadata") or {}
        template_labels = template.get("labels") or {}
        min_ready_seconds = spec.get("minReadySeconds") or 0
        if known is not None:
            counter = known.counter
            known.spec, known.replicas = spec, spec.get("replicas") or 0
            if (counter.selector, counter.template_labels, counter.min_ready_seconds) == (
                selector,
                template_labels,
                min_ready_seconds,
            ):
                return known
        found = _Owner(key, spec, PodCounter(selector, template_labels, min_ready_seconds))
        collection = self.lister.collection(POD)
        for pod_key in collection.owners.get(uid):
            pod = collection.objects[pod_key]
            if ownership.is_controlled_by(pod, obj):
                found.counter.observe(pod_key, pod)
        self._owners[uid] = found
        return found

    def _claim(self, owner: _Owner, obj: Json) -> None:
        """Adopt active pods that match and have no controller; release those that do not match."""
        collection = self.lister.collection(POD)
        controlled = [collection.objects[key] for key in owner.counter.active_keys(strays=True)]
        namespace = obj["metadata"]["namespace"]
        selected = self.lister.selected(POD, namespace, owner.counter.selector)
        orphans = [
            pod for pod in selected if ownership.controller_of(pod) is None and pods.is_active(pod)
        ]
        owner.is_unclaimed = False
        try:
            ownership.Claims(self.store, obj, owner.counter.selector).claim([*controlled, *orphans])
        except ApiError:
            owner.is_unclaimed = True
            raise

    def _adjust(self, owner: _Owner, obj: Json) -> None:
        excess = owner.counter.active - owner.replicas
        if excess < 0:
            self._create(obj, self.allowance(min(-excess, BURST_REPLICAS)))
        elif excess > 0:
            self._delete(owner, obj, self.allowance(min(excess, BURST_REPLICAS)))

    def _create(self, obj: Json, count: int) -> None:
        """Make pods in batches that grow while all goes well: one, two, four and so on."""
        pod = pod_control.from_template(obj["spec"]["template"], obj)
        batch = 1
        while count > 0:
            refusal = self._pod_control.create_many(pod, obj, min(batch, count))
            if refusal is not None:
                raise refusal
            count -= batch
            batch *= 2

    def _delete(self, owner: _Owner, obj: Json, count: int) -> None:
        objects = self.lister.collection(POD).objects
        candidates = [objects[key] for key in owner.counter.active_keys()]
        siblings = self._siblings(obj)
        related = self._related(siblings) | owner.unseen
        now_unix_ns = self.clock.unix_ns
        chosen = ranking.first_to_go(candidates, related.values(), count, now_unix_ns)
        self._hide(chosen, siblings)
        failure = None
        for pod in chosen:
            try:
                self._pod_control.delete(pod, obj)
            except NotFound:
                continue
            except ApiError as error:
                failure = failure or type(error)(f"unable to delete pods: {error}", error.details)
        if failure is not None:
            raise failure

    def _siblings(self, obj: Json) -> list[Json]:
        """The owners that one and the same controller has, the given one among them."""
        reference = ownership.controller_of(obj)
        if reference is None:
            return []
        found = self.lister.owned(self.kind, reference["uid"])
        theirs = [(each, ownership.controller_of(each)) for each in found]
        return [each for each, ref in theirs if ref is not None and ref["uid"] == reference["uid"]]

    def _related(self, siblings: list[Json]) -> dict[str, Json]:
        """The pods that siblings mean, by uid."""
        found: dict[str, Json] = {}
        for each in siblings:
            selector, namespace = self.selector_of(each["spec"]), each["metadata"]["namespace"]
            for pod in self.lister.selected(POD, namespace, selector):
                found[pod["metadata"]["uid"]] = pod
        return found

    def _hide(self, chosen: list[Json], siblings: list[Json]) -> None:
        for each in siblings:
            owner = self._owners.get(each["metadata"]["uid"])
            if owner is not None and self.queue.is_waiting(owner.key):
                owner.unseen.update({pod["metadata"]["uid"]: pod for pod in chosen})
