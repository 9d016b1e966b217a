"""Creating, repairing and deleting the pods of a StatefulSet, with upstream's Events."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.controllers.controller import Retry
from kubestage.controllers.pods import POD
from kubestage.controllers.statefulset import identity
from kubestage.controllers.statefulset.claims import ClaimControl
from kubestage.errors import AlreadyExists, ApiError, KubestageError, NotFound
from kubestage.store.event_recorder import NORMAL, WARNING

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.store.event_recorder import EventRecorder
    from kubestage.store.store import Store


class StatefulPodControl:
    """Acts on one pod at a time; an error of the API is reported as an Event and raised."""

    def __init__(self, store: Store, events: EventRecorder) -> None:
        self._store = store
        self._events = events
        self.claims = ClaimControl(store, events)

    def create(self, stateful_set: Json, pod: Json) -> None:
        """Make a pod's claims, then the pod."""
        try:
            self.claims.make_missing(stateful_set, pod)
        except Retry as error:
            self._report("Create", stateful_set, pod, error)
            raise
        refusal: ApiError | None = None
        try:
            self._store.create(pod)
        except AlreadyExists:
            # A pod of another owner has the name. Upstream waits without an Event.
            raise
        except ApiError as error:
            refusal = error
        self._set_claim_owners(stateful_set, pod)
        self._report("Create", stateful_set, pod, refusal)
        if refusal is not None:
            raise refusal

    def make_missing_claims(self, stateful_set: Json, pod: Json) -> None:
        """Make the claims that a waiting pod lacks."""
        self.claims.make_missing(stateful_set, pod)
        self._set_claim_owners(stateful_set, pod)

    def _set_claim_owners(self, stateful_set: Json, pod: Json) -> None:
        try:
            self.claims.set_owners(stateful_set, pod, in_range=True)
        except ApiError as error:
            self._report("Update", stateful_set, pod, error)
            raise

    def mend(self, stateful_set: Json, pod: Json) -> None:
        """Give a pod the identity and the claims that it should have."""
        mended = pod
        if not identity.has_identity(stateful_set, pod):
            mended = identity.identified(stateful_set, pod)
        if not identity.has_storage(stateful_set, pod):
            mended = identity.with_storage(stateful_set, mended)
            try:
                self.claims.make_missing(stateful_set, pod)
            except Retry as error:
                self._report("Update", stateful_set, pod, error)
                raise
        claims_are_right = self.claims.are_owned_by_policy(stateful_set, pod, in_range=True)
        if not claims_are_right:
            self._set_claim_owners(stateful_set, pod)
        elif mended is pod:
            return
        try:
            self._store.update(mended)
        except ApiError as error:
            self._report("Update", stateful_set, pod, error)
            raise
        self._report("Update", stateful_set, pod)

    def delete(self, stateful_set: Json, pod: Json) -> None:
        """Delete a pod; one that is gone already was deleted too."""
        metadata = pod["metadata"]
        try:
            self._store.delete(POD, metadata["name"], metadata["namespace"])
        except NotFound:
            pass
        except ApiError as error:
            self._report("Delete", stateful_set, pod, error)
            raise
        self._report("Delete", stateful_set, pod)

    def _report(
        self, verb: str, stateful_set: Json, pod: Json, error: KubestageError | None = None
    ) -> None:
        names = f"Pod {pod['metadata']['name']} in StatefulSet {stateful_set['metadata']['name']}"
        if error is None:
            text = f"{verb} {names} successful"
            self._events.event(stateful_set, NORMAL, f"Successful{verb}", text)
        else:
            text = f"{verb} {names} failed error: {error}"
            self._events.event(stateful_set, WARNING, f"Failed{verb}", text)
