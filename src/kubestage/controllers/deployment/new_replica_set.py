"""The ReplicaSet of a Deployment's present template."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.controllers import ownership, pod_control
from kubestage.controllers.deployment import conditions, fenceposts, replica_sets, revisions
from kubestage.controllers.deployment.replica_sets import HASH_LABEL, REPLICA_SET
from kubestage.errors import AlreadyExists, ApiError
from kubestage.objects import hashing
from kubestage.store.event_recorder import NORMAL, WARNING

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.deployment.rollout import Rollout


def keep_up(rollout: Rollout) -> None:
    """Update the new ReplicaSet, if there is one, with what the Deployment states."""
    new, deployment = rollout.new, rollout.deployment
    if new is None:
        return
    known = revisions.annotations_of(new)
    revision = revisions.newest(rollout.old) + 1
    annotations, has_changed = revisions.for_new(deployment, known, revision)
    min_ready_seconds = rollout.spec.get("minReadySeconds") or 0
    if has_changed or (new["spec"].get("minReadySeconds") or 0) != min_ready_seconds:
        metadata = {**new["metadata"], "annotations": annotations}
        spec = {**new["spec"], "minReadySeconds": min_ready_seconds}
        rollout.new = rollout.store.update({**new, "metadata": metadata, "spec": spec})
        return
    desired, current = known.get(revisions.REVISION, ""), rollout.conditions
    is_known = revisions.annotations_of(deployment).get(revisions.REVISION) == desired
    progress = conditions.find(current, conditions.PROGRESSING)
    if rollout.has_deadline and progress is None:
        text = f'Found new replica set "{replica_sets.name(new)}"'
        current = _progressing(rollout, "True", conditions.FOUND_NEW, text)
    elif is_known:
        return
    rollout.record_conditions(current, desired)


def create(rollout: Rollout) -> None:
    """Create the ReplicaSet of a new template; a failure is reported, and raised.

    If the name that the template gives is taken by something else, the next sync tries another.
    """
    template = _hashed_template(rollout)
    revision = revisions.newest(rollout.old) + 1
    size = first_size(rollout)
    desired = _manifest(rollout, template, revision, size)
    name = replica_sets.name(desired)
    try:
        created = rollout.store.create(desired)
    except AlreadyExists:
        found = rollout.store.get(REPLICA_SET, name, desired["metadata"]["namespace"])
        if not _is_ours(rollout, found):
            collisions = rollout.status.get("collisionCount") or 0
            rollout.record({**rollout.status, "collisionCount": collisions + 1})
            raise
        rollout.new = found
        rollout.record_conditions(rollout.conditions, str(revision))
        return
    except ApiError as error:
        if not pod_control.is_namespace_ending(error):
            _report_failure(rollout, name, error)
        raise
    rollout.new = created
    if size > 0:
        text = f"Scaled up replica set {name} from 0 to {size}"
        rollout.events.event(rollout.deployment, NORMAL, "ScalingReplicaSet", text)
    current = rollout.conditions
    if rollout.has_deadline:
        text = f'Created new replica set "{name}"'
        current = _progressing(rollout, "True", conditions.NEW_REPLICA_SET, text)
    rollout.record_conditions(current, str(revision))


def next_size(rollout: Rollout, new: Json) -> int:
    """How large the new ReplicaSet may be now."""
    return _grown(rollout, replica_sets.total_replicas(rollout.all), replica_sets.replicas(new))


def first_size(rollout: Rollout) -> int:
    """The initial size of the new ReplicaSet."""
    return _grown(rollout, replica_sets.total_replicas(rollout.old), 0)


def _grown(rollout: Rollout, total: int, size: int) -> int:
    if not fenceposts.is_rolling(rollout.spec):
        return rollout.replicas
    room = rollout.replicas + fenceposts.max_surge(rollout.spec) - total
    return size + min(room, rollout.replicas - size) if room > 0 else size


def _hashed_template(rollout: Rollout) -> Json:
    template = rollout.spec["template"]
    digest = hashing.pod_template_hash(template, rollout.status.get("collisionCount"))
    metadata = template.get("metadata") or {}
    labels = {**(metadata.get("labels") or {}), HASH_LABEL: digest}
    return {**template, "metadata": {**metadata, "labels": labels}}


def _manifest(rollout: Rollout, template: Json, revision: int, size: int) -> Json:
    deployment, spec = rollout.deployment, rollout.spec
    labels = template["metadata"]["labels"]
    selector = spec["selector"]
    match_labels = {**(selector.get("matchLabels") or {}), HASH_LABEL: labels[HASH_LABEL]}
    annotations, _ = revisions.for_new(deployment, {}, revision)
    name = hashing.replica_set_name(deployment["metadata"]["name"], labels[HASH_LABEL])
    return {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": {
            "name": name,
            "namespace": deployment["metadata"]["namespace"],
            "labels": labels,
            "annotations": revisions.with_sizes(annotations, spec),
            "ownerReferences": [ownership.controller_reference(deployment)],
        },
        "spec": {
            "replicas": size,
            "minReadySeconds": spec.get("minReadySeconds") or 0,
            "selector": {**selector, "matchLabels": match_labels},
            "template": template,
        },
    }


def _is_ours(rollout: Rollout, found: Json) -> bool:
    if not ownership.is_controlled_by(found, rollout.deployment):
        return False
    return replica_sets.have_same_template(rollout.spec["template"], found["spec"]["template"])


def _report_failure(rollout: Rollout, name: str, error: ApiError) -> None:
    text = f'Failed to create new replica set "{name}": {error.message}'
    if rollout.has_deadline:
        current = _progressing(rollout, "False", conditions.FAILED_CREATE, text)
        rollout.record_conditions(current)
    rollout.events.event(rollout.deployment, WARNING, conditions.FAILED_CREATE, text)


def _progressing(rollout: Rollout, status: str, reason: str, message: str) -> list[Json]:
    now_ns = rollout.now_unix_ns
    condition = conditions.new(conditions.PROGRESSING, status, reason, message, now_ns)
    return conditions.put(rollout.conditions, condition)
