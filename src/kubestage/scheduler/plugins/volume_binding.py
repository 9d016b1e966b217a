"""VolumeBinding: a pod runs where its volumes are or can be had, and binds those it waited for."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kubestage import errors
from kubestage.scheduler.plugins import storage_objects, volume_hints, volume_search
from kubestage.scheduler.plugins.assumptions import Assumptions
from kubestage.scheduler.plugins.pod_claims import ClaimReader
from kubestage.scheduler.plugins.volume_offers import VolumeOffers
from kubestage.scheduler.status import SKIP, SUCCESS, WAIT, Status, error, unresolvable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.aliases import Json
    from kubestage.objects.views.pod import PodView
    from kubestage.objects.views.storage import ClaimView, VolumeView
    from kubestage.scheduler.arrays import Codes, Ints, Rows
    from kubestage.scheduler.cluster_events import EventHint
    from kubestage.scheduler.columns import Columns
    from kubestage.scheduler.cycle_state import CycleState
    from kubestage.scheduler.handle import Handle
    from kubestage.scheduler.plugins.volume_search import PodClaims, Search


_BOUND_BY_CONTROLLER: Final = "pv.kubernetes.io/bound-by-controller"
_UNBOUND: Final = unresolvable("pod has unbound immediate PersistentVolumeClaims")


@dataclasses.dataclass(slots=True)
class _Binding:
    """A pod's claims, where they can be met, and the objects to write once a node is chosen.

    Clones of the cycle state share it: pods tried on or off a node do not move volumes.
    """

    claims: PodClaims
    search: Search | None = None
    to_write: list[Json] = dataclasses.field(default_factory=list)
    provisioned: list[ClaimView] = dataclasses.field(default_factory=list)
    deadline_ns: int | None = None


class VolumeBinding:
    """Rejects nodes where a volume of the pod is out of reach or cannot be had."""

    name = "VolumeBinding"

    def __init__(self, args: dict[str, Any], handle: Handle) -> None:
        self._timeout_ns = int(args.get("bindTimeoutSeconds") or 600) * 1_000_000_000
        self._handle = handle
        self._client = handle.client
        self._objects = storage_objects.shared(handle.lister)
        self._assumptions = Assumptions()
        self._reader = ClaimReader(self._objects, self._assumptions)
        self._offers = VolumeOffers(self._objects, self._assumptions)

    def pre_filter(
        self, state: CycleState, pod: PodView, columns: Columns
    ) -> tuple[Status, frozenset[str] | None]:
        del columns
        if not storage_objects.volumes_of(pod) or not (stated := pod.volume_claims):
            return SKIP, None
        found = self._reader.find(pod, stated)
        if isinstance(found, str):
            return unresolvable(found), None
        claims = self._reader.read(found)
        if isinstance(claims, str):
            return error(claims), None
        if claims is None:
            return _UNBOUND, None
        state[self.name] = _Binding(claims)
        return SUCCESS, None

    def filter(self, state: CycleState, pod: PodView, columns: Columns, rows: Rows) -> Codes | None:
        del pod
        binding: _Binding = state[self.name]
        found = binding.search
        if found is None or len(found.columns) < len(columns):
            found = volume_search.search(columns, binding.claims, self._objects, self._offers)
            binding.search = found
        if found.columns is columns:
            return found.codes[rows]
        names = [columns.names[row] for row in np.arange(len(columns))[rows].tolist()]
        return found.codes[[found.columns.row_of[name] for name in names]]

    def status(self, state: CycleState, pod: PodView, code: int) -> Status:
        del pod
        found: Search = state[self.name].search
        return found.status(code)

    def pre_score(self, state: CycleState, pod: PodView, columns: Columns, rows: Ints) -> Status:
        """Nothing is scored while storage capacity scoring is off, as it is by default."""
        del state, pod, columns, rows
        return SKIP

    def score(self, state: CycleState, pod: PodView, columns: Columns, rows: Ints) -> Ints:
        del state, pod, columns
        return np.zeros(len(rows), np.int64)

    def reserve(self, state: CycleState, pod: PodView, node_name: str) -> Status:
        del pod
        binding: _Binding | None = state.get(self.name)
        if binding is None or binding.search is None or not binding.claims.waiting:
            return SUCCESS
        row = binding.search.columns.row_of[node_name]
        for claim, volume in binding.search.bindings(row):
            reserved = bound_to(volume, claim)
            binding.to_write.append(self._assume(volume.raw, reserved))
        for claim in binding.search.provisions(row):
            binding.provisioned.append(claim)
            binding.to_write.append(self._assume(claim.raw, selected(claim, node_name)))
        return SUCCESS

    def _assume(self, current: Json, changed: Json) -> Json:
        if changed is not current:
            self._assumptions.assume(current, changed)
        return changed

    def unreserve(self, state: CycleState, pod: PodView, node_name: str) -> None:
        del pod, node_name
        binding: _Binding | None = state.get(self.name)
        if binding is not None:
            for obj in binding.to_write:
                self._assumptions.restore(obj)

    def pre_bind(self, state: CycleState, pod: PodView, node_name: str) -> Status:
        """Hand the choices over to the controller that binds volumes and has them made.

        Where there is one, the pod waits until all are bound.
        """
        binding: _Binding | None = state.get(self.name)
        left = binding.to_write if binding is not None else []
        while left:
            try:
                self._client.update(left[0])
            except errors.ApiError as refusal:
                for obj in left:
                    self._assumptions.restore(obj)
                return error(refusal.message)
            self._assumptions.settle(left[0])
            del left[0]
        if binding is None or not binding.claims.waiting:
            return SUCCESS
        if not self._handle.context.binds_volumes:
            return SUCCESS
        return self._bound(binding, pod, node_name)

    def _bound(self, binding: _Binding, pod: PodView, node_name: str) -> Status:
        """Whether all that the pod waits for is bound by now; the first look is never at once."""
        now_ns = self._handle.now_ns()
        assert now_ns is not None, "who waits has a clock"
        if binding.deadline_ns is None:
            binding.deadline_ns = now_ns + self._timeout_ns
            return WAIT
        if self._handle.lister.get("v1", "Pod", pod.name, pod.namespace) is None:
            return error("binding volumes: pod does not exist any more")
        for claim, _ in binding.claims.waiting:
            current = self._objects.claim(claim.namespace, claim.name)
            if current is None:
                return error(f'binding volumes: persistentvolumeclaim "{claim.name}" not found')
            if current.is_bound:
                continue
            selected_node = current.annotations.get(volume_search.SELECTED_NODE_ANNOTATION)
            if claim in binding.provisioned and selected_node != node_name:
                return error(f'binding volumes: provisioning failed for PVC "{claim.name}"')
            late = now_ns >= binding.deadline_ns
            return error("binding volumes: context deadline exceeded") if late else WAIT
        return SUCCESS

    def events_to_register(self) -> Sequence[EventHint]:
        return volume_hints.BINDING_EVENTS


def bound_to(volume: VolumeView, claim: ClaimView) -> Json:
    """A volume that is spoken for by a claim; the volume itself if it was before."""
    spec, metadata = volume.raw["spec"], volume.raw["metadata"]
    reference = spec.get("claimRef") or {}
    expected = {
        "kind": storage_objects.CLAIM,
        "namespace": claim.namespace,
        "name": claim.name,
        "uid": claim.uid,
        "apiVersion": storage_objects.CORE,
    }
    version = claim.raw["metadata"].get("resourceVersion")
    if version is not None:
        expected["resourceVersion"] = version
    changed = volume.raw
    if any(reference.get(key) != expected[key] for key in ("name", "namespace", "uid")):
        changed = {**changed, "spec": {**spec, "claimRef": expected}}
    annotations = metadata.get("annotations") or {}
    if volume.claim is None and _BOUND_BY_CONTROLLER not in annotations:
        annotations = {**annotations, _BOUND_BY_CONTROLLER: "yes"}
        changed = {**changed, "metadata": {**metadata, "annotations": annotations}}
    return changed


def selected(claim: ClaimView, node_name: str) -> Json:
    """A claim that requests provisioning for a node."""
    metadata = claim.raw["metadata"]
    annotations = {
        **claim.annotations,
        volume_search.SELECTED_NODE_ANNOTATION: node_name,
    }
    return {**claim.raw, "metadata": {**metadata, "annotations": annotations}}
