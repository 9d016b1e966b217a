"""The ServiceCIDR controller: a range of Services is ready, and does not go while it is used."""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING, Final

from kubestage.controllers import pods
from kubestage.controllers.controller import Controller
from kubestage.objects import timestamps
from kubestage.store import service_ranges
from kubestage.store.ip_addresses import ALLOCATOR, IP_ADDRESS, MANAGED_BY
from kubestage.store.log import ADDED, MODIFIED
from kubestage.store.service_ranges import SERVICE_CIDR
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.controller import Handlers
    from kubestage.store.log import Change
    from kubestage.store.service_ranges import Network

FINALIZER: Final = "networking.k8s.io/service-cidr-finalizer"
# API servers have time to see that a range ends before it is gone.
_GRACE_NS: Final = 10 * SECOND_NS
_READY: Final = {"status": "True", "reason": "", "message": "Kubernetes Service CIDR is ready"}
_IN_USE: Final = {
    "status": "False",
    "reason": "Terminating",
    "message": (
        "There are still IPAddresses referencing the ServiceCIDR, please remove them or create "
        "a new ServiceCIDR"
    ),
}


class ServiceCIDRController(Controller):
    """Adds a finalizer and the condition Ready, and removes the finalizer. Keys are names."""

    name = "service-cidr-controller"
    max_retries = 15

    def handlers(self) -> Handlers:
        """Ranges, and addresses that come or go."""
        group = "networking.k8s.io"
        return {(group, "ServiceCIDR"): self._on_range, (group, "IPAddress"): self._on_address}

    def _on_range(self, change: Change) -> None:
        self.queue.add(change.key)
        if change.type == ADDED:
            new = service_ranges.networks(change.new)
            for name, obj in self.store.read(SERVICE_CIDR).items():
                if any(_overlap(a, b) for a in new for b in service_ranges.networks(obj)):
                    self.queue.add(name)

    def _on_address(self, change: Change) -> None:
        labels = change.new["metadata"].get("labels") or {}
        if change.type != MODIFIED and labels.get(MANAGED_BY) == ALLOCATOR:
            for name in self._containing(change.key):
                self.queue.add(name)

    def _containing(self, address: str) -> list[str]:
        """The names of all ranges that an address is in."""
        parsed = ipaddress.ip_address(address)
        return [
            name
            for name, obj in self.store.read(SERVICE_CIDR).items()
            if any(parsed in network for network in service_ranges.networks(obj))
        ]

    def sync(self, key: str) -> None:
        """Let a range be used, or let one that ends go."""
        found = self.lister.get(SERVICE_CIDR, key)
        if found is None:
            return
        metadata = found["metadata"]
        if "deletionTimestamp" not in metadata:
            self._add_finalizer(key, metadata)
            self._set_condition(key, _READY)
        elif self._is_used(found):
            self._set_condition(key, _IN_USE)
        else:
            ended_ns = timestamps.parse_time(metadata["deletionTimestamp"])
            left_ns = _GRACE_NS - (self.clock.unix_ns - ended_ns)
            if left_ns > 0:
                self.queue.add_after(key, left_ns)
            else:
                self._remove_finalizer(key, metadata)

    def _is_used(self, service_cidr: Json) -> bool:
        """Whether addresses would be in no range without this one."""
        name, networks = service_cidr["metadata"]["name"], service_ranges.networks(service_cidr)
        if all(self._has_parent(name, network) for network in networks):
            return False
        for address, obj in self.store.read(IP_ADDRESS).items():
            labels = obj["metadata"].get("labels") or {}
            if labels.get(MANAGED_BY) == ALLOCATOR and self._containing(address) == [name]:
                return True
        return False

    def _has_parent(self, name: str, network: Network) -> bool:
        """Whether another range contains this one."""
        return any(
            _contains(outer, network)
            for other, obj in self.store.read(SERVICE_CIDR).items()
            if other != name
            for outer in service_ranges.networks(obj)
        )

    def _add_finalizer(self, key: str, metadata: Json) -> None:
        finalizers = metadata.get("finalizers") or []
        if FINALIZER not in finalizers:
            changed = {**metadata, "finalizers": [*finalizers, FINALIZER]}
            self.store.record_metadata(SERVICE_CIDR, key, changed)

    def _remove_finalizer(self, key: str, metadata: Json) -> None:
        finalizers = [each for each in metadata.get("finalizers") or () if each != FINALIZER]
        self.store.patch(SERVICE_CIDR, key, {"metadata": {"finalizers": finalizers or None}})

    def _set_condition(self, key: str, new: Json) -> None:
        found = self.store.read(SERVICE_CIDR)[key]
        old = pods.condition(found.get("status"), service_ranges.READY) or {}
        if all(old.get(name) == value for name, value in new.items()):
            return
        now = timestamps.format_time(self.clock.unix_ns)
        condition = {"type": service_ranges.READY, **new, "lastTransitionTime": now}
        config = {
            "apiVersion": SERVICE_CIDR[0],
            "kind": SERVICE_CIDR[1],
            "metadata": {"name": key},
            "status": {"conditions": [condition]},
        }
        self.store.apply(
            SERVICE_CIDR, key, config, manager=self.name, force=True, subresource="status"
        )


def _contains(outer: Network, inner: Network) -> bool:
    return (
        outer.version == inner.version
        and inner.network_address in outer
        and inner.prefixlen >= outer.prefixlen
    )


def _overlap(one: Network, other: Network) -> bool:
    return one.version == other.version and one.overlaps(other)
