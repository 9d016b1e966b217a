"""Rollback to the template of an earlier revision, as requested by an annotation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.controllers.deployment import new_replica_set, replica_sets, revisions
from kubestage.store.event_recorder import NORMAL, WARNING

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.deployment.rollout import Rollout


def desired(deployment: Json) -> int | None:
    """The revision to go back to, 0 for the one before; None if none is requested."""
    text = revisions.annotations_of(deployment).get(revisions.ROLLBACK_TO)
    return revisions.number(text) if text else None


def roll_back(rollout: Rollout, revision: int) -> None:
    """Take the template of a revision over, and see the request as answered in any case."""
    if rollout.new is None:
        new_replica_set.create(rollout)
    revision = revision or revisions.last(rollout.all)
    if not revision:
        _warn(rollout, "DeploymentRollbackRevisionNotFound", "Unable to find last revision.")
        _answer(rollout, rollout.deployment)
        return
    for each in rollout.all:
        if revisions.revision(each) == revision:
            _take_over(rollout, each, revision)
            return
    text = "Unable to find the revision to rollback to."
    _warn(rollout, "DeploymentRollbackRevisionNotFound", text)
    _answer(rollout, rollout.deployment)


def _take_over(rollout: Rollout, replica_set: Json, revision: int) -> None:
    deployment, template = rollout.deployment, replica_set["spec"]["template"]
    name = deployment["metadata"]["name"]
    if replica_sets.have_same_template(rollout.spec["template"], template):
        text = f'The rollback revision contains the same template as current deployment "{name}"'
        _warn(rollout, "DeploymentRollbackTemplateUnchanged", text)
        _answer(rollout, deployment)
        return
    # The annotations of the revision come back with it, or they would be lost to the present ones.
    present = revisions.annotations_of(deployment)
    annotations = {key: text for key, text in present.items() if key in revisions.OWN}
    theirs = revisions.annotations_of(replica_set)
    annotations |= {key: text for key, text in theirs.items() if key not in revisions.OWN}
    spec = {**rollout.spec, "template": replica_sets.without_hash(template)}
    metadata = {**deployment["metadata"], "annotations": annotations}
    _answer(rollout, {**deployment, "metadata": metadata, "spec": spec})
    text = f'Rolled back deployment "{name}" to revision {revision}'
    rollout.events.event(rollout.deployment, NORMAL, "DeploymentRollback", text)


def _answer(rollout: Rollout, deployment: Json) -> None:
    annotations = dict(revisions.annotations_of(deployment))
    annotations.pop(revisions.ROLLBACK_TO, None)
    metadata = {**deployment["metadata"], "annotations": annotations}
    rollout.deployment = rollout.store.update({**deployment, "metadata": metadata})


def _warn(rollout: Rollout, reason: str, message: str) -> None:
    rollout.events.event(rollout.deployment, WARNING, reason, message)
