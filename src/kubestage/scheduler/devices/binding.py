"""Writes what was decided about claims: allocation, reservation, and their undoing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage import errors
from kubestage.objects import timestamps
from kubestage.scheduler.devices import pod_claims
from kubestage.scheduler.devices.allocated import allocation_of
from kubestage.scheduler.devices.failures import AllocationError
from kubestage.scheduler.devices.requests import key_of

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.handle import Handle


FINALIZER: Final = "resource.kubernetes.io/delete-protection"
_STATUS: Final = "status"
_ALLOCATION_FIELDS: Final = ("allocation", "reservedFor", "devices")


class ClaimWriter:
    """Changes claims through the API; what it refuses is an `AllocationError`."""

    def __init__(self, handle: Handle) -> None:
        self._lister = handle.lister
        self._client = handle.client

    def bind(self, claim: Json, allocation: Json | None, pod: PodView, now_ns: int | None) -> Json:
        """Record that a pod uses a claim, and the claim's allocation if it had none yet."""
        key = key_of(claim)
        current = self._still_there(claim)
        if current["metadata"].get("deletionTimestamp"):
            raise AllocationError(f"claim {key} got deleted in the meantime")
        if allocation is not None:
            if allocation_of(current) is not None:
                raise AllocationError(f"claim {key} got allocated elsewhere in the meantime")
            current = self._with_finalizer(current)
        elif allocation_of(current) is None:
            raise AllocationError(f"claim {key} got deallocated elsewhere in the meantime")
        allocated = allocation or allocation_of(current) or {}
        if now_ns is not None and not allocated.get("allocationTimestamp"):
            allocated = {**allocated, "allocationTimestamp": timestamps.format_time(now_ns)}
        users = [
            *pod_claims.reserved_for(current),
            {"resource": "pods", "name": pod.name, "uid": pod.uid},
        ]
        status = {**(current.get("status") or {}), "allocation": allocated, "reservedFor": users}
        what = "reservation" if allocation is None else "allocation and reservation"
        return self._update({**current, "status": status}, _STATUS, f"add {what} to claim {key}")

    def deallocate(self, claim: Json) -> None:
        """Remove a claim's allocation."""
        status = {
            name: value for name, value in claim["status"].items() if name not in _ALLOCATION_FIELDS
        }
        self._update({**claim, "status": status}, _STATUS, "")

    def release(self, claim: Json, pod: PodView) -> None:
        """Record that a pod no longer uses a claim; if the claim was removed, so was that."""
        current = self.newest(claim)
        if current is None:
            return
        users = [each for each in pod_claims.reserved_for(current) if each.get("uid") != pod.uid]
        status = {**(current.get("status") or {}), "reservedFor": users}
        if not users:
            del status["reservedFor"]
        self._update({**current, "status": status}, _STATUS, "unreserve")

    def create(self, claim: Json, requests: tuple[Json, ...]) -> Json:
        """Write a claim that was only made up so far."""
        metadata = {
            name: value for name, value in claim["metadata"].items() if name not in ("name", "uid")
        }
        spec = {"devices": {"requests": list(requests)}}
        try:
            return self._client.create({**claim, "metadata": metadata, "spec": spec})
        except errors.ApiError as refusal:
            raise AllocationError(
                f"create claim for extended resources {metadata.get('namespace', '')}/: "
                f"{refusal.message}"
            ) from refusal

    def delete(self, claim: Json) -> None:
        """Remove a claim, and what protects it from being removed."""
        metadata = claim["metadata"]
        finalizers = [each for each in metadata.get("finalizers") or () if each != FINALIZER]
        bare = {**claim, "metadata": {**metadata, "finalizers": finalizers}}
        stored = self._update(bare, "", f"update resourceclaim {key_of(claim)}")
        try:
            self._client.delete(stored)
        except errors.ApiError as refusal:
            raise AllocationError(refusal.message) from refusal

    def report_pod(self, pod: PodView, claim: Json, mappings: tuple[Json, ...]) -> None:
        """Record in a pod's status which claim its extended resources come from."""
        if not mappings:
            raise AllocationError(
                "nil or empty request mappings, "
                f"no update of pod {pod.key} ExtendedResourceClaimStatus"
            )
        status = {
            "requestMappings": list(mappings),
            "resourceClaimName": claim["metadata"]["name"],
        }
        try:
            self._client.patch_status(pod, {"extendedResourceClaimStatus": status})
        except errors.ApiError as refusal:
            raise AllocationError(
                f"update pod {pod.key} ExtendedResourceClaimStatus: {refusal.message}"
            ) from refusal

    def newest(self, claim: Json) -> Json | None:
        """A claim as it is now, or None if it is gone."""
        metadata = claim["metadata"]
        name, namespace = metadata["name"], metadata.get("namespace", "")
        return self._lister.get(pod_claims.API_VERSION, pod_claims.CLAIM, name, namespace)

    def _still_there(self, claim: Json) -> Json:
        found = self.newest(claim)
        if found is None:
            raise AllocationError(
                f"get updated claim {key_of(claim)} after conflict: "
                f'resourceclaims.resource.k8s.io "{claim["metadata"]["name"]}" not found'
            )
        return found

    def _with_finalizer(self, claim: Json) -> Json:
        metadata = claim["metadata"]
        finalizers = metadata.get("finalizers") or []
        if FINALIZER in finalizers:
            return claim
        protected = {**claim, "metadata": {**metadata, "finalizers": [*finalizers, FINALIZER]}}
        return self._update(protected, "", f"add finalizer to claim {key_of(claim)}")

    def _update(self, claim: Json, subresource: str, doing: str) -> Json:
        try:
            return self._client.update(claim, subresource)
        except errors.ApiError as refusal:
            raise AllocationError(
                f"{doing}: {refusal.message}" if doing else refusal.message
            ) from refusal
