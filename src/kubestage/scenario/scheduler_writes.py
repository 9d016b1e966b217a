"""What a scheduler may write while it schedules: it binds and preempts, and nothing else.

The document supports schedulers that create, edit and delete no resources but by that. Beside it
they report what they did, and note what their pods get: volumes, claims, devices.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.errors import KubestageError
from kubestage.scenario.kss_annotations import is_result
from kubestage.store.log import ADDED, DELETED

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.store.log import Change


REPORTS: Final = frozenset({"Event", "Lease"})
CLAIMS: Final = frozenset({"PersistentVolume", "PersistentVolumeClaim", "ResourceClaim"})


class ForeignWrite(KubestageError):
    """A scheduler wrote what it must not: the Scenario fails, with these words."""


def is_allowed(change: Change) -> bool:
    """Whether a change is one that a scheduler may make, or that follows from one."""
    kind, new, old = change.kind.kind, change.new, change.old
    if kind in REPORTS or kind in CLAIMS:
        return True
    if kind != "Pod" or change.kind.group:
        # What belonged to a victim goes with it.
        return change.type == DELETED and bool(new["metadata"].get("ownerReferences"))
    if change.type == ADDED or old is None:
        return False
    if change.type == DELETED or "deletionTimestamp" in new["metadata"]:
        return bool(new["spec"].get("nodeName"))
    if new["spec"].get("nodeName") and not old["spec"].get("nodeName"):
        return True
    return bool(old["spec"] == new["spec"] and _labels(old) == _labels(new))


def _labels(obj: Json) -> tuple[Any, Json]:
    """The labels and annotations of a pod, without those that hold results of scheduling."""
    metadata = obj["metadata"]
    annotations = metadata.get("annotations") or {}
    others = {key: annotations[key] for key in annotations if not is_result(key)}
    return metadata.get("labels"), others
