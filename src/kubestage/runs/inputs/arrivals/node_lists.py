"""OpenB's list of nodes, as the nodes of a cluster."""

from __future__ import annotations

import msgspec

from kubestage.errors import InputError
from kubestage.runs.inputs.arrivals import trace_files, trace_objects


def is_one(text: bytes) -> bool:
    """Whether a text begins with the header of such a list."""
    header = text.partition(b"\n")[0].strip()
    return header.split(b",") == [name.encode() for name in trace_objects.NODE_COLUMNS]


def read(text: bytes, file: str) -> str:
    """The nodes as JSON."""
    nodes = []
    for line, row in trace_files.csv_rows(text.decode(), file):
        try:
            nodes.append(trace_objects.node(row))
        except ValueError as error:
            fix = "write whole numbers of cpu_milli, memory_mib and gpu"
            raise InputError(str(error), file=file, line=line, fix=fix) from None
    return msgspec.json.encode({"apiVersion": "v1", "kind": "List", "items": nodes}).decode()
