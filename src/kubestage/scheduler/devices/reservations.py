"""Devices of pods that are on their way to a node: remembered, then written, or released."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.scheduler.devices import extended_resources, pod_claims, readiness
from kubestage.scheduler.devices.allocated import allocation_of
from kubestage.scheduler.devices.binding import FINALIZER, ClaimWriter
from kubestage.scheduler.devices.failures import AllocationError
from kubestage.scheduler.status import SUCCESS, Code, Status, error

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.aliases import Json
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.devices.pod_devices import PodDevices
    from kubestage.scheduler.handle import Handle


class Reservations:
    """Claims whose allocation is decided and not written yet (`in_flight`, by uid)."""

    def __init__(
        self, handle: Handle, now_ns: Callable[[], int | None], binding_timeout_ns: int
    ) -> None:
        self.writer = ClaimWriter(handle)
        self.in_flight: dict[str, Json] = {}
        self._handle = handle
        self._now_ns = now_ns
        self._binding_timeout_ns = binding_timeout_ns

    def is_failing(self, claim: Json) -> bool:
        """Whether an allocated claim's devices will not get ready, or not in time."""
        if readiness.failure(claim):
            return True
        return not readiness.is_ready(claim) and readiness.is_overdue(
            claim, self._now_ns(), self._binding_timeout_ns
        )

    def reserve(self, devices: PodDevices, node_name: str) -> Status:
        """Keep the devices that were found on a node for the pod."""
        unallocated = devices.unallocated()
        if not unallocated:
            return SUCCESS
        found = devices.found.get(node_name)
        if found is None:
            # Extended resources that the node counts itself need no devices.
            is_content = unallocated[0] >= devices.user_count
            return SUCCESS if is_content else error("claim allocation not found for node")
        assert devices.attempt is not None, "devices were found"
        try:
            allocations = devices.attempt.allocations(found.node, found.resources, found.solution)
        except AllocationError as problem:
            return error(str(problem))
        for at, allocation in zip(unallocated, allocations, strict=True):
            devices.allocations[at] = allocation
            claim = devices.claims[at]
            self.in_flight[claim["metadata"]["uid"]] = _assumed(claim, allocation)
        return SUCCESS

    def unreserve(self, devices: PodDevices, pod: PodView) -> None:
        """Give up what a pod had; its claims keep their devices if those are written."""
        for at, claim in enumerate(devices.claims):
            self.in_flight.pop(claim["metadata"]["uid"], None)
            try:
                if at >= devices.user_count:
                    if not extended_resources.is_in_memory(claim):
                        self.writer.delete(claim)
                elif allocation_of(claim) and pod_claims.is_reserved_for(claim, pod):
                    self.writer.release(claim, pod)
            except AllocationError:
                # The next attempt at the pod comes here again.
                continue

    def bind(self, devices: PodDevices, pod: PodView, node_name: str) -> Status:
        """Write allocations and that the pod uses them."""
        try:
            for at, claim in enumerate(devices.claims):
                if not pod_claims.is_reserved_for(claim, pod):
                    self._bind_claim(devices, at, pod, node_name)
        except AllocationError as problem:
            return error(str(problem))
        if not readiness.needs_waiting(devices.claims):
            return SUCCESS
        return self._wait(devices, pod, node_name)

    def _bind_claim(self, devices: PodDevices, at: int, pod: PodView, node_name: str) -> None:
        claim, allocation = devices.claims[at], devices.allocations[at]
        is_synthetic = at >= devices.user_count
        if is_synthetic and allocation is None:
            return
        uid = claim["metadata"]["uid"]
        mappings: tuple[Json, ...] = ()
        try:
            if is_synthetic and extended_resources.is_in_memory(claim):
                resources = devices.found[node_name].resources
                assert resources is not None, "the claim stands for resources"
                claim_of_node = devices.node_claim(resources)
                claim = devices.claims[at] = self.writer.create(claim, claim_of_node.requests)
                mappings = claim_of_node.mappings
            claim = devices.claims[at] = self.writer.bind(claim, allocation, pod, self._now_ns())
        finally:
            self.in_flight.pop(uid, None)
        if is_synthetic:
            self.writer.report_pod(pod, claim, mappings)

    def _wait(self, devices: PodDevices, pod: PodView, node_name: str) -> Status:
        """Whether devices that must be made ready are; this does not wait."""
        for at, stale in enumerate(devices.claims):
            claim = devices.claims[at] = self.writer.newest(stale) or stale
            failure = readiness.failure(claim)
            if failure:
                return error(failure)
            if allocation_of(claim) is None or readiness.is_ready(claim):
                continue
            if self.is_failing(claim):
                return error(f"device binding timeout: claim={claim['metadata']['name']}")
            note = f"waiting for binding conditions for device on node {node_name}"
            profile = self._handle.profile
            by = "" if profile is None else profile.name
            self._handle.client.event(
                pod.raw, "Normal", "BindingConditionsPending", "Scheduling", note, by
            )
            return Status(Code.WAIT, (note,))
        return SUCCESS


def _assumed(claim: Json, allocation: Json) -> Json:
    """A claim as it will be once its allocation is written."""
    metadata = claim["metadata"]
    finalizers = metadata.get("finalizers") or []
    if FINALIZER not in finalizers:
        metadata = {**metadata, "finalizers": [*finalizers, FINALIZER]}
    status = {**(claim.get("status") or {}), "allocation": allocation}
    return {**claim, "metadata": metadata, "status": status}
