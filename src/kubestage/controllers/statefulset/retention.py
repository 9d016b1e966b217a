"""Who owns the claims of a StatefulSet's pods, so that they go when its policy says so.

A claim that is to go with the set is owned by the set; one that is to go when the set shrinks is
owned by the pod that is about to be ended.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.ownership import controller_reference

if TYPE_CHECKING:
    from kubestage.aliases import Json

_DELETE: Final = "Delete"


def _policy(stateful_set: Json) -> tuple[bool, bool]:
    """Whether claims go when the set is deleted, and when it is scaled down."""
    policy = stateful_set["spec"].get("persistentVolumeClaimRetentionPolicy") or {}
    return policy.get("whenDeleted") == _DELETE, policy.get("whenScaled") == _DELETE


def has_conflicting_controller(claim: Json, stateful_set: Json, pod: Json) -> bool:
    """Whether somebody else controls a claim that the policy would have deleted."""
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
    """Whether a claim is owned as the policy says, or by somebody whose business it is."""
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
    wanted = _wanted(stateful_set, in_range=in_range)
    return (owned_by_set, owned_by_pod) == wanted


def owners_by_policy(claim: Json, stateful_set: Json, pod: Json, *, in_range: bool) -> list[Json]:
    """The owner references that a claim should have."""
    kept = [
        reference
        for reference in _references(claim)
        if not _names(reference, stateful_set) and not _names(reference, pod)
    ]
    if has_conflicting_controller(claim, stateful_set, pod):
        return kept
    uids = {reference["uid"] for reference in kept}
    for owner, is_wanted in zip(
        (stateful_set, pod), _wanted(stateful_set, in_range=in_range), strict=True
    ):
        if is_wanted and _uid(owner) not in uids:
            kept.append(controller_reference(owner))
    return kept


def _wanted(stateful_set: Json, *, in_range: bool) -> tuple[bool, bool]:
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
