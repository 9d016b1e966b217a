"""The claims of a StatefulSet's pods: made before the pods, and owned as the set's policy says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.controllers.controller import Retry
from kubestage.controllers.event_recorder import NORMAL, WARNING
from kubestage.controllers.statefulset import identity, retention
from kubestage.errors import AlreadyExists, ApiError
from kubestage.objects import gvk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.controllers.event_recorder import EventRecorder
    from kubestage.store.store import Store


class ClaimControl:
    """Makes claims and gives them their owners."""

    def __init__(self, store: Store, events: EventRecorder) -> None:
        self._store = store
        self._claims = store.read(gvk.PERSISTENT_VOLUME_CLAIM)
        self._events = events

    def make_missing(self, stateful_set: Json, pod: Json) -> None:
        """Make the claims that a pod lacks; Retry says which could not be had."""
        problems: list[str] = []
        for template, key in _claims(stateful_set, pod):
            found = self._claims.get(key)
            if found is None:
                problems += self._make(stateful_set, pod, template)
            elif "deletionTimestamp" in found["metadata"]:
                problems.append(f"pvc {found['metadata']['name']} is being deleted")
        if problems:
            raise Retry(aggregate(problems))

    def _make(self, stateful_set: Json, pod: Json, template: Json) -> list[str]:
        claim = new_claim(stateful_set, template, pod["metadata"]["name"])
        name = claim["metadata"]["name"]
        set_name, pod_name = stateful_set["metadata"]["name"], pod["metadata"]["name"]
        try:
            self._store.create(claim)
        except ApiError as error:
            if not isinstance(error, AlreadyExists):
                text = (
                    f"Create Claim {name} for Pod {pod_name} in StatefulSet {set_name}"
                    f" failed error: {error.message}"
                )
                self._events.event(stateful_set, WARNING, "FailedCreate", text)
            return [f"failed to create PVC {name}: {error.message}"]
        text = f"Create Claim {name} Pod {pod_name} in StatefulSet {set_name} success"
        self._events.event(stateful_set, NORMAL, "SuccessfulCreate", text)
        return []

    def are_stale(self, stateful_set: Json, pod: Json) -> bool:
        """Whether a claim of a new pod still belongs to the pod before it, and is to go."""
        if not retention.claims_may_be_stale(stateful_set):
            return False
        found = (self._claims.get(key) for _, key in _claims(stateful_set, pod))
        return any(claim is not None and retention.has_stale_owner(claim, pod) for claim in found)

    def are_owned_by_policy(self, stateful_set: Json, pod: Json, *, in_range: bool) -> bool:
        """Whether those of a pod's claims that exist have the owners that they should have."""
        for _, key in _claims(stateful_set, pod):
            claim = self._claims.get(key)
            if claim is not None and not retention.is_up_to_date(
                claim, stateful_set, pod, in_range=in_range
            ):
                return False
        return True

    def own_by_policy(self, stateful_set: Json, pod: Json, *, in_range: bool) -> None:
        """Give a pod's claims the owners that they should have."""
        for _, key in _claims(stateful_set, pod):
            claim = self._claims.get(key)
            if claim is None:
                continue
            if retention.has_conflicting_controller(claim, stateful_set, pod):
                text = (
                    f"PersistentVolumeClaim {claim['metadata']['name']} has a conflicting"
                    " OwnerReference that acts as a manging controller, the retention policy is"
                    " ignored for this claim"
                )
                self._events.event(stateful_set, WARNING, "ConflictingController", text)
            if retention.is_up_to_date(claim, stateful_set, pod, in_range=in_range):
                continue
            owners = retention.owners_by_policy(claim, stateful_set, pod, in_range=in_range)
            metadata = {**claim["metadata"], "ownerReferences": owners}
            if not owners:
                del metadata["ownerReferences"]
            self._store.record_metadata(gvk.PERSISTENT_VOLUME_CLAIM, key, metadata)


def new_claim(stateful_set: Json, template: Json, pod_name: str) -> Json:
    """The claim of a template for a pod; it has the labels by which the set selects."""
    ordinal = identity.parent_and_ordinal(pod_name)[1]
    described = template["metadata"]
    selected = (stateful_set["spec"].get("selector") or {}).get("matchLabels") or {}
    metadata = {
        **described,
        "name": identity.claim_name(template, stateful_set["metadata"]["name"], ordinal),
        "namespace": stateful_set["metadata"]["namespace"],
    }
    labels = {**(described.get("labels") or {}), **selected}
    if labels:
        metadata["labels"] = labels
    return {
        **template,
        "apiVersion": gvk.PERSISTENT_VOLUME_CLAIM[0],
        "kind": gvk.PERSISTENT_VOLUME_CLAIM[1],
        "metadata": metadata,
    }


def aggregate(problems: list[str]) -> str:
    """Several errors as one, as upstream words it."""
    distinct = list(dict.fromkeys(problems))
    return distinct[0] if len(distinct) == 1 else f"[{', '.join(distinct)}]"


def _claims(stateful_set: Json, pod: Json) -> Iterator[tuple[Json, str]]:
    """The templates of a pod's claims, with the keys of the claims."""
    templates = identity.claim_templates(stateful_set)
    if not templates:
        return
    metadata = stateful_set["metadata"]
    ordinal = identity.parent_and_ordinal(pod["metadata"]["name"])[1]
    for template in templates:
        name = identity.claim_name(template, metadata["name"], ordinal)
        yield template, f"{metadata['namespace']}/{name}"
