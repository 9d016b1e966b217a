"""Tables of AWS instance types with what Karpenter's documents say of them, as tables of prices.

They have the columns ``instance_type``, ``arch``, ``on_demand_usd_per_hour``, ``cpu``,
``memory_mib``, one ``allocatable_*`` for each resource, and those of `_LABELS`.
"""

from __future__ import annotations

import csv
import io
import math
from typing import TYPE_CHECKING, Final

from kubestage.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

_PRICE: Final = "on_demand_usd_per_hour"
_NEEDED: Final = ("instance_type", "arch", _PRICE, "cpu", "memory_mib", "allocatable_cpu")
_RESOURCES: Final = {
    "allocatable_cpu": "cpu",
    "allocatable_memory": "memory",
    "allocatable_pods": "pods",
    "allocatable_ephemeral_storage": "ephemeral-storage",
    "allocatable_nvidia_com_gpu": "nvidia.com/gpu",
    "allocatable_amd_com_gpu": "amd.com/gpu",
    "allocatable_aws_amazon_com_neuron": "aws.amazon.com/neuron",
    "allocatable_vpc_amazonaws_com_efa": "vpc.amazonaws.com/efa",
}
_LABELS: Final = {
    "category": "category",
    "family": "family",
    "generation": "generation",
    "size": "size",
    "cpu": "cpu",
    "memory_mib": "memory",
    "cpu_manufacturer": "cpu-manufacturer",
    "hypervisor": "hypervisor",
    "local_nvme_gib": "local-nvme",
    "network_mbps": "network-bandwidth",
    "ebs_mbps": "ebs-bandwidth",
    "gpu_count": "gpu-count",
    "gpu_name": "gpu-name",
    "gpu_manufacturer": "gpu-manufacturer",
    "gpu_memory_mib": "gpu-memory",
    "accelerator_name": "accelerator-name",
    "accelerator_count": "accelerator-count",
}
_PREFIX: Final = "label:karpenter.k8s.aws/instance-"
_CAPACITY: Final = ("capacity:cpu", "capacity:memory", "capacity:ephemeral-storage")
_DISK: Final = "20Gi"
# What Karpenter takes to be lost to the hypervisor, and to the kernel of Graviton machines.
_HYPERVISOR_SHARE: Final = 0.075
_GRAVITON_MIB: Final = 64


def is_header(line: str) -> bool:
    """Whether the first line of a CSV is one of these tables."""
    return set(line.strip().split(",")).issuperset(_NEEDED)


def convert(text: str, file: str) -> tuple[str, int]:
    """The rows that have a price, by name, as a table of prices; how many have none."""
    rows = list(csv.DictReader(io.StringIO(text)))
    priced = [row for row in rows if row[_PRICE]]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    head = ["instance_type", "architecture", "price", *_RESOURCES.values(), *_CAPACITY]
    names = [*_LABELS.values(), "capability-flex"]
    writer.writerow([*head, *(_PREFIX + name for name in names)])
    for row in sorted(priced, key=lambda each: each["instance_type"]):
        own = (row["instance_type"], row["arch"], row[_PRICE])
        amounts = (row.get(name) or "" for name in _RESOURCES)
        flex = str("-flex" in (row.get("family") or "")).lower()
        labels = (row.get(name) or "" for name in _LABELS)
        writer.writerow([*own, *amounts, *_capacity(row, file), *labels, flex])
    return out.getvalue(), len(rows) - len(priced)


def _capacity(row: Mapping[str, str], file: str) -> tuple[str, str, str]:
    """What a machine has before anything is reserved."""
    try:
        mib = int(row["memory_mib"])
    except ValueError:
        problem = f'memory_mib of {row["instance_type"]} is "{row["memory_mib"]}"'
        raise InputError(problem, file=file, fix="write a whole number of MiB") from None
    mib -= _GRAVITON_MIB if row["arch"] == "arm64" else 0
    return row["cpu"], f"{mib - math.ceil(mib * _HYPERVISOR_SHARE)}Mi", _DISK
