"""What the control plane lists of one namespace, because of pods and claims in it.

LimitRanger lists the limits of a namespace that has none, as its cache may be behind, and keeps
the answer for 30 seconds. The controller that protects claims lists the pods of a namespace before
it lets a claim go; claims that go meanwhile share the answer.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from kubestage.cluster.endpoints import NAMESPACE
from kubestage.cluster.listed import Listed
from kubestage.cluster.priority_levels import EXEMPT, WORKLOAD_HIGH
from kubestage.controllers.volumes.storage_names import CLAIM_PROTECTION
from kubestage.objects import gvk
from kubestage.store.log import ADDED, DELETED

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.cluster.api_server import ApiServer
    from kubestage.store.log import Change
    from kubestage.store.store import Store

_CACHED_NS: Final = 30_000_000_000
_LIMIT_RANGE: Final = ("v1", "LimitRange")


class NamespaceReads:
    """Observes pods and claims, and counts lists of their namespaces."""

    def __init__(self, store: Store, api: ApiServer) -> None:
        self._store = store
        self._clock = store.clock
        self._api = api
        self._limits = api.endpoints.find("LIST", store.kind(_LIMIT_RANGE), scope=NAMESPACE)
        # It was done for the pods of the control plane itself.
        self._limits.was_called = True
        self._listed_pods = api.endpoints.find("LIST", store.kind(gvk.POD), scope=NAMESPACE)
        self._pods = Counter(key.partition("/")[0] for key in store.read(gvk.POD))
        # By namespace: how long the answer that there are no limits is kept, and when the list
        # of pods that is under way will be there.
        self._cached_until_ns: dict[str, int] = {}
        self._arrives_ns: dict[str, int] = {}

    def on_pod(self, change: Change) -> None:
        """Observe a pod that comes or goes."""
        namespace = change.new["metadata"]["namespace"]
        if change.type == ADDED:
            self._pods[namespace] += 1
            self._check_limits(namespace)
        else:
            self._pods[namespace] -= 1

    def on_claim(self, change: Change) -> None:
        """Observe a change of a claim."""
        old, metadata = change.old, change.new["metadata"]
        if change.type == ADDED or (old is not None and _is_updated(old, change)):
            self._check_limits(metadata["namespace"])
        elif old is not None and _is_let_go(old, change):
            self._list_pods(metadata["namespace"])

    def forget(self, namespace: str) -> None:
        """The namespace is gone."""
        for known in (self._pods, self._cached_until_ns, self._arrives_ns):
            known.pop(namespace, None)

    def _check_limits(self, namespace: str) -> None:
        now_ns = self._clock.now_ns
        if now_ns <= self._cached_until_ns.get(namespace, -1):
            return
        prefix = f"{namespace}/"
        if any(key.startswith(prefix) for key in self._store.read(_LIMIT_RANGE)):
            return
        ends_ns = self._api.wait(self._limits, now_ns, EXEMPT)
        self._cached_until_ns[namespace] = ends_ns + _CACHED_NS

    def _list_pods(self, namespace: str) -> None:
        now_ns = self._clock.now_ns
        if now_ns >= self._arrives_ns.get(namespace, 0):
            pods = Listed(self._pods[namespace], len(self._store.read(gvk.POD)))
            self._arrives_ns[namespace] = self._api.wait(
                self._listed_pods, now_ns, WORKLOAD_HIGH, pods
            )


def _is_updated(old: Json, change: Change) -> bool:
    """Whether a claim itself is updated; one that is deleted is not checked."""
    return (
        change.type != DELETED
        and old.get("status") is change.new.get("status")
        and "deletionTimestamp" not in old["metadata"]
        and "deletionTimestamp" not in change.new["metadata"]
    )


def _is_let_go(old: Json, change: Change) -> bool:
    """Whether a claim that is deleted loses its protection."""
    before = old["metadata"]
    if "deletionTimestamp" not in before or CLAIM_PROTECTION not in before.get("finalizers", ()):
        return False
    left = change.new["metadata"].get("finalizers") or ()
    return change.type == DELETED or CLAIM_PROTECTION not in left
