"""The state of one sync of a Deployment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.deployment import revisions

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.store.event_recorder import EventRecorder
    from kubestage.store.store import Store


DEPLOYMENT: Final = ("apps/v1", "Deployment")
_FOR_EVER: Final = 2**31 - 1


class Rollout:
    """A Deployment during a sync, with its ReplicaSets, the oldest first.

    What is written of the Deployment is known here at once. Of the ReplicaSets, `new` has the
    Deployment's template, if there is one; they stay as they were found, so that what is decided
    and what is reported in one sync fit together.
    """

    __slots__ = ("deployment", "events", "key", "new", "old", "store")

    def __init__(
        self,
        store: Store,
        events: EventRecorder,
        key: str,
        deployment: Json,
        sets: list[Json],
        new: Json | None,
    ) -> None:
        self.store = store
        self.events = events
        self.key = key
        self.deployment = deployment
        self.new = new
        self.old = [each for each in sets if each is not new]

    @property
    def now_unix_ns(self) -> int:
        """The present moment."""
        return self.store.clock.unix_ns

    @property
    def spec(self) -> Json:
        """The spec of the Deployment."""
        spec: Json = self.deployment["spec"]
        return spec

    @property
    def replicas(self) -> int:
        """The desired number of pods."""
        count: int = self.deployment["spec"]["replicas"]
        return count

    @property
    def status(self) -> Json:
        """What the Deployment reports."""
        status: Json = self.deployment.get("status") or {}
        return status

    @property
    def conditions(self) -> list[Json]:
        """The Deployment's conditions."""
        conditions: list[Json] = self.status.get("conditions") or []
        return conditions

    @property
    def all(self) -> list[Json]:
        """All ReplicaSets, the new one last."""
        return [*self.old, self.new] if self.new is not None else self.old

    @property
    def has_deadline(self) -> bool:
        """Whether lack of progress is reported."""
        return self.spec.get("progressDeadlineSeconds") not in (None, _FOR_EVER)

    def record(self, status: Json) -> None:
        """Write a status."""
        self.deployment = self.store.record_status(DEPLOYMENT, self.key, status)

    def record_conditions(self, conditions: list[Json], revision: str | None = None) -> None:
        """Write conditions and, if one is given and it is another, the revision."""
        status = {**self.status, "conditions": conditions} if conditions else self.status
        annotations = revisions.annotations_of(self.deployment)
        if revision is None or annotations.get(revisions.REVISION) == revision:
            self.record(status)
            return
        metadata = {
            **self.deployment["metadata"],
            "annotations": {**annotations, revisions.REVISION: revision},
        }
        # A report of progress carries annotations along, though it leaves labels alone.
        changed = {**self.deployment, "metadata": metadata, "status": status}
        self.deployment = self.store.update(changed, subresource="status")
