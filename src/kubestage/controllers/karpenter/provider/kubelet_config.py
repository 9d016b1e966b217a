"""What an EC2NodeClass changes of a machine: pods, what kubelets reserve, and its disk.

The rules are those of Karpenter's provider for AWS.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.karpenter import amounts
from kubestage.controllers.karpenter.provider.catalog import Room
from kubestage.objects import pod_resources, quantity

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.karpenter.amounts import Amounts

LOCAL_NVME: Final = "karpenter.k8s.aws/instance-local-nvme"
_MIB: Final = 1 << 20
_GIB: Final = 1 << 30
_PER_POD_MIB: Final = 11
_BASE_MIB: Final = 255
_EVICTION_MIB: Final = 100
_EVICTION_PERCENT: Final = 10
_HARD: Final = {"memory.available": "memory", "nodefs.available": "ephemeral-storage"}


def adjusted(room: Room, own: Json, spec: Json) -> Room:
    """The room of a type with these labels under the spec of an EC2NodeClass."""
    kubelet = spec.get("kubelet") or {}
    capacity = dict(room.capacity)
    pods = _pods(capacity, kubelet)
    if pods is not None:
        capacity[pod_resources.PODS] = pods * amounts.UNIT
    disk = _disk(spec, own)
    if disk is not None:
        capacity[pod_resources.EPHEMERAL_STORAGE] = disk
    if capacity == room.capacity and not kubelet:
        return room
    reserved = _reserved(capacity, room, kubelet)
    return Room(capacity, {**room.overhead, **reserved})


def _pods(capacity: Amounts, kubelet: Json) -> int | None:
    most: int | None = kubelet.get("maxPods")
    per_core = kubelet.get("podsPerCore")
    if per_core:
        known = capacity[pod_resources.PODS] // amounts.UNIT if most is None else most
        most = min(known, per_core * (capacity[pod_resources.CPU] // amounts.UNIT))
    return most


def _disk(spec: Json, own: Json) -> int | None:
    """The ephemeral storage, if the class decides on it: local disks, or the root volume."""
    if spec.get("instanceStorePolicy") == "RAID0" and own.get(LOCAL_NVME):
        return quantity.milli_value_of(f"{own[LOCAL_NVME]}G")
    mappings = spec.get("blockDeviceMappings") or []
    root = next((each for each in mappings if each.get("rootVolume")), None)
    if root is None and spec.get("amiFamily") == "Custom" and mappings:
        root = mappings[-1]
    if root is None:
        root = next((each for each in mappings if each.get("deviceName") == "/dev/xvda"), None)
    size = ((root or {}).get("ebs") or {}).get("volumeSize")
    return None if size is None else quantity.milli_value_of(size)


def _reserved(capacity: Amounts, room: Room, kubelet: Json) -> Amounts:
    """What kubelets withhold: their own share, the system's, and room before they evict."""
    pods = capacity[pod_resources.PODS] // amounts.UNIT
    own = {
        pod_resources.MEMORY: (_PER_POD_MIB * pods + _BASE_MIB) * _MIB * amounts.UNIT,
        pod_resources.EPHEMERAL_STORAGE: _GIB * amounts.UNIT,
    }
    if pod_resources.CPU in room.overhead:
        own[pod_resources.CPU] = room.overhead[pod_resources.CPU]
    own |= amounts.of(kubelet.get("kubeReserved"))
    disk = capacity.get(pod_resources.EPHEMERAL_STORAGE, 0)
    eviction = {
        pod_resources.MEMORY: _EVICTION_MIB * _MIB * amounts.UNIT,
        pod_resources.EPHEMERAL_STORAGE: -(-disk * _EVICTION_PERCENT // 100),
    }
    for signal, name in _HARD.items():
        stated = (kubelet.get("evictionHard") or {}).get(signal)
        if stated is not None:
            eviction[name] = _threshold(stated, capacity.get(name, 0))
    found = amounts.merged(own, amounts.of(kubelet.get("systemReserved")), eviction)
    return {name: amount for name, amount in found.items() if name in capacity}


def _threshold(stated: str, whole: int) -> int:
    """An amount, or a share of the whole; a share of 100 % withholds nothing."""
    if not stated.endswith("%"):
        return quantity.milli_value_of(stated)
    share = float(stated.removesuffix("%"))
    return 0 if share >= 100 else -int(-whole * share // 100)
