"""The claims of a StatefulSet's pods: created before the pods, and owned by the set's policy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.controller import Retry
from kubestage.controllers.ownership import controller_reference
from kubestage.controllers.statefulset import identity
from kubestage.errors import AlreadyExists, ApiError
from kubestage.objects import gvk
from kubestage.store.event_recorder import NORMAL, WARNING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.store.event_recorder import EventRecorder
    from kubestage.store.store import Store

_DELETE: Final = "Delete"


def _policy(stateful_set: Json) -> tuple[bool, bool]:
    """Whether claims go when the set is deleted, and when it is scaled down."""
    policy = stateful_set["spec"].get("persistentVolumeClaimRetentionPolicy") or {}
    return policy.get("whenDeleted") == _DELETE, policy.get("whenScaled") == _DELETE


def has_conflicting_controller(claim: Json, stateful_set: Json, pod: Json) -> bool:
    """Whether another controller owns a claim that the policy would delete."""
    if not any(_policy(stateful_set)):
        return False
    for reference in _references(claim):
        ours = False
        for owner in (stateful_set, pod):
            if _names(reference, owner):
                if reference["uid"] != _uid(owner):
                    return True
                ours = True
                break
        if not ours and reference.get("controller"):
            return True
    return False


def has_stale_owner(claim: Json, owner: Json) -> bool:
    """Whether a claim is owned by an earlier object of the owner's name."""
    for reference in _references(claim):
        if _names(reference, owner):
            return bool(reference["uid"] != _uid(owner))
    return False


def claims_may_be_stale(stateful_set: Json) -> bool:
    """Whether claims go with their pods, so that one that is left is not to be used again."""
    return _policy(stateful_set)[1]


def is_up_to_date(claim: Json, stateful_set: Json, pod: Json, *, in_range: bool) -> bool:
    """Whether a claim has the owners of the policy, or is left to another controller."""
    if has_stale_owner(claim, stateful_set) or has_stale_owner(claim, pod):
        return True
    set_uid, pod_uid = _uid(stateful_set), _uid(pod)
    owners = {reference["uid"] for reference in _references(claim)}
    owned_by_set, owned_by_pod = set_uid in owners, bool(pod_uid) and pod_uid in owners
    if has_conflicting_controller(claim, stateful_set, pod):
        return not (owned_by_set or owned_by_pod)
    for reference in _references(claim):
        if reference["uid"] in (set_uid, pod_uid) and not reference.get("controller"):
            return False
    expected = _expected_owners(stateful_set, in_range=in_range)
    return (owned_by_set, owned_by_pod) == expected


def owners_by_policy(claim: Json, stateful_set: Json, pod: Json, *, in_range: bool) -> list[Json]:
    """The owner references that a claim should have."""
    references = [
        reference
        for reference in _references(claim)
        if not _names(reference, stateful_set) and not _names(reference, pod)
    ]
    if has_conflicting_controller(claim, stateful_set, pod):
        return references
    uids = {reference["uid"] for reference in references}
    for owner, is_expected in zip(
        (stateful_set, pod), _expected_owners(stateful_set, in_range=in_range), strict=True
    ):
        if is_expected and _uid(owner) not in uids:
            references.append(controller_reference(owner))
    return references


def _expected_owners(stateful_set: Json, *, in_range: bool) -> tuple[bool, bool]:
    """Whether the set and the pod should own a claim."""
    when_deleted, when_scaled = _policy(stateful_set)
    if not when_scaled:
        return when_deleted, False
    return when_deleted and in_range, not in_range


def _names(reference: Json, owner: Json) -> bool:
    return bool(
        reference["kind"] == owner["kind"]
        and reference["name"] == owner["metadata"]["name"]
        and reference["apiVersion"] == owner["apiVersion"]
    )


def _references(claim: Json) -> list[Json]:
    return claim["metadata"].get("ownerReferences") or []


def _uid(owner: Json) -> str:
    uid: str = owner["metadata"].get("uid") or ""
    return uid


class ClaimControl:
    """Makes claims and gives them their owners."""

    def __init__(self, store: Store, events: EventRecorder) -> None:
        self._store = store
        self._claims = store.read(gvk.PERSISTENT_VOLUME_CLAIM)
        self._events = events

    def make_missing(self, stateful_set: Json, pod: Json) -> None:
        """Create the claims that a pod lacks; Retry names those that failed."""
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
        """Whether a claim of a new pod still belongs to the pod before it, and is to be deleted."""
        if not claims_may_be_stale(stateful_set):
            return False
        found = (self._claims.get(key) for _, key in _claims(stateful_set, pod))
        return any(claim is not None and has_stale_owner(claim, pod) for claim in found)

    def are_owned_by_policy(self, stateful_set: Json, pod: Json, *, in_range: bool) -> bool:
        """Whether those of a pod's claims that exist have the owners that they should have."""
        for _, key in _claims(stateful_set, pod):
            claim = self._claims.get(key)
            if claim is not None and not is_up_to_date(claim, stateful_set, pod, in_range=in_range):
                return False
        return True

    def set_owners(self, stateful_set: Json, pod: Json, *, in_range: bool) -> None:
        """Give a pod's claims the owners that they should have."""
        for _, key in _claims(stateful_set, pod):
            claim = self._claims.get(key)
            if claim is None:
                continue
            if has_conflicting_controller(claim, stateful_set, pod):
                text = (
                    f"PersistentVolumeClaim {claim['metadata']['name']} has a conflicting"
                    " OwnerReference that acts as a manging controller, the retention policy is"
                    " ignored for this claim"
                )
                self._events.event(stateful_set, WARNING, "ConflictingController", text)
            if is_up_to_date(claim, stateful_set, pod, in_range=in_range):
                continue
            owners = owners_by_policy(claim, stateful_set, pod, in_range=in_range)
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
