"""The claims of a pod, and which pods name a claim or a template."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers import pods
from kubestage.store.log import DELETED

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.store.log import Change


CLAIM: Final = ("resource.k8s.io/v1", "ResourceClaim")
TEMPLATE: Final = ("resource.k8s.io/v1", "ResourceClaimTemplate")
ANNOTATION: Final = "resource.kubernetes.io/pod-claim-name"
FINALIZER: Final = "resource.kubernetes.io/delete-protection"

_GROUP: Final = "resource.k8s.io"
CLAIM_KIND: Final = (_GROUP, "ResourceClaim")
TEMPLATE_KIND: Final = (_GROUP, "ResourceClaimTemplate")


def concerns(pod: Json) -> bool:
    """Whether a pod has claims: its own, or one that the scheduler made for its resources."""
    if pod["spec"].get("resourceClaims"):
        return True
    return "extendedResourceClaimStatus" in (pod.get("status") or ())


def stated(pod: Json) -> list[Json]:
    """The claims in a pod's spec."""
    return pod["spec"].get("resourceClaims") or []


def name_of(pod: Json, pod_claim: Json) -> tuple[str | None, str]:
    """The name of the claim, or why it is not known.

    None without a problem means that the claim was deliberately not made.
    """
    if pod_claim.get("resourceClaimName") is not None:
        return pod_claim["resourceClaimName"], ""
    if pod_claim.get("resourceClaimTemplateName") is None:
        where = f'pod "{_key(pod)}", spec.resourceClaim "{pod_claim["name"]}"'
        return None, f"{where}: none of the supported fields are set"
    for status in (pod.get("status") or {}).get("resourceClaimStatuses") or ():
        if status["name"] == pod_claim["name"]:
            return status.get("resourceClaimName"), ""
    return None, f'pod "{_key(pod)}": ResourceClaim not created yet'


def is_generated(pod_claim: Json) -> bool:
    """Whether a claim is one that is made for its pod alone, from a template."""
    return pod_claim.get("resourceClaimName") is None


def keys_of(pod: Json) -> list[str]:
    """The keys of a pod's claims whose names are known."""
    namespace = pod["metadata"]["namespace"]
    names = (name_of(pod, each)[0] for each in stated(pod))
    return [f"{namespace}/{name}" for name in names if name is not None]


def extended_key(pod: Json) -> str | None:
    """The key of the claim that the scheduler made for a pod's resources."""
    found = (pod.get("status") or {}).get("extendedResourceClaimStatus")
    if found is None:
        return None
    return f"{pod['metadata']['namespace']}/{found.get('resourceClaimName', '')}"


def is_done(pod: Json) -> bool:
    """Whether no container of a pod runs or ever will."""
    if pods.is_terminal(pod):
        return True
    return pods.is_terminating(pod) and not pod["spec"].get("nodeName")


def not_owner(pod: Json, claim: Json) -> str:
    """That a claim with the name of a pod's own is not the pod's."""
    return f"ResourceClaim {_key(claim)} was not created for Pod {_key(pod)} (Pod is not owner)"


def is_unreserved(pod: Json, claim: Json) -> bool:
    """Whether a claim has devices, and does not list a pod among its users."""
    status = claim.get("status") or {}
    if status.get("allocation") is None:
        return False
    uid = pod["metadata"]["uid"]
    return all(each.get("uid") != uid for each in status.get("reservedFor") or ())


def _key(obj: Json) -> str:
    return f"{obj['metadata']['namespace']}/{obj['metadata']['name']}"


class PodIndex:
    """Which pods name a claim or a template; updated with every change of such a pod."""

    def __init__(self) -> None:
        self._claims: dict[str, tuple[str, ...]] = {}
        self._by_claim: dict[str, dict[str, None]] = {}
        self._by_template: dict[str, dict[str, None]] = {}

    def on_pod(self, change: Change) -> None:
        """Enter a pod, the claims that were made for it meanwhile, or that it is gone."""
        pod, key = change.new, change.key
        is_gone = change.type == DELETED
        claims = () if is_gone else tuple(keys_of(pod))
        before = self._claims.get(key, ())
        if claims != before:
            for each in before:
                _remove(self._by_claim, each, key)
            for each in claims:
                self._by_claim.setdefault(each, {})[key] = None
            self._claims[key] = claims
        if is_gone:
            self._claims.pop(key, None)
            for template in _templates_of(pod):
                _remove(self._by_template, template, key)
        elif change.old is None:
            for template in _templates_of(pod):
                self._by_template.setdefault(template, {})[key] = None

    def of_claim(self, claim: str) -> tuple[str, ...]:
        """The keys of the pods that name a claim, oldest first."""
        return tuple(self._by_claim.get(claim, ()))

    def of_template(self, template: str) -> tuple[str, ...]:
        """The keys of the pods that name a template, oldest first."""
        return tuple(self._by_template.get(template, ()))


def _templates_of(pod: Json) -> list[str]:
    namespace = pod["metadata"]["namespace"]
    names = (each.get("resourceClaimTemplateName") for each in stated(pod))
    return [f"{namespace}/{name}" for name in names if name is not None]


def _remove(index: dict[str, dict[str, None]], key: str, pod: str) -> None:
    named = index.get(key)
    if named is not None:
        named.pop(pod, None)
        if not named:
            del index[key]
