"""All slices of one Service: which groups there are, and which pods belong to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.controllers.endpointslice import pod_endpoint, service_pods, service_ports
from kubestage.controllers.endpointslice.slice_group import SliceGroup
from kubestage.controllers.endpointslice.trigger_times import TriggerTimes

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from kubestage.aliases import Json
    from kubestage.controllers.endpointslice.service_ports import Port


class Layout:
    """What the slices of a Service should hold, retained from one sync to the next.

    `is_stale` is set when the slices, the nodes or the Service changed meanwhile.
    """

    __slots__ = ("_ports", "foreign", "groups", "is_stale", "misplaced", "retries", "times")

    def __init__(self) -> None:
        self.times = TriggerTimes()
        self.is_stale = True
        self.retries = 0
        self.misplaced: dict[str, str] = {}
        self.foreign: list[str] = []
        self.groups: dict[tuple[str, tuple[Port, ...]], SliceGroup] = {}
        self._ports: dict[str, tuple[Port, ...]] = {}

    def reread(self, service: Json, slices: Iterable[Json]) -> None:
        """Start again with the slices that exist; those of no Service are `foreign`."""
        self.groups, self._ports, self.misplaced, self.foreign = {}, {}, {}, []
        types = pod_endpoint.address_types(service)
        uid = service["metadata"]["uid"]
        for slice_ in slices:
            name = slice_["metadata"]["name"]
            references = slice_["metadata"].get("ownerReferences") or ()
            owned = any(each["uid"] == uid for each in references)
            if not owned or slice_["addressType"] not in types:
                self.foreign.append(name)
                continue
            ports = service_ports.of_slice(slice_.get("ports"))
            self._group(slice_["addressType"], ports).settle(name, slice_)
        self.is_stale = False

    def place(
        self, service: Json, changed: Mapping[str, Json | None], nodes: Mapping[str, Json]
    ) -> None:
        """Take in how pods are now."""
        for key, pod in changed.items():
            self._forget(key)
            if pod is not None and service_pods.has_address(pod):
                self._place(key, pod, service, nodes)

    def _forget(self, key: str) -> None:
        self.misplaced.pop(key, None)
        ports = self._ports.pop(key, None)
        if ports is not None:
            for group in self.groups.values():
                if group.ports == ports:
                    group.desired.pop(key, None)

    def _place(self, key: str, pod: Json, service: Json, nodes: Mapping[str, Json]) -> None:
        ports = service_ports.in_slice_order(service_ports.find(service, pod))
        self._ports[key] = ports
        node_name = pod["spec"].get("nodeName") or ""
        node = nodes.get(node_name)
        is_lost = node is None and not service["spec"].get("publishNotReadyAddresses")
        if is_lost:
            self.misplaced[key] = node_name
        for address_type in pod_endpoint.address_types(service):
            endpoint = (
                None if is_lost else pod_endpoint.endpoint_of(pod, node, service, address_type)
            )
            self._group(address_type, ports).desired[key] = endpoint

    def _group(self, address_type: str, ports: tuple[Port, ...]) -> SliceGroup:
        found = self.groups.get((address_type, ports))
        if found is None:
            found = self.groups[address_type, ports] = SliceGroup(address_type, ports)
        return found

    def placeholder(self, address_type: str) -> SliceGroup:
        """The group of a slice without ports."""
        return self._group(address_type, ())

    def prune(self) -> None:
        """Forget groups that have neither pods nor slices."""
        self.groups = {
            key: group for key, group in self.groups.items() if group.desired or group.slices
        }
