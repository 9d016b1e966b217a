"""Write a price catalog of the package from a table of instance types.

Run ``python tools/price_catalog.py TABLE.csv > src/kubestage/runs/inputs/price_data/NAME.csv``. The
table has the columns ``instance_type``, ``arch``, ``on_demand_usd_per_hour``, and one
``allocatable_*`` for each resource. Types without a price are left out.
"""

from __future__ import annotations

import csv
import sys
from typing import TextIO

RESOURCES = {
    "allocatable_cpu": "cpu",
    "allocatable_memory": "memory",
    "allocatable_pods": "pods",
    "allocatable_ephemeral_storage": "ephemeral-storage",
    "allocatable_nvidia_com_gpu": "nvidia.com/gpu",
    "allocatable_amd_com_gpu": "amd.com/gpu",
    "allocatable_aws_amazon_com_neuron": "aws.amazon.com/neuron",
}


def convert(table: TextIO, catalog: TextIO) -> None:
    """Write the rows that have a price, by name."""
    head = ["instance_type", "architecture", "price", *RESOURCES.values()]
    writer = csv.writer(catalog, lineterminator="\n")
    writer.writerow(head)
    rows = [row for row in csv.DictReader(table) if row["on_demand_usd_per_hour"]]
    for row in sorted(rows, key=lambda each: each["instance_type"]):
        own = (row["instance_type"], row["arch"], row["on_demand_usd_per_hour"])
        writer.writerow([*own, *(row[name] for name in RESOURCES)])


if __name__ == "__main__":
    with open(sys.argv[1], newline="") as opened:
        convert(opened, sys.stdout)
