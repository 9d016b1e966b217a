"""Makes a pod's claims from their templates, and writes their names into the pod's status."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers import pods
from kubestage.controllers.controller import Retry
from kubestage.controllers.ownership import is_controlled_by
from kubestage.controllers.resource_claim import pod_claims
from kubestage.controllers.resource_claim.pod_claims import ANNOTATION, CLAIM, TEMPLATE
from kubestage.errors import ApiError

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.lister import Lister
    from kubestage.store.store import Store


_LONGEST_BASE: Final = 57
"""What is left of 63 characters after a hyphen and five random characters."""


class Maker:
    """Makes claims; what stands in the way is a `Retry`."""

    def __init__(self, store: Store, lister: Lister) -> None:
        self._store = store
        self._lister = lister

    def make(self, pod: Json, pod_claim: Json) -> str | None:
        """Create a claim if it is missing; its name, if the pod's status does not have it yet."""
        name, problem = pod_claims.name_of(pod, pod_claim)
        if problem and pod_claim.get("resourceClaimTemplateName") is None:
            raise Retry(f"checking for claim before creating it: {problem}")
        if not problem and name is None:
            return None
        if name and self._is_there(pod, pod_claim, name):
            return None
        if pod_claim.get("resourceClaimTemplateName") is None:
            return None
        claim = self._orphan(pod, pod_claim) or self._create(pod, pod_claim)
        created: str = claim["metadata"]["name"]
        return created

    def _is_there(self, pod: Json, pod_claim: Json, name: str) -> bool:
        claim = self._lister.get(CLAIM, f"{pod['metadata']['namespace']}/{name}")
        if claim is None:
            return False
        return not pod_claims.is_generated(pod_claim) or is_controlled_by(claim, pod)

    def _orphan(self, pod: Json, pod_claim: Json) -> Json | None:
        """A claim that was created for the pod before its status was written."""
        uid = pod["metadata"]["uid"]
        for claim in self._lister.owned(CLAIM, uid):
            metadata = claim["metadata"]
            if (metadata.get("annotations") or {}).get(ANNOTATION) == pod_claim["name"] and any(
                owner.get("controller")
                and (owner.get("apiVersion"), owner.get("kind")) == pods.POD
                and owner.get("uid") == uid
                for owner in metadata["ownerReferences"]
            ):
                return claim
        return None

    def _create(self, pod: Json, pod_claim: Json) -> Json:
        named, pod_metadata = pod_claim["resourceClaimTemplateName"], pod["metadata"]
        template = self._lister.get(TEMPLATE, f"{pod_metadata['namespace']}/{named}")
        if template is None:
            raise Retry(
                f'resource claim template "{named}": '
                f'resourceclaimtemplate.resource.k8s.io "{named}" not found'
            )
        described = template["spec"].get("metadata") or {}
        metadata: Json = {
            "generateName": _base_name(pod_metadata["name"], pod_claim["name"]),
            "namespace": pod_metadata["namespace"],
        }
        if described.get("labels"):
            metadata["labels"] = dict(described["labels"])
        metadata["annotations"] = {
            **(described.get("annotations") or {}),
            ANNOTATION: pod_claim["name"],
        }
        metadata["ownerReferences"] = [
            {
                "apiVersion": "v1",
                "kind": "Pod",
                "name": pod_metadata["name"],
                "uid": pod_metadata["uid"],
                "controller": True,
            }
        ]
        claim = {
            "apiVersion": CLAIM[0],
            "kind": CLAIM[1],
            "metadata": metadata,
            "spec": template["spec"]["spec"],
        }
        try:
            return self._store.create(claim)
        except ApiError as error:
            # Upstream reports the name here that the claim does not have yet.
            raise Retry(f"create ResourceClaim : {error.message}") from error

    def record(self, key: str, pod: Json, created: dict[str, str]) -> Json:
        """Write the names of claims, by what the pod calls them, into the pod's status.

        Upstream applies those that are new and thereby takes back what it wrote of others, only to
        write that again and take back these; here others stay.
        """
        status = pod.get("status") or {}
        known = {each["name"]: each for each in status.get("resourceClaimStatuses") or ()}
        for name, claim in created.items():
            known[name] = {"name": name, "resourceClaimName": claim}
        new_status = {**status, "resourceClaimStatuses": list(known.values())}
        return self._store.record_status(pods.POD, key, new_status)


def _base_name(pod: str, pod_claim: str) -> str:
    """The generateName of a claim: both names, cut in proportion if they are too long."""
    base = f"{pod}-{pod_claim}-"
    if len(base) <= _LONGEST_BASE:
        return base
    pod_fields = len(pod) * _LONGEST_BASE // len(base)
    claim_fields = len(pod_claim) * _LONGEST_BASE // len(base)
    return f"{pod[:pod_fields]}-{pod_claim[:claim_fields]}"
