"""Which pods the loop of Jobs still has to process, updated change by change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.ownership import controller_of

if TYPE_CHECKING:
    from collections.abc import Collection

    from kubestage.aliases import Json
    from kubestage.store.log import Change


TRACKING: Final = "batch.kubernetes.io/job-tracking"

_NONE: Final[dict[str, Json]] = {}


def is_tracked(pod: Json) -> bool:
    """Whether a pod is held until its Job has counted it."""
    return TRACKING in (pod["metadata"].get("finalizers") or ())


def replaces_only_failed(spec: Json) -> bool:
    """Whether a pod that is being deleted has to end before another takes its place."""
    return spec.get("podReplacementPolicy") == "Failed" or spec.get("podFailurePolicy") is not None


def has_failed(pod: Json, spec: Json) -> bool:
    """Whether a Job takes a pod for failed: by default as soon as it is deleted."""
    phase = (pod.get("status") or {}).get("phase")
    if phase == "Failed":
        return True
    if phase == "Succeeded" or "deletionTimestamp" not in pod["metadata"]:
        return False
    return not replaces_only_failed(spec)


class JobPods:
    """The pods of each Job, by the Job's uid, that have not ended or have not been counted.

    A pod that has ended and has no finalizer changes nothing any more, so a Job of many pods
    costs what its present ones cost.
    """

    def __init__(self) -> None:
        self._pods: dict[str, dict[str, Json]] = {}

    def pods_of(self, uid: str) -> Collection[Json]:
        """A Job's pods in the order in which they came."""
        return self._pods.get(uid, _NONE).values()

    def observe(self, change: Change, uid: str | None, old_uid: str | None) -> None:
        """Follow a pod that belongs to one Job now, and maybe to another before."""
        if old_uid is not None and old_uid != uid:
            self._drop(old_uid, change.key)
        if uid is None:
            return
        pod = change.new
        if change.type == "DELETED" or _is_done(pod):
            self._drop(uid, change.key)
            return
        known = self._pods.get(uid)
        if known is None:
            self._pods[uid] = {change.key: pod}
        else:
            known[change.key] = pod

    def _drop(self, uid: str, key: str) -> None:
        known = self._pods.get(uid)
        if known is not None and known.pop(key, None) is not None and not known:
            del self._pods[uid]


def _is_done(pod: Json) -> bool:
    phase = (pod.get("status") or {}).get("phase")
    return phase in ("Succeeded", "Failed") and not is_tracked(pod)


def job_reference(pod: Json | None) -> Json | None:
    """The reference to the Job that controls a pod, if it is a Job that does."""
    reference = None if pod is None else controller_of(pod)
    return reference if reference is not None and reference["kind"] == "Job" else None
