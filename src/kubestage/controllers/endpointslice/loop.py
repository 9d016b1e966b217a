"""Keeps EndpointSlices in line with Services and the pods behind them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.aliases import Json
from kubestage.controllers.controller import Controller
from kubestage.controllers.endpointslice import pod_endpoint, service_ports, slice_manifest
from kubestage.controllers.endpointslice.layout import Layout
from kubestage.controllers.endpointslice.service_pods import SERVICE, ServicePods
from kubestage.errors import ApiError
from kubestage.objects import gvk, labels
from kubestage.store.event_recorder import WARNING
from kubestage.store.log import ADDED, DELETED

if TYPE_CHECKING:
    from kubestage.controllers.controller import Cluster, Handlers
    from kubestage.controllers.endpointslice.slice_group import SliceGroup
    from kubestage.store.log import Change

Draft = tuple["SliceGroup", list[Json]]
Spare = tuple["SliceGroup", str]

SLICE: Final = ("discovery.k8s.io/v1", "EndpointSlice")
_ZONE: Final = "topology.kubernetes.io/zone"
_SLICE_DELAY_NS: Final = 1_000_000_000
_FIRST_RETRY_NS: Final = 1_000_000_000
_MOST_RETRIES: Final = 15


class EndpointSliceController(Controller):
    """Keys are those of Services."""

    name = "endpoint-slice-controller"

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self._pods = ServicePods(self.lister)
        self._layouts: dict[str, Layout] = {}
        self._kind = self.store.kind(SLICE)
        self._is_writing = False

    def handlers(self) -> Handlers:
        """Services, pods, slices that others wrote, and nodes for their zones."""
        return {
            ("", "Service"): self._on_service,
            ("", "Pod"): self._on_pod,
            ("discovery.k8s.io", "EndpointSlice"): self._on_slice,
            ("", "Node"): self._on_node,
        }

    def _on_service(self, change: Change) -> None:
        if self._pods.on_service(change):
            self.queue.add(change.key)

    def _on_pod(self, change: Change) -> None:
        for key in self._pods.on_pod(change):
            self.queue.add(key)

    def _on_slice(self, change: Change) -> None:
        if self._is_writing or not self._layouts:
            return
        for slice_ in (change.new, change.old or change.new):
            held = slice_["metadata"].get("labels") or {}
            key = f"{change.new['metadata']['namespace']}/{held.get(slice_manifest.SERVICE_NAME)}"
            layout = self._layouts.get(key)
            if layout is not None:
                layout.is_stale = True
                self.queue.add_after(key, _SLICE_DELAY_NS)

    def _on_node(self, change: Change) -> None:
        """A change of a node's zone takes effect at the next sync of its Services, as upstream."""
        if not self._layouts or change.type == ADDED:
            return
        assert change.old is not None
        if change.type == DELETED or _zone(change.old) != _zone(change.new):
            for layout in self._layouts.values():
                layout.is_stale = True

    def sync(self, key: str) -> None:
        """Make the slices of a Service match its pods."""
        service, backing = self.lister.get(SERVICE, key), self._pods.get(key)
        if service is None or backing is None:
            self._layouts.pop(key, None)
            return
        namespace = service["metadata"]["namespace"]
        layout = self._layouts.setdefault(key, Layout())
        backing.is_new = is_new = backing.is_new or layout.is_stale
        lost = layout.misplaced
        backing.changed |= dict.fromkeys(lost)
        changed = self._pods.take(backing, namespace)
        trigger = layout.times.take(service, changed)
        if is_new:
            layout.reread(service, self._slices(service))
        layout.place(service, changed, self.store.read(gvk.NODE))
        self._is_writing = True
        try:
            self._write(layout, service, None if is_new else changed, trigger)
        except ApiError as error:
            layout.is_stale = True
            if not is_namespace_ending(error):
                self._complain(service, layout, key, error.message)
            return
        finally:
            self._is_writing = False
        if layout.misplaced:
            self._complain(service, layout, key, _misplaced_text(service, layout))
        else:
            layout.retries = 0

    def _slices(self, service: Json) -> list[Json]:
        desired = {
            slice_manifest.SERVICE_NAME: service["metadata"]["name"],
            slice_manifest.MANAGED_BY: slice_manifest.MANAGER,
        }
        namespace = service["metadata"]["namespace"]
        found = self.lister.selected(SLICE, namespace, labels.selector_from_set(desired))
        return [each for each in found if "deletionTimestamp" not in each["metadata"]]

    def _complain(self, service: Json, layout: Layout, key: str, why: str) -> None:
        metadata = service["metadata"]
        whose = f"{metadata['namespace']}/{metadata['name']}"
        text = f"Error updating Endpoint Slices for Service {whose}: {why}"
        self.events.event(service, WARNING, "FailedToUpdateEndpointSlices", text)
        if layout.retries < _MOST_RETRIES:
            delay_ns = min(_FIRST_RETRY_NS << layout.retries, 1000 * _FIRST_RETRY_NS)
            self.queue.add_after(key, delay_ns)
            layout.retries += 1
        else:
            layout.retries = 0

    def _write(
        self, layout: Layout, service: Json, changed: dict[str, Any] | None, trigger: str | None
    ) -> None:
        for address_type in pod_endpoint.address_types(service):
            self._write_type(layout, service, address_type, changed, trigger)
        namespace = service["metadata"]["namespace"]
        for name in layout.foreign:
            self.store.delete(SLICE, name, namespace)
        layout.foreign = []
        layout.prune()

    def _write_type(
        self,
        layout: Layout,
        service: Json,
        address_type: str,
        changed: dict[str, Any] | None,
        trigger: str | None,
    ) -> None:
        """Write the slices of one kind of addresses."""
        groups = [each for each in layout.groups.values() if each.address_type == address_type]
        most = self.settings.max_endpoints_per_slice
        drafts: list[Draft] = []
        spares: list[Spare] = []
        rewrites: list[tuple[SliceGroup, str, list[Json]]] = []
        for group in groups:
            outdated = _outdated(group, service) if changed is None else ()
            plan = group.plan(changed, most, outdated)
            rewrites += [(group, name, unchanged) for name, unchanged in plan.updates.items()]
            drafts += [(group, endpoints) for endpoints in plan.creates]
            spares += [(group, name) for name in plan.deletes]
        if not drafts and len(spares) == sum(len(group.slices) for group in groups):
            if len(spares) == 1 and _is_placeholder(spares[0], service):
                spares = []
            else:
                drafts.append((layout.placeholder(address_type), []))
        self._reuse(service, drafts, spares, trigger)
        self._create(service, drafts, trigger)
        for group, name, unchanged in rewrites:
            old = group.slices[name]
            self._put(
                group, slice_manifest.rewritten(old, service, unchanged, old["ports"], trigger)
            )
        for group, name in spares:
            self.store.delete(SLICE, name, service["metadata"]["namespace"])
            group.settle(name, None)

    def _reuse(
        self, service: Json, drafts: list[Draft], spares: list[Spare], trigger: str | None
    ) -> None:
        """A slice that would go becomes one that is needed, which is one write instead of two."""
        while drafts and spares:
            group, endpoints = drafts.pop()
            old_group, name = spares.pop(0)
            old = old_group.slices[name]
            old_group.settle(name, None)
            ports: Any = service_ports.written(group.ports) or None
            self._put(group, slice_manifest.rewritten(old, service, endpoints, ports, trigger))

    def _create(self, service: Json, drafts: list[Draft], trigger: str | None) -> None:
        if "deletionTimestamp" in service["metadata"]:
            return
        for group, endpoints in drafts:
            created = self.store.create(slice_manifest.fresh(group, service, endpoints, trigger))
            group.settle(created["metadata"]["name"], created)

    def _put(self, group: SliceGroup, slice_: Json) -> None:
        # NOTE: written as it is stored, for it is right by construction: an update of a full slice
        # costs a millisecond, and every pod that becomes ready is one (benchmarks/controllers.py).
        metadata = slice_["metadata"]
        written = self.store.put(self._kind, f"{metadata['namespace']}/{metadata['name']}", slice_)
        self.store.settle()
        group.settle(metadata["name"], written)


def _outdated(group: SliceGroup, service: Json) -> list[str]:
    return [
        name for name, each in group.slices.items() if slice_manifest.is_outdated(each, service)
    ]


def _is_placeholder(spare: Spare, service: Json) -> bool:
    group, name = spare
    return slice_manifest.is_placeholder(group.slices[name], service)


def _zone(node: Json) -> str | None:
    zone: str | None = (node["metadata"].get("labels") or {}).get(_ZONE)
    return zone


def _misplaced_text(service: Json, layout: Layout) -> str:
    metadata = service["metadata"]
    whose = f"{metadata['namespace']}/{metadata['name']}"
    texts = [
        f"skipping Pod {key.partition('/')[2]} for Service {whose}: Node {node} Not Found"
        for key, node in layout.misplaced.items()
    ]
    return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"


def is_namespace_ending(error: ApiError) -> bool:
    """Whether something was refused because its namespace is being deleted."""
    causes = error.details.get("causes") or ()
    return any(cause.get("reason") == "NamespaceTerminating" for cause in causes)
