"""Mirrors Endpoints that other clients write as EndpointSlices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers import ownership
from kubestage.controllers.controller import Controller
from kubestage.controllers.endpointslice import mirrored, slice_manifest
from kubestage.controllers.endpointslice.loop import SLICE, is_namespace_ending
from kubestage.errors import ApiError, NotFound
from kubestage.objects import labels
from kubestage.store.event_recorder import WARNING

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.controller import Cluster, Handlers
    from kubestage.controllers.endpointslice.mirrored import Desired, Group
    from kubestage.store.log import Change

ENDPOINTS: Final = ("v1", "Endpoints")
SERVICE: Final = ("v1", "Service")
_SKIPPED: Final = "endpointslice.kubernetes.io/skip-mirror"
_LEADER: Final = "control-plane.alpha.kubernetes.io/leader"


def is_mirrored(endpoints: Json) -> bool:
    """Whether Endpoints are such that they are mirrored, if their Service has no selector."""
    metadata = endpoints["metadata"]
    if (metadata.get("labels") or {}).get(_SKIPPED) == "true":
        return False
    return _LEADER not in (metadata.get("annotations") or {})


class EndpointSliceMirroringController(Controller):
    """Keys are those of Endpoints, and of the Services that they are for."""

    name = "endpoint-slice-mirroring-controller"
    max_retries = 15

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self._is_writing = False

    def handlers(self) -> Handlers:
        """Endpoints, their Services, and the slices of this loop."""
        return {
            ("", "Endpoints"): self._on_endpoints,
            ("", "Service"): self._on_service,
            ("discovery.k8s.io", "EndpointSlice"): self._on_slice,
        }

    def _on_endpoints(self, change: Change) -> None:
        service = self.lister.get(SERVICE, change.key)
        if service is not None and service["spec"].get("selector"):
            return
        if is_mirrored(change.new) or (change.old is not None and is_mirrored(change.old)):
            self.queue.add(change.key)

    def _on_service(self, change: Change) -> None:
        old = change.old or change.new
        if not (old["spec"].get("selector") and change.new["spec"].get("selector")):
            self.queue.add(change.key)

    def _on_slice(self, change: Change) -> None:
        if self._is_writing:
            return
        for slice_ in (change.new, change.old or change.new):
            held = ownership.labels_of(slice_)
            if held.get(slice_manifest.MANAGED_BY) == mirrored.MANAGER:
                namespace = slice_["metadata"]["namespace"]
                self.queue.add(f"{namespace}/{held.get(slice_manifest.SERVICE_NAME)}")

    def sync(self, key: str) -> None:
        """Make the slices of Endpoints match them."""
        namespace, _, name = key.partition("/")
        endpoints, service = self.lister.get(ENDPOINTS, key), self.lister.get(SERVICE, key)
        existing = self._slices(namespace, name)
        if (
            endpoints is None
            or service is None
            or not is_mirrored(endpoints)
            or service["spec"].get("selector")
        ):
            self._delete(existing)
            return
        self._is_writing = True
        try:
            self._reconcile(endpoints, existing)
        finally:
            self._is_writing = False

    def _slices(self, namespace: str, name: str) -> list[Json]:
        selector = labels.selector_from_set(
            {slice_manifest.SERVICE_NAME: name, slice_manifest.MANAGED_BY: mirrored.MANAGER}
        )
        return self.lister.selected(SLICE, namespace, selector)

    def _reconcile(self, endpoints: Json, existing: list[Json]) -> None:
        found = mirrored.desired(endpoints)
        self._report(endpoints, found)
        by_group: dict[Group, list[Json]] = {}
        for slice_ in existing:
            by_group.setdefault(mirrored.group_of(slice_), []).append(slice_)
        spare: list[Json] = []
        missing: list[Json] = []
        for group, due in found.endpoints.items():
            slices = by_group.pop(group, [])
            spare += slices[1:]
            if not slices:
                missing.append(mirrored.fresh(endpoints, group, found))
            elif not mirrored.is_current(slices[0], endpoints, due):
                self._rewrite(slices[0], mirrored.fresh(endpoints, group, found))
        spare += [slice_ for slices in by_group.values() for slice_ in slices]
        self._create(endpoints, missing, spare)

    def _create(self, endpoints: Json, missing: list[Json], spare: list[Json]) -> None:
        """Write slices that are new; those that would be deleted are used again for them."""
        for slice_ in missing:
            again = [each for each in spare if each["addressType"] == slice_["addressType"]]
            if again:
                spare.remove(again[0])
                self._rewrite(again[0], slice_)
            elif "deletionTimestamp" not in endpoints["metadata"]:
                try:
                    self.store.create(slice_)
                except ApiError as error:
                    if not is_namespace_ending(error):
                        raise
                    return
        self._delete(spare)

    def _rewrite(self, old: Json, new: Json) -> None:
        metadata = {**new["metadata"], **{part: old["metadata"][part] for part in ("name", "uid")}}
        del metadata["generateName"]
        self.store.update({**new, "metadata": metadata})

    def _delete(self, slices: list[Json]) -> None:
        for slice_ in slices:
            metadata = slice_["metadata"]
            try:
                self.store.delete(SLICE, metadata["name"], metadata["namespace"])
            except NotFound:
                continue

    def _report(self, endpoints: Json, found: Desired) -> None:
        if found.invalid:
            text = f"Skipped {found.invalid} invalid IP addresses when mirroring to EndpointSlices"
            self.events.event(endpoints, WARNING, "InvalidIPAddress", text)
        if found.skipped > found.invalid:
            text = (
                f"A max of {mirrored.MOST} addresses can be mirrored to EndpointSlices per "
                f"Endpoints subset. {found.skipped} addresses were skipped"
            )
            self.events.event(endpoints, WARNING, "TooManyAddressesToMirror", text)
