"""Pods and nodes from the rows of traces."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.errors import InputError
from kubestage.objects.validation import resource_names
from kubestage.runs.inputs.arrivals.trace_map import GPU

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.runs.inputs.arrivals.trace_files import Row
    from kubestage.runs.inputs.arrivals.trace_map import TraceMap

_NOT_IN_NAMES: Final = re.compile(r"[^a-z0-9-]+")
NODE_COLUMNS: Final = ("sn", "cpu_milli", "memory_mib", "gpu", "model")
"""The header of OpenB's list of nodes."""
_NODE_PODS: Final = 110
WHOLE: Final = 1000


class Arrival(msgspec.Struct, frozen=True):
    """A pod that arrives, with its request of CPU and its shares of devices."""

    at_ns: int
    pod: Json
    cpu: float
    share: int
    number: int


def arrival(row: Row, meaning: TraceMap, default_name: str) -> Arrival:
    """The pod of a row."""
    name = meaning["name"].text_of(row) if "name" in meaning else default_name
    requests: dict[str, str] = {}
    metadata: dict[str, Any] = {"name": _NOT_IN_NAMES.sub("-", name.lower()).strip("-")}
    cpu = 0.0
    for field, expression in meaning.items():
        kind, _, key = field.partition(".")
        if kind in ("label", "annotation"):
            text = expression.text_of(row)
            if text and text != "0":
                metadata.setdefault(f"{kind}s", {})[key] = text
        elif field == "cpu":
            cpu = _amount(expression.number_of(row), field)
            requests["cpu"] = f"{round(1000 * cpu)}m"
        elif field == "memory" or kind == "resource":
            amount = round(_amount(expression.number_of(row), field))
            if amount or field == "memory":
                requests[key or field] = str(amount)
    if "duration" in meaning:
        seconds = max(meaning["duration"].number_of(row), 0.0)
        metadata.setdefault("annotations", {})["kubestage.dev/run-duration"] = f"{seconds:g}s"
    annotations = metadata.get("annotations") or {}
    share = int(annotations.get(f"{GPU}-milli") or 0)
    return Arrival(
        round(1e9 * _amount(meaning["at"].number_of(row), "at")) if "at" in meaning else 0,
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": metadata,
            "spec": {
                "restartPolicy": "Never",
                "containers": [
                    {"name": "main", "image": "trace", "resources": _resources(requests)}
                ],
            },
        },
        cpu,
        share,
        int(annotations.get(f"{GPU}-count") or (1 if share else 0)),
    )


def _resources(requests: dict[str, str]) -> Json:
    """Requests, and the limits without which devices are refused."""
    limits = {
        name: amount
        for name, amount in requests.items()
        if not resource_names.is_overcommit_allowed(name)
    }
    return {"requests": requests, "limits": limits} if limits else {"requests": requests}


def node(row: Row) -> Json:
    """A node of OpenB's list."""
    devices = int(row["gpu"] or 0)
    has: dict[str, Any] = {
        "cpu": f"{int(row['cpu_milli'])}m",
        "memory": f"{int(row['memory_mib'])}Mi",
        "pods": str(_NODE_PODS),
    }
    labels = {"kubernetes.io/hostname": row["sn"]}
    if devices:
        has |= {f"{GPU}-count": str(devices), f"{GPU}-milli": str(devices * WHOLE)}
        labels[f"{GPU}-card-model"] = row["model"]
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": row["sn"], "labels": labels},
        "status": {"capacity": has, "allocatable": has},
    }


def _amount(value: float, field: str) -> float:
    if value < 0:
        raise InputError(f"{value:g} is negative", path=field, fix="see the row's cells")
    return value
