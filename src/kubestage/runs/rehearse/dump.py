"""What ``kubectl get -o yaml`` has written: whether it is all that a rehearsal needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.ownership import controller_of
from kubestage.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kubestage.aliases import Json
    from kubestage.objects.manifest import Document
    from kubestage.runs.inputs.manifests import LoadedManifests

COMMAND: Final = (
    "kubectl get nodes,pods,replicasets,deployments,statefulsets,daemonsets,jobs,cronjobs,"
    "replicationcontrollers,poddisruptionbudgets,horizontalpodautoscalers,services,"
    "persistentvolumeclaims,persistentvolumes,storageclasses,priorityclasses,resourcequotas,"
    "limitranges,namespaces -A -o yaml > cluster.yaml"
)
"""Dumps all that matters to a rehearsal."""

_CONTROLLERS: Final = {
    "CronJob", "DaemonSet", "Deployment", "Job", "ReplicaSet", "ReplicationController",
    "StatefulSet",
}  # fmt: skip
_DEEPEST: Final = 10


def check(loaded: LoadedManifests) -> None:
    """Refuse a dump without the controllers of its pods: nothing would replace one of them."""
    known = {_uid(document.object) for document in loaded.documents}
    for document in loaded.documents:
        obj = document.object
        if not _uid(obj):
            continue
        owner = controller_of(obj)
        if owner is None or owner.get("kind") not in _CONTROLLERS or owner.get("uid") in known:
            continue
        name = obj["metadata"].get("name")
        kind = f"{owner['kind'].lower()}/{owner.get('name')}"
        raise loaded.place(
            document,
            InputError(
                f"{obj['kind'].lower()}/{name} belongs to {kind}, which is not in the files",
                path="metadata.ownerReferences",
                fix=f"dump all that a rehearsal needs: {COMMAND}",
            ),
        )


def ordered(documents: Sequence[Document]) -> list[Document]:
    """Documents in an order in which nothing comes before what owns it."""
    by_uid = {_uid(each.object): each.object for each in documents}
    return sorted(documents, key=lambda each: _depth(each.object, by_uid))


def _depth(obj: Json, by_uid: Mapping[str, Json]) -> int:
    for depth in range(_DEEPEST):
        owner = controller_of(obj) if _uid(obj) else None
        above = None if owner is None else by_uid.get(owner.get("uid", ""))
        if above is None:
            return depth
        obj = above
    return _DEEPEST


def _uid(obj: Json) -> str:
    metadata = obj.get("metadata")
    uid = metadata.get("uid") if isinstance(metadata, dict) else None
    return uid if isinstance(uid, str) else ""
