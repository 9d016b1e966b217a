"""DynamicResources: a pod runs where devices can be allocated to its claims.

Claims that have devices already bind the pod to where those are. For the others devices are
looked for on every node, remembered when a node is chosen, and written into the claims just
before the pod is bound.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kubestage import lazy
from kubestage.golang import durations
from kubestage.objects.views import pod as pod_views
from kubestage.scheduler.arrays import same
from kubestage.scheduler.cluster_events import ActionType, ClusterEvent, EventHint, EventResource
from kubestage.scheduler.devices import examination, extended_resources, pod_claims
from kubestage.scheduler.devices.allocated import Allocated, allocation_of
from kubestage.scheduler.devices.failures import AllocationError
from kubestage.scheduler.devices.pod_devices import NOT_AVAILABLE, Extended, PodDevices
from kubestage.scheduler.devices.pools import Inventory
from kubestage.scheduler.devices.reservations import Reservations
from kubestage.scheduler.plugins import normalize
from kubestage.scheduler.status import SKIP, SUCCESS, Status, error, unresolvable, unschedulable

with lazy.imports():
    # NOTE: the search takes 5 ms to load, and most schedulers never see a claim.
    from kubestage.scheduler.devices import attempts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.aliases import Json
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.arrays import Codes, Ints, Rows
    from kubestage.scheduler.columns import Columns
    from kubestage.scheduler.cycle_state import CycleState
    from kubestage.scheduler.diagnosis import Diagnosis
    from kubestage.scheduler.framework import PostFilterResult
    from kubestage.scheduler.handle import Handle, Lister


def hints(lister: Lister) -> Sequence[EventHint]:
    """The events that DynamicResources waits for."""
    change = ActionType.ADD | ActionType.UPDATE
    node_change = ActionType.ADD | ActionType.UPDATE_NODE_LABEL | ActionType.UPDATE_NODE_ALLOCATABLE
    generated = ActionType.UPDATE_POD_GENERATED_RESOURCE_CLAIM
    after_claim_change = functools.partial(_after_claim_change, lister)
    after_pod_change = functools.partial(_after_pod_change, lister)
    return [
        EventHint(ClusterEvent(EventResource.NODE, node_change)),
        EventHint(ClusterEvent(EventResource.RESOURCE_CLAIM, change), after_claim_change),
        EventHint(ClusterEvent(EventResource.POD, generated), after_pod_change),
        EventHint(ClusterEvent(EventResource.DEVICE_CLASS, change)),
        EventHint(ClusterEvent(EventResource.RESOURCE_SLICE, change)),
    ]


def _after_claim_change(lister: Lister, pod: PodView, old: Json | None, new: Json | None) -> bool:
    """Devices came free, or the change is to a claim of the pod itself."""
    assert new is not None, "claims are waited for to come or to change"
    claims = pod_claims.find(lister, pod)
    if isinstance(claims, str):
        return False
    if old is not None and allocation_of(old) and not allocation_of(new):
        return True
    uid = new["metadata"].get("uid")
    if all(claim["metadata"].get("uid") != uid for claim in claims):
        return False
    return old is None or (old.get("status") or {}) != (new.get("status") or {})


def _after_pod_change(lister: Lister, pod: PodView, old: Json | None, new: Json | None) -> bool:
    """The claims that the pod waits for were made."""
    del old
    if new is None or new["metadata"].get("uid") != pod.uid:
        return False
    return not isinstance(pod_claims.find(lister, pod_views.of(new)), str)


_Answer = tuple[Status, frozenset[str] | None]

_STEPS_PER_SECOND: Final = 1_000_000
"""What a second of `filterTimeout` is worth: steps do not depend on the machine, clocks do."""

_UNBOUNDED: Final = 1 << 62
_NO_DEVICES: Final = PodDevices()
_SKIPPED: Final[_Answer] = SKIP, None
_NEVER_RAN: Final = error("not found")
_NOTHING_TO_TAKE_BACK: Final = unschedulable("no new claims to deallocate")
_STILL_NOT: Final = unschedulable("still not schedulable")
_TAKEN_BACK: Final = unschedulable("deallocation of ResourceClaim completed")
_DELETED: Final = unschedulable("deletion of ResourceClaim completed")


class DynamicResources:
    """Finds devices for the ResourceClaims of pods.

    With a virtual clock, allocations have timestamps, and devices that do not get ready in time are
    released.
    """

    name = "DynamicResources"

    def __init__(self, args: dict[str, Any], handle: Handle) -> None:
        self._lister = handle.lister
        self._inventory = Inventory()
        self._allocated = Allocated()
        self._reservations = Reservations(
            handle, handle.now_ns, durations.parse_duration(args.get("bindingTimeout") or "10m0s")
        )
        timeout_ns = durations.parse_duration(args.get("filterTimeout") or "0s")
        self._budget = timeout_ns * _STEPS_PER_SECOND // durations.SECOND or _UNBOUNDED

    def pre_enqueue(self, pod: PodView) -> Status:
        if not pod_claims.stated(pod):
            return SUCCESS
        claims = pod_claims.find(self._lister, pod)
        return unresolvable(claims) if isinstance(claims, str) else SUCCESS

    def pre_filter(self, state: CycleState, pod: PodView, columns: Columns) -> _Answer:
        del columns
        state[self.name] = _NO_DEVICES
        if not pod_claims.stated(pod) and not pod.fit_request.scalars:
            return _SKIPPED
        claims = pod_claims.find(self._lister, pod)
        if isinstance(claims, str):
            return unresolvable(claims), None
        devices = PodDevices(pod, claims)
        self._add_extended_resources(devices, pod)
        if not claims:
            return _SKIPPED
        problem = examination.examine(
            devices,
            self._class_named,
            self._reservations.in_flight,
            self._reservations.is_failing,
        )
        if problem is not None:
            return problem, None
        self._prepare(devices)
        state[self.name] = devices
        return SUCCESS, None

    def _add_extended_resources(self, devices: PodDevices, pod: PodView) -> None:
        amounts = extended_resources.requested_amounts(pod, self._lister)
        if amounts:
            classes = extended_resources.classes_by_resource(self._lister)
            devices.extended = Extended(amounts, classes)
            claims = self._lister.list(pod_claims.API_VERSION, pod_claims.CLAIM)
            devices.claims.append(extended_resources.claim_for(pod, claims))

    def _class_named(self, name: str) -> Json | None:
        return self._lister.get(pod_claims.API_VERSION, pod_claims.CLASS, name)

    def _prepare(self, devices: PodDevices) -> None:
        unallocated = devices.unallocated()
        if not unallocated:
            return
        claims = self._lister.list(pod_claims.API_VERSION, pod_claims.CLAIM)
        self._allocated.refresh(claims, self._reservations.in_flight)
        self._inventory.refresh(self._lister.list(pod_claims.API_VERSION, pod_claims.SLICE))
        stated = [devices.claims[at] for at in unallocated if at < devices.user_count]
        devices.attempt = attempts.DeviceAttempt(
            stated, self._class_named, self._inventory, self._allocated, self._budget
        )

    def filter(self, state: CycleState, pod: PodView, columns: Columns, rows: Rows) -> Codes | None:
        del pod
        devices: PodDevices = state[self.name]
        if not devices.claims:
            return None
        return devices.codes(columns, np.arange(len(columns))[rows])

    def status(self, state: CycleState, pod: PodView, code: int) -> Status:
        del pod
        devices: PodDevices = state[self.name]
        return devices.statuses[code - 1]

    def post_filter(
        self, state: CycleState, pod: PodView, diagnosis: Diagnosis
    ) -> tuple[PostFilterResult | None, Status]:
        devices: PodDevices | None = state.get(self.name)
        if devices is None:
            return None, _NEVER_RAN
        if not devices.claims:
            return None, _NOTHING_TO_TAKE_BACK
        try:
            return None, self._take_back(devices, pod, diagnosis)
        except AllocationError as problem:
            return None, error(str(problem))

    def is_repeated(self, state: CycleState) -> bool:
        """Whether it would answer the same for the next pod that is alike: it has no claims."""
        devices: PodDevices | None = state.get(self.name)
        return devices is None or not devices.claims

    def repeat(self, state: CycleState) -> None:
        """Nothing becomes of a pod without claims."""

    def _take_back(self, devices: PodDevices, pod: PodView, diagnosis: Diagnosis) -> Status:
        """Free one claim that keeps the pod from a node and that no other pod uses."""
        refused = [
            rows
            for rows, status in diagnosis.groups
            if status.plugin == self.name and status.reasons == NOT_AVAILABLE.reasons
        ]
        for at, claim in enumerate(devices.claims[: devices.user_count] if refused else ()):
            users = [each["uid"] for each in pod_claims.reserved_for(claim)]
            unavailable = devices.unavailable(at, diagnosis.columns)
            if users in ([], [pod.uid]) and any(unavailable[rows].any() for rows in refused):
                self._reservations.writer.deallocate(claim)
                return _TAKEN_BACK
        extended = devices.extended_claim
        if extended is not None and not extended_resources.is_in_memory(extended):
            self._reservations.writer.delete(extended)
            return _DELETED
        return _STILL_NOT

    def score(self, state: CycleState, pod: PodView, columns: Columns, rows: Ints) -> Ints:
        del pod
        devices: PodDevices | None = state.get(self.name)
        if devices is None or not devices.found:
            return same(0, len(rows))
        names = columns.names
        return np.array(devices.scores_of(names[row] for row in rows.tolist()), np.int64)

    def normalize(
        self, state: CycleState, pod: PodView, scores: Ints, columns: Columns, rows: Ints
    ) -> Ints:
        del pod, columns, rows
        devices: PodDevices | None = state.get(self.name)
        return scores if devices is None or not devices.found else normalize.scaled(scores)

    def reserve(self, state: CycleState, pod: PodView, node_name: str) -> Status:
        del pod
        devices: PodDevices | None = state.get(self.name)
        return SUCCESS if devices is None else self._reservations.reserve(devices, node_name)

    def unreserve(self, state: CycleState, pod: PodView, node_name: str) -> None:
        del node_name
        devices: PodDevices | None = state.get(self.name)
        if devices is not None:
            self._reservations.unreserve(devices, pod)

    def pre_bind(self, state: CycleState, pod: PodView, node_name: str) -> Status:
        devices: PodDevices | None = state.get(self.name)
        if devices is None or not devices.claims:
            return SUCCESS
        return self._reservations.bind(devices, pod, node_name)

    def events_to_register(self) -> Sequence[EventHint]:
        return hints(self._lister)
