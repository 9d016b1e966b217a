"""The ResourceClaims of a pod: which they are, and whether they are there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.scheduler.devices import requests

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.handle import Lister


API_VERSION: Final = "resource.k8s.io/v1"
CLAIM: Final = "ResourceClaim"
CLASS: Final = "DeviceClass"
SLICE: Final = "ResourceSlice"


def stated(pod: PodView) -> list[Json]:
    """The claims in a pod's spec."""
    return pod.raw["spec"].get("resourceClaims") or []


def find(lister: Lister, pod: PodView) -> list[Json] | str:
    """A pod's claims in the order it names them, or what is the matter with them.

    A claim that was deliberately not made from its template is left out.
    """
    claims = []
    for each in stated(pod):
        name, problem = _name(pod, each)
        if problem:
            return problem
        if name is None:
            continue
        claim = lister.get(API_VERSION, CLAIM, name, pod.namespace)
        if claim is None:
            return f'could not find ResourceClaim "{pod.namespace}/{name}"'
        if claim["metadata"].get("deletionTimestamp"):
            return f'resourceclaim "{name}" is being deleted'
        if each.get("resourceClaimName") is None and not is_controlled_by(claim, pod):
            return (
                f"ResourceClaim {requests.key_of(claim)} was not created for Pod {pod.key} "
                "(Pod is not owner)"
            )
        claims.append(claim)
    return claims


def _name(pod: PodView, each: Json) -> tuple[str | None, str]:
    """The name of the claim, or why there is none."""
    if each.get("resourceClaimName") is not None:
        return each["resourceClaimName"], ""
    if each.get("resourceClaimTemplateName") is None:
        where = f'pod "{pod.key}", spec.resourceClaim "{each["name"]}"'
        return None, f"{where}: none of the supported fields are set"
    for generated in (pod.raw.get("status") or {}).get("resourceClaimStatuses") or ():
        if generated["name"] == each["name"]:
            return generated.get("resourceClaimName"), ""
    return None, f'pod "{pod.key}": ResourceClaim not created yet'


def is_controlled_by(claim: Json, pod: PodView) -> bool:
    """Whether a claim was made for a pod."""
    for owner in claim["metadata"].get("ownerReferences") or ():
        if owner.get("controller"):
            return bool(owner.get("uid") == pod.uid)
    return False


def is_reserved_for(claim: Json, pod: PodView) -> bool:
    """Whether a claim lists a pod among its users."""
    return any(each.get("uid") == pod.uid for each in reserved_for(claim))


def reserved_for(claim: Json) -> list[Json]:
    """The users of a claim."""
    return (claim.get("status") or {}).get("reservedFor") or []


def device_requests(claim: Json) -> list[Json]:
    """What a claim requests."""
    return ((claim.get("spec") or {}).get("devices") or {}).get("requests") or []
