"""The namespace controller: a namespace that ends is emptied, pods first, and then let go."""

from __future__ import annotations

import dataclasses
from collections import Counter
from typing import TYPE_CHECKING, Final

from kubestage.controllers import pods
from kubestage.controllers.controller import Controller
from kubestage.objects import timestamps
from kubestage.store import namespaces
from kubestage.store.deletion import BACKGROUND
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.aliases import Json
    from kubestage.controllers.controller import Cluster, Handlers
    from kubestage.store.collection import Collection
    from kubestage.store.log import Change


# How long finalizers are expected to take.
_FINALIZERS_SECONDS: Final = 15
_RETRY_NS: Final = SECOND_NS

_DISCOVERY: Final = "NamespaceDeletionDiscoveryFailure"
_PARSING: Final = "NamespaceDeletionGroupVersionParsingFailure"
_CONTENT: Final = "NamespaceDeletionContentFailure"
_REMAINING: Final = "NamespaceContentRemaining"
_FINALIZERS: Final = "NamespaceFinalizersRemaining"
_FINE: Final = {
    _DISCOVERY: ("ResourcesDiscovered", "All resources successfully discovered"),
    _PARSING: ("ParsedGroupVersions", "All legacy kube types successfully parsed"),
    _CONTENT: (
        "ContentDeleted",
        "All content successfully deleted, may be waiting on finalization",
    ),
    _REMAINING: ("ContentRemoved", "All content successfully removed"),
    _FINALIZERS: ("ContentHasNoFinalizers", "All content-preserving finalizers finished"),
}


@dataclasses.dataclass(slots=True)
class _Left:
    """What is left of a namespace's contents, and how many seconds that may take.

    Only the grace of pods ends by itself (`ends_in_time`).
    """

    resources: Counter[str] = dataclasses.field(default_factory=Counter)
    finalizers: Counter[str] = dataclasses.field(default_factory=Counter)
    failures: list[str] = dataclasses.field(default_factory=list)
    seconds: int = 0
    ends_in_time: bool = False


