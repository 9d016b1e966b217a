"""What the kernel of a node shows to a container: its control group, and its own process."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

from kubestage.objects import quantity
from kubestage.programs import tree
from kubestage.programs.files import Mount

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kubestage.aliases import Json
    from kubestage.programs.files import Files

GROUP: Final = "/sys/fs/cgroup"
_PERIOD_US: Final = 100_000
_LEAST_QUOTA_US: Final = 1000
_LEAST_SHARES: Final = 2
_MOST_SHARES: Final = 262_144
_MOST_WEIGHT: Final = 10_000
_PAGE: Final = 4096
_UNLIMITED: Final = "max"


def cpus_of(node: Json | None) -> int:
    """How many CPUs a node has."""
    capacity = ((node or {}).get("status") or {}).get("capacity") or {}
    return max(quantity.value_of(capacity.get("cpu")), 1)


def show(files: Files, container: Json, resources: Json, whole: Json, cpus: int) -> None:
    """Put the files there; `whole` is what the pod states for all its containers."""
    security = container.get("securityContext") or {}
    is_read_only = not security.get("privileged")
    files.mounts += [
        Mount("/proc", is_read_only=False, fs_type="proc"),
        Mount("/sys", is_read_only=is_read_only, fs_type="sysfs"),
        Mount(GROUP, is_read_only=is_read_only, fs_type="cgroup2"),
    ]
    own = _directory(_directory(files.root, "proc"), "self")
    has_no_new = security.get("allowPrivilegeEscalation") is False
    lines = {"NoNewPrivs": int(has_no_new), "Cpus_allowed_list": f"0-{cpus - 1}" if cpus > 1 else 0}
    status = tree.file("".join(f"{name}:\t{value}\n" for name, value in lines.items()).encode())
    status.is_image = True
    own.entries["status"] = status
    group = _directory(_directory(_directory(files.root, "sys"), "fs"), "cgroup")
    for name, text in _limits(resources, whole).items():
        group.entries[name] = tree.file(text.encode())


def limit(files: Files, resources: Json, whole: Json) -> None:
    """Other resources hold from now on."""
    for name, text in _limits(resources, whole).items():
        files.find(f"{GROUP}/{name}").data = text.encode()


def _limits(resources: Json, whole: Json) -> dict[str, str]:
    """The files of the second version of control groups, as kubelet and runc write them."""
    requests, limits = resources.get("requests") or {}, resources.get("limits") or {}
    all_limits = whole.get("limits") or {}
    cpu = _milli(limits, "cpu") or _milli(all_limits, "cpu")
    memory = quantity.value_of(limits.get("memory")) or quantity.value_of(all_limits.get("memory"))
    quota = max(cpu * _PERIOD_US // 1000, _LEAST_QUOTA_US) if cpu else _UNLIMITED
    requested = _milli(requests, "cpu") if "cpu" in requests else cpu
    return {
        "cpu.max": f"{quota} {_PERIOD_US}\n",
        "cpu.weight": f"{_weight(requested)}\n",
        "memory.max": f"{memory // _PAGE * _PAGE or _UNLIMITED}\n",
    }


def _milli(amounts: Mapping[str, Any], name: str) -> int:
    return quantity.milli_value_of(amounts.get(name))


def _weight(milli: int) -> int:
    """The weight for a request: the conversion from shares that runc has since 1.3.2."""
    shares = min(max(milli * 1024 // 1000, _LEAST_SHARES), _MOST_SHARES)
    if shares <= _LEAST_SHARES:
        return 1
    if shares >= _MOST_SHARES:
        return _MOST_WEIGHT
    power = math.log2(shares)
    return math.ceil(10 ** ((power * power + 125 * power) / 612 - 7 / 34))


def _directory(parent: tree.Node, name: str) -> tree.Node:
    found = parent.entries.get(name)
    if found is None:
        found = parent.entries[name] = tree.directory(is_image=True)
    return found
