"""What a kubelet writes on its node: labels, addresses, capacity, conditions, images."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.kubelet import images
from kubestage.controllers.kubelet.events import NORMAL
from kubestage.objects import gvk, resource_totals, timestamps

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.kubelet.addresses import Addresses
    from kubestage.controllers.kubelet.events import Events
    from kubestage.controllers.kubelet.node import Node
    from kubestage.controllers.kubelet.settings import KubeletSettings
    from kubestage.store.store import Store


# Type, status, reason, message and, when the kubelet newly observes it, the reason of its Event.
_CONDITIONS: Final = (
    ("MemoryPressure", "False", "KubeletHasSufficientMemory",
     "kubelet has sufficient memory available", "NodeHasSufficientMemory"),
    ("DiskPressure", "False", "KubeletHasNoDiskPressure",
     "kubelet has no disk pressure", "NodeHasNoDiskPressure"),
    ("PIDPressure", "False", "KubeletHasSufficientPID",
     "kubelet has sufficient PID available", "NodeHasSufficientPID"),
    ("Ready", "True", "KubeletReady", "kubelet is posting ready status", "NodeReady"),
)  # fmt: skip
_NODE_INFO: Final = {
    "architecture": "amd64",
    "bootID": "",
    "containerRuntimeVersion": "containerd://2.1.4",
    "kernelVersion": "",
    "kubeProxyVersion": "",
    "machineID": "",
    "operatingSystem": "linux",
    "osImage": "",
    "systemUUID": "",
}


class Registration:
    """Writes the objects of nodes."""

    def __init__(
        self, store: Store, settings: KubeletSettings, addresses: Addresses, events: Events
    ) -> None:
        self._store = store
        self._settings = settings
        self._addresses = addresses
        self._events = events

    def locate(self, node: Node) -> None:
        """Find or give a node its own address, and the range of its pods."""
        status = node.object.get("status") or {}
        addresses = [
            each["address"]
            for each in status.get("addresses") or ()
            if each["type"] == "InternalIP"
        ]
        node.ips = [{"ip": each} for each in addresses[:2]] or [{"ip": self._addresses.next_host()}]
        node.ip = node.ips[0]["ip"]
        for each in addresses:
            self._addresses.keep_host(each)
        cidr = (node.object.get("spec") or {}).get("podCIDR")
        node.addresses = self._addresses.next_range(cidr)

    def register(self, node: Node) -> None:
        """Complete the object of a node that has just come; one that reported is left as it is."""
        status = node.object.get("status") or {}
        conditions = status.get("conditions") or ()
        if any(each["type"] == "Ready" and each["status"] != "Unknown" for each in conditions):
            return
        self._label(node)
        self._events.node(node, NORMAL, "Starting", "Starting kubelet.")
        text = "Updated Node Allocatable limit across pods"
        self._events.node(node, NORMAL, "NodeAllocatableEnforced", text)
        self.recover(node)

    def recover(self, node: Node) -> None:
        """Report a node as ready and all that goes with it."""
        status = node.object.get("status") or {}
        now = timestamps.format_time(self._store.clock.unix_ns)
        before = {each["type"]: each for each in status.get("conditions") or ()}
        reasons = [
            reason
            for kind, value, _, _, reason in _CONDITIONS
            if kind not in before or before[kind]["status"] != value
        ]
        self._record(
            node, {**self._completed(node, status), "conditions": _conditions(before, now)}
        )
        for reason in reasons:
            text = f"Node {node.name} status is now: {reason}"
            self._events.node(node, NORMAL, reason, text)

    def offer(self, node: Node, before: Json) -> None:
        """Offer what clients add to a node's capacity: it is allocatable, and no longer if it goes.

        That is so for extended resources whose allocatable amount was not written with it.
        """
        status = node.object.get("status") or {}
        capacity, was = status.get("capacity") or {}, before.get("capacity") or {}
        if capacity == was:
            return
        allocatable, shown = status.get("allocatable") or {}, before.get("allocatable") or {}
        offered = dict(allocatable)
        for name in {**was, **capacity}:
            is_changed = capacity.get(name) != was.get(name)
            if not is_changed or not resource_totals.is_extended(name):
                continue
            if allocatable.get(name) != shown.get(name):
                continue
            if name in capacity:
                offered[name] = capacity[name]
            else:
                offered.pop(name, None)
        if offered != allocatable:
            self._record(node, {**status, "allocatable": offered})

    def show_image(self, node: Node, come: list[tuple[str, int]]) -> None:
        """Show images that have come to a node."""
        status = node.object.get("status") or {}
        shown = status.get("images") or []
        for image, size in come:
            shown = images.with_image(shown, image, size)
        self._record(node, {**status, "images": shown})

    def _record(self, node: Node, status: Json) -> None:
        node.renew(self._store.record_status(gvk.NODE, node.name, status))

    def _label(self, node: Node) -> None:
        metadata = node.object["metadata"]
        labels = {
            "beta.kubernetes.io/arch": "amd64",
            "beta.kubernetes.io/os": "linux",
            "kubernetes.io/arch": "amd64",
            "kubernetes.io/hostname": node.name,
            "kubernetes.io/os": "linux",
            **(metadata.get("labels") or {}),
        }
        node.renew(self._store.record_metadata(gvk.NODE, node.name, {**metadata, "labels": labels}))

    def _completed(self, node: Node, status: Json) -> Json:
        """A status with all that a kubelet knows of its machine."""
        capacity = status.get("capacity") or status.get("allocatable")
        capacity = capacity or self._settings.node_capacity
        info = status.get("nodeInfo") or {}
        if not info.get("kubeletVersion"):
            known = {name: text for name, text in info.items() if text}
            info = {**_NODE_INFO, "kubeletVersion": self._settings.kubelet_version, **known}
        addresses = list(status.get("addresses") or ())
        kinds = [each["type"] for each in addresses]
        if "InternalIP" not in kinds:
            addresses += [{"type": "InternalIP", "address": each["ip"]} for each in node.ips]
        if "Hostname" not in kinds:
            addresses.append({"type": "Hostname", "address": node.name})
        return {
            **status,
            "capacity": capacity,
            "allocatable": status.get("allocatable") or capacity,
            "addresses": addresses,
            "daemonEndpoints": {"kubeletEndpoint": {"Port": 10250}},
            "nodeInfo": info,
        }


def _conditions(before: dict[str, Json], now: str) -> list[Json]:
    """The kubelet's conditions, renewed where they are and added where they are not."""
    fresh = {}
    for kind, value, reason, message, _ in _CONDITIONS:
        old = before.get(kind)
        is_same = old is not None and old["status"] == value
        fresh[kind] = {
            "type": kind,
            "status": value,
            "lastHeartbeatTime": now,
            "lastTransitionTime": old.get("lastTransitionTime") if old and is_same else now,
            "reason": reason,
            "message": message,
        }
    return list({**before, **fresh}.values())
