"""Making and deleting pods on behalf of an owner, with the Events that upstream writes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.controllers.ownership import controller_reference
from kubestage.controllers.pods import POD
from kubestage.errors import ApiError, NotFound
from kubestage.objects.validation import names
from kubestage.store.event_recorder import NORMAL, WARNING

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.store.event_recorder import EventRecorder
    from kubestage.store.store import Store


def from_template(template: Json, owner: Json) -> Json:
    """A pod of a template that an owner controls; its name begins with the owner's."""
    described = template.get("metadata") or {}
    name = owner["metadata"]["name"]
    metadata: Json = {
        "generateName": prefix(name),
        "namespace": owner["metadata"]["namespace"],
    }
    for field in ("labels", "annotations", "finalizers"):
        if described.get(field):
            metadata[field] = described[field]
    metadata["ownerReferences"] = [controller_reference(owner)]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": template.get("spec") or {},
    }


def prefix(owner_name: str) -> str:
    """What the names of an owner's pods begin with: a dash is added where that makes a name."""
    dashed = f"{owner_name}-"
    return owner_name if names.name_is_dns_subdomain(dashed, prefix=True) else dashed


class PodControl:
    """Creates and deletes pods through the store."""

    def __init__(self, store: Store, events: EventRecorder) -> None:
        self._store = store
        self._events = events

    def create(self, pod: Json, owner: Json) -> Json:
        """Create a pod; an error is reported as an Event and raised."""
        created = self._create(pod, owner)
        self._report_created(created, owner)
        return created

    def create_many(self, pod: Json, owner: Json, count: int) -> ApiError | None:
        """Create pods as if at once: the first refusal, unless the namespace is about to go.

        An error is reported before any success, because it returns without a pod being written.
        """
        refusal, created = None, []
        for _ in range(count):
            try:
                created.append(self._create(pod, owner))
            except ApiError as error:
                if not is_namespace_ending(error):
                    refusal = refusal or error
        for each in created:
            self._report_created(each, owner)
        return refusal

    def _create(self, pod: Json, owner: Json) -> Json:
        try:
            return self._store.create(pod)
        except ApiError as error:
            if not is_namespace_ending(error):
                text = f"Error creating: {error.message}"
                self._events.event(owner, WARNING, "FailedCreate", text)
            raise

    def _report_created(self, pod: Json, owner: Json) -> None:
        text = f"Created pod: {pod['metadata']['name']}"
        self._events.event(owner, NORMAL, "SuccessfulCreate", text)

    def delete(self, pod: Json, owner: Json) -> None:
        """Delete a pod; one that is gone is passed on as NotFound, as upstream does."""
        metadata = pod["metadata"]
        try:
            self._store.delete(POD, metadata["name"], metadata["namespace"])
        except NotFound:
            raise
        except ApiError as error:
            text = f"Error deleting: {error.message}"
            self._events.event(owner, WARNING, "FailedDelete", text)
            raise
        name = metadata["name"]
        self._events.event(owner, NORMAL, "SuccessfulDelete", f"Deleted pod: {name}")


def is_namespace_ending(error: ApiError) -> bool:
    """Whether a creation was refused because its namespace is about to go."""
    causes = error.details.get("causes") or ()
    return any(cause.get("reason") == "NamespaceTerminating" for cause in causes)
