"""What is left of a world without its names by chance, uids, addresses, times and places."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from tests.controllers.worlds import reading

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.store.store import Store


_LEFT_OUT: Final = ("Event", "Lease", "Node", "Endpoints")
_BY_CHANCE: Final = {
    "batch.kubernetes.io/controller-uid", "claimRef", "clusterIP", "clusterIPs", "collisionCount",
    "completionTime", "containerID", "controller-uid", "creationTimestamp",
    "deployment.kubernetes.io/revision", "endpoints",
    "endpoints.kubernetes.io/last-change-trigger-time", "finishedAt", "generation", "hostIP",
    "hostIPs", "lastPhaseTransitionTime", "lastProbeTime", "lastScheduleTime",
    "lastSuccessfulTime", "lastTransitionTime", "lastUpdateTime", "matchFields", "nodeName",
    "observedGeneration", "ownerReferences", "podIP", "podIPs", "resourceVersion", "revision",
    "startTime", "startedAt", "uid", "volume.kubernetes.io/selected-node", "volumeHandle",
    "volumeName",
}  # fmt: skip


def of(store: Store) -> list[str]:
    """Every object as a line of text, in an order of its own."""
    lines = []
    for collection in store.collections():
        kind = collection.kind.kind
        if kind not in _LEFT_OUT:
            lines += [f"{kind} {_text(obj)}" for obj in collection.objects.values()]
    return sorted(lines)


def _text(obj: Json) -> str:
    metadata = dict(obj["metadata"])
    owner = reading.controller(obj)
    if "generateName" in metadata:
        del metadata["name"]
    if obj["kind"] == "PersistentVolume":
        del metadata["name"]
    told = {**obj, "metadata": metadata, "controller": (owner or {}).get("kind")}
    return json.dumps(_stripped(told), sort_keys=True)


def _stripped(value: Any) -> Any:
    if isinstance(value, dict):
        kept = {key: _stripped(part) for key, part in value.items() if key not in _BY_CHANCE}
        return {key: part for key, part in kept.items() if part != {}}
    if isinstance(value, list):
        return [_stripped(each) for each in value]
    return value