class NamespaceController(Controller):
    """Empties namespaces that are ending.

    Upstream syncs again every few seconds while something is left. Here that happens only while
    pods have time to end, or if something has left since the last sync: nothing else can help.
    """

    name = "namespace-controller"

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self._next_sync_ns: dict[str, int] = {}
        self.store.garbage.emptier = self

    def handlers(self) -> Handlers:
        """Namespaces."""
        return {("", "Namespace"): self._on_namespace}

    def _on_namespace(self, change: Change) -> None:
        if "deletionTimestamp" not in change.new["metadata"]:
            return
        if change.key in self.store.read(namespaces.NAMESPACE):
            # Last-minute objects may still be on their way in.
            self.queue.add_after(change.key, self.settings.namespace_grace_period_ns)
        else:
            self._next_sync_ns.pop(change.key, None)

    def left(self, namespace: str) -> None:
        """An object has left a namespace that is ending."""
        at_ns = self._next_sync_ns.pop(namespace, None)
        if at_ns is not None:
            self.queue.add_after(namespace, at_ns - self.clock.now_ns)

    def sync(self, key: str) -> None:
        """Delete what is in a namespace, and say what is left."""
        self._next_sync_ns.pop(key, None)
        found = self.lister.get(namespaces.NAMESPACE, key)
        if found is None or "deletionTimestamp" not in found["metadata"]:
            return
        if not found["spec"].get("finalizers"):
            return
        left = self._delete_contents(found)
        self._report(found, left)
        if left.failures:
            self._requeue(key, _RETRY_NS)
        elif left.ends_in_time:
            self.queue.add_after(key, (left.seconds // 2 + 1) * SECOND_NS)
        elif left.seconds:
            self._requeue(key, (left.seconds // 2 + 1) * SECOND_NS)
        else:
            namespaces.finish(self.store, key)
            self.store.settle()

    def _requeue(self, key: str, delay_ns: int) -> None:
        """Once something has left, but not before some time has passed."""
        self._next_sync_ns[key] = self.clock.now_ns + delay_ns

    def _delete_contents(self, namespace: Json) -> _Left:
        left = _Left()
        found = namespaces.collections(self.store)
        for collection in found:
            if _holds_pods(collection):
                self._delete(collection, namespace, left)
        if left.resources:
            # While pods are left, all else waits, and nothing is reported to remain.
            return dataclasses.replace(left, resources=Counter(), finalizers=Counter())
        for collection in found:
            if not _holds_pods(collection):
                self._delete(collection, namespace, left)
        return left

    def _delete(self, collection: Collection, namespace: Json, left: _Left) -> None:
        name = namespace["metadata"]["name"]
        if not collection.count(name):
            return
        seconds = self._graceful_seconds(collection, namespace)
        self.store.delete_collection(collection.kind, name, BACKGROUND)
        remaining = [collection.objects[key] for key in collection.keys(name)]
        if not remaining:
            return
        kind = collection.kind
        left.resources[f"{kind.plural}.{kind.group}"] = len(remaining)
        finalizers = Counter(_finalizers(remaining))
        left.finalizers.update(finalizers)
        if seconds:
            left.seconds = max(left.seconds, seconds)
            left.ends_in_time = True
        elif finalizers:
            left.seconds = max(left.seconds, _FINALIZERS_SECONDS)
        else:
            left.failures.append(_unexpected(collection, name))

    def _graceful_seconds(self, collection: Collection, namespace: Json) -> int:
        """How long the pods of a namespace may take to end, unless that time is up."""
        if not _holds_pods(collection):
            return 0
        metadata = namespace["metadata"]
        found = (collection.objects[key] for key in collection.keys(metadata["name"]))
        seconds: int = max(
            (
                pod["spec"].get("terminationGracePeriodSeconds") or 0
                for pod in found
                if not pods.is_terminal(pod)
            ),
            default=0,
        )
        passed_ns = self.clock.unix_ns - timestamps.parse_time(metadata["deletionTimestamp"])
        return 0 if passed_ns >= seconds * SECOND_NS else seconds

    def _report(self, namespace: Json, left: _Left) -> None:
        """Write the conditions."""
        status = namespace.get("status") or {}
        now = timestamps.format_time(self.clock.unix_ns)
        troubles = _troubles(left)
        conditions = list(status.get("conditions") or ())
        for kind, fine in _FINE.items():
            state = "True" if kind in troubles else "False"
            reason, message = troubles.get(kind, fine)
            new = {
                "type": kind,
                "status": state,
                "lastTransitionTime": now,
                "reason": reason,
                "message": message,
            }
            old = pods.condition(status, kind)
            if old is not None and old["status"] == state:
                new["lastTransitionTime"] = old["lastTransitionTime"]
            conditions = pods.with_condition(conditions, new)
        name = namespace["metadata"]["name"]
        self.store.record_status(namespaces.NAMESPACE, name, {**status, "conditions": conditions})


def _holds_pods(collection: Collection) -> bool:
    return collection.kind.plural == "pods" and not collection.kind.group


def _finalizers(objects: Iterable[Json]) -> Iterable[str]:
    for obj in objects:
        yield from obj["metadata"].get("finalizers") or ()


def _unexpected(collection: Collection, name: str) -> str:
    kind = collection.kind
    resource = f"{kind.group}/{kind.version}, Resource={kind.plural}"
    return f"unexpected items still remain in namespace: {name} for gvr: {resource}"


def _troubles(left: _Left) -> dict[str, tuple[str, str]]:
    """The conditions about what is left, with reason and message."""
    found = {}
    if left.failures:
        kinds = ", ".join(sorted(left.failures))
        text = f"Failed to delete all resource types, {len(left.failures)} remaining: {kinds}"
        found[_CONTENT] = ("ContentDeletionFailed", text)
    if left.resources:
        kinds = ", ".join(
            sorted(
                f"{each} has {count} resource instances" for each, count in left.resources.items()
            )
        )
        found[_REMAINING] = ("SomeResourcesRemain", f"Some resources are remaining: {kinds}")
    if left.finalizers:
        kinds = ", ".join(
            sorted(
                f"{each} in {count} resource instances" for each, count in left.finalizers.items()
            )
        )
        text = f"Some content in the namespace has finalizers remaining: {kinds}"
        found[_FINALIZERS] = ("SomeFinalizersRemain", text)
    return found
