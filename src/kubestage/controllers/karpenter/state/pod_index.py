"""Pods by what rounds ask for again and again, so that they need not look at all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.controllers.karpenter.state import pod_state
from kubestage.controllers.karpenter.state.objects import order_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.aliases import Json


class PodList:
    """Some pods, by namespace and name; the list is kept until something changes."""

    def __init__(self) -> None:
        self._pods: dict[str, Json] = {}
        self._listed: list[Json] | None = None

    @property
    def listed(self) -> list[Json]:
        """The pods; not to be changed."""
        if self._listed is None:
            self._listed = sorted(self._pods.values(), key=order_of)
        return self._listed

    def put(self, key: str, pod: Json | None) -> None:
        """Add a pod, or a new version of it; with None, take it off the list."""
        if pod is not None:
            self._pods[key] = pod
            self._listed = None
        elif self._pods.pop(key, None) is not None:
            self._listed = None


class PodIndex:
    """The latest versions of pods that are on no node, or keep others away, or are controlled."""

    def __init__(self) -> None:
        self.unbound = PodList()
        self.repelling = PodList()
        self._controlled: dict[str | None, dict[str, Json]] = {}
        self._newest: dict[str | None, Json | None] = {}
        self._seen: dict[str | None, Json] = {}

    def newest_of(self, owner: Json) -> Json | None:
        """The newest of the pods that an object controls in its namespace; by name, the first.

        Once there is none any more, it is the last one that was found.
        """
        metadata = owner["metadata"]
        uid = metadata.get("uid")
        if uid not in self._newest:
            own = [
                pod
                for pod in self._controlled.get(uid, {}).values()
                if pod["metadata"].get("namespace") == metadata.get("namespace")
            ]
            newest = max(map(_created, own), default="")
            self._newest[uid] = min(
                (pod for pod in own if _created(pod) == newest), key=order_of, default=None
            )
        found = self._newest[uid]
        if found is not None:
            self._seen[uid] = found
        return self._seen.get(uid)

    def put(self, pod: Json, before: Json | None) -> None:
        """Add a pod, or a new version of it."""
        if before is not None and not _has_same_owners(before, pod):
            self.remove(before)
        key, spec = pod_state.key_of(pod), pod.get("spec") or {}
        for uid in _controllers(pod):
            self._controlled.setdefault(uid, {})[key] = pod
            self._newest.pop(uid, None)
        self.unbound.put(key, None if spec.get("nodeName") else pod)
        self.repelling.put(key, pod if _repels(spec) else None)

    def remove(self, pod: Json) -> None:
        """Forget a pod."""
        key = pod_state.key_of(pod)
        for uid in _controllers(pod):
            of_owner = self._controlled.get(uid, {})
            of_owner.pop(key, None)
            self._newest.pop(uid, None)
            if not of_owner:
                self._controlled.pop(uid, None)
        self.unbound.put(key, None)
        self.repelling.put(key, None)


def _repels(spec: Json) -> bool:
    stated = (spec.get("affinity") or {}).get("podAntiAffinity") or {}
    return bool(stated.get("requiredDuringSchedulingIgnoredDuringExecution"))


def _controllers(pod: Json) -> list[str | None]:
    return [owner.get("uid") for owner in _owners(pod) if owner.get("controller")]


def _has_same_owners(before: Json, pod: Json) -> bool:
    was, now = _owners(before), _owners(pod)
    return was is now or was == now


def _created(obj: Json) -> str:
    return obj["metadata"].get("creationTimestamp") or ""


def _owners(pod: Json) -> Iterable[Json]:
    found: Iterable[Json] = pod["metadata"].get("ownerReferences") or ()
    return found
