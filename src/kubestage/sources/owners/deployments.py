"""Deployments whose ReplicaSets are there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.deployment import replica_sets, revisions

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.sources.owners.known import Known
    from kubestage.sources.owners.rebuilding import Rebuilt

_REBUILT: Final = "rebuilt from their ReplicaSets, as the source does not have them"


def complete(known: Known, rebuilt: Rebuilt) -> None:
    """Rebuild Deployments from their newest ReplicaSet."""
    for reference, sets in known.orphans("Deployment", among="ReplicaSet").values():
        pods = replica_sets.total_replicas(sets)
        rebuilt.note(_REBUILT, f"deployment/{reference['name']}", pods)
        rebuilt.add(known, _of_sets(reference, sets, pods))


def _of_sets(reference: Json, sets: list[Json], pods: int) -> Json:
    newest = max(sets, key=lambda each: (revisions.revision(each) or 0, replica_sets.age(each)))
    desired = revisions.size(newest, revisions.DESIRED_REPLICAS)
    selector = newest["spec"]["selector"]
    match_labels = dict(selector.get("matchLabels") or {})
    match_labels.pop(replica_sets.HASH_LABEL, None)
    revision = revisions.annotations_of(newest).get(revisions.REVISION)
    metadata: Json = {
        "name": reference["name"],
        "namespace": newest["metadata"].get("namespace", "default"),
        "uid": reference["uid"],
        "creationTimestamp": min(replica_sets.age(each)[0] for each in sets),
        "generation": 1,
    }
    if revision is not None:
        metadata["annotations"] = {revisions.REVISION: revision}
    ready = sum(replica_sets.reported(each, "readyReplicas") for each in sets)
    counts = {"readyReplicas": ready, "availableReplicas": ready} if ready else {}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": metadata,
        "spec": {
            "replicas": pods if desired is None else desired,
            "selector": {**selector, "matchLabels": match_labels},
            "template": replica_sets.without_hash(newest["spec"]["template"]),
        },
        "status": {
            "observedGeneration": 1,
            "replicas": pods,
            "updatedReplicas": replica_sets.replicas(newest),
            **counts,
        },
    }
