"""ReplicaSets and ReplicationControllers whose pods are there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.controllers import pods as pod_states
from kubestage.controllers.deployment import revisions
from kubestage.controllers.deployment.replica_sets import HASH_LABEL
from kubestage.controllers.ownership import controller_reference, labels_of
from kubestage.objects import labels as label_selectors
from kubestage.sources.owners import pod_template

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.aliases import Json
    from kubestage.sources.owners.known import Known
    from kubestage.sources.owners.rebuilding import Rebuilt

REBUILT: Final = "rebuilt from their pods, as the source does not have them"


class _Missing(NamedTuple):
    """A ReplicaSet that is not there: the reference to it, and its pods, the newest first."""

    reference: Json
    pods: list[Json]

    @property
    def newest(self) -> str:
        return str(self.pods[0]["metadata"].get("creationTimestamp") or "")


def complete(known: Known, rebuilt: Rebuilt) -> None:
    """Rebuild those that are missing; of each Deployment the one with its template as that."""
    by_deployment: dict[str, list[_Missing]] = {}
    for reference, pods in known.orphans("ReplicaSet").values():
        missing = _Missing(reference, sorted(pods, key=_age, reverse=True))
        deployment = _deployment_of(known, missing)
        if deployment is None:
            rebuilt.note(REBUILT, f"replicaset/{reference['name']}", len(pods))
            rebuilt.add(known, _of_pods(missing, "apps/v1"))
        else:
            by_deployment.setdefault(deployment["metadata"]["uid"], []).append(missing)
            rebuilt.note(REBUILT, f"replicaset/{reference['name']}", len(pods))
    for deployment in known.of_kind("Deployment"):
        sets = by_deployment.get(deployment["metadata"].get("uid", ""), ())
        for each in _of_deployment(known, deployment, sets):
            rebuilt.add(known, each)
    for reference, pods in known.orphans("ReplicationController").values():
        rebuilt.note(REBUILT, f"replicationcontroller/{reference['name']}", len(pods))
        rebuilt.add(known, _of_pods(_Missing(reference, pods), "v1"))


def _age(pod: Json) -> tuple[str, str]:
    metadata = pod["metadata"]
    return str(metadata.get("creationTimestamp") or ""), metadata["name"]


def _deployment_of(known: Known, missing: _Missing) -> Json | None:
    """The Deployment whose name is that of the ReplicaSet without the hash."""
    labels = labels_of(missing.pods[0])
    digest = labels.get(HASH_LABEL)
    name = missing.reference["name"]
    if not digest or not name.endswith(f"-{digest}"):
        return None
    namespace = missing.pods[0]["metadata"].get("namespace", "")
    found = known.find("Deployment", namespace, name.removesuffix(f"-{digest}"))
    if found is None or "uid" not in found["metadata"]:
        return None
    selector = label_selectors.from_label_selector(found["spec"]["selector"])
    return found if selector.matches(labels) else None


def _of_deployment(known: Known, deployment: Json, sets: Sequence[_Missing]) -> list[Json]:
    """The ReplicaSets of a Deployment: with the template of the newest that runs its images."""
    if not sets:
        return []
    current = None if _has_current(known, deployment) else _current(deployment, sets)
    return [_controlled(deployment, each, is_current=each is current) for each in sets]


def _has_current(known: Known, deployment: Json) -> bool:
    """Whether the source itself has the ReplicaSet of the Deployment's present revision."""
    revision = revisions.annotations_of(deployment).get(revisions.REVISION)
    uid = deployment["metadata"]["uid"]
    return any(
        revisions.annotations_of(each).get(revisions.REVISION) == revision
        and any(owner.get("uid") == uid for owner in each["metadata"].get("ownerReferences") or ())
        for each in known.of_kind("ReplicaSet")
    )


def _current(deployment: Json, sets: Sequence[_Missing]) -> _Missing | None:
    template = deployment["spec"]["template"]
    matching = [each for each in sets if pod_template.has_images_of(each.pods[0], template)]
    status = deployment.get("status") or {}
    is_rolled_out = status.get("replicas") == status.get("updatedReplicas")
    if not matching and is_rolled_out:
        # A webhook has changed the images of its pods.
        matching = list(sets)
    return max(matching, key=lambda each: each.newest, default=None)


def _controlled(deployment: Json, missing: _Missing, *, is_current: bool) -> Json:
    found = _of_pods(missing, "apps/v1")
    metadata, spec = found["metadata"], found["spec"]
    digest = labels_of(missing.pods[0])[HASH_LABEL]
    selector = deployment["spec"]["selector"]
    match_labels = {**(selector.get("matchLabels") or {}), HASH_LABEL: digest}
    spec["selector"] = {**selector, "matchLabels": match_labels}
    metadata["ownerReferences"] = [controller_reference(deployment)]
    if not is_current:
        return found
    template = deployment["spec"]["template"]
    described = template.get("metadata") or {}
    labels = {**(described.get("labels") or {}), HASH_LABEL: digest}
    spec["template"] = {**template, "metadata": {**described, "labels": labels}}
    spec["minReadySeconds"] = deployment["spec"].get("minReadySeconds") or 0
    metadata["labels"] = labels
    known = revisions.annotations_of(deployment)
    if revisions.REVISION in known:
        annotations = {revisions.REVISION: known[revisions.REVISION]}
        metadata["annotations"] = revisions.with_sizes(annotations, deployment["spec"])
    return found


def _of_pods(missing: _Missing, api_version: str) -> Json:
    """A set with as many replicas as it has pods."""
    reference, pods = missing
    first = pods[0]
    template = pod_template.of_pod(first)
    labels = dict(template["metadata"]["labels"])
    digest = labels_of(first).get(HASH_LABEL)
    if digest and api_version != "v1":
        labels[HASH_LABEL] = digest
        template["metadata"]["labels"] = labels
    active = [each for each in pods if pod_states.is_active(each)]
    ready = sum(map(pod_states.is_ready, active))
    counts = {"readyReplicas": ready, "availableReplicas": ready}
    status = {"replicas": len(active), "fullyLabeledReplicas": len(active), "observedGeneration": 1}
    return {
        "apiVersion": api_version,
        "kind": reference["kind"],
        "metadata": {
            "name": reference["name"],
            "namespace": first["metadata"].get("namespace", "default"),
            "uid": reference["uid"],
            "creationTimestamp": min(_age(each)[0] for each in pods),
            "generation": 1,
            "labels": labels,
        },
        "spec": {
            "replicas": len(active),
            "selector": labels if api_version == "v1" else {"matchLabels": labels},
            "template": template,
        },
        "status": status | ({} if not ready else counts),
    }
