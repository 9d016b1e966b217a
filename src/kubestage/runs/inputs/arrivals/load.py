"""The load of a trace: shuffled, and resampled to so much of what the nodes have.

Random numbers are those of Go's math/rand, in the order in which the simulator of OpenB's authors
draws them, so that a seed has the same pods in the same order here and there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.errors import InputError
from kubestage.objects import quantity
from kubestage.runs.inputs.arrivals.trace_map import GPU
from kubestage.runs.inputs.arrivals.trace_objects import WHOLE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.aliases import Json
    from kubestage.golang.rand import Rand
    from kubestage.runs.inputs.arrivals.trace_objects import Arrival

OPTION: Final = "--arrivals-load"
_HIGHEST: Final = 100.0
_FIX: Final = "write a share of what the nodes have, as in 1.3 or 130%"


def parse(text: str) -> float:
    """The load of ``1.3`` or ``130%``."""
    try:
        load = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        raise InputError(f'"{text}" is no load', path=OPTION, fix=_FIX) from None
    if not 0 < load <= _HIGHEST:
        raise InputError(f"{text} is not above 0 and at most {_HIGHEST:g}", path=OPTION, fix=_FIX)
    return load


def resampled(
    ordered: Sequence[Arrival],
    arrivals: Sequence[Arrival],
    nodes: Sequence[Json],
    load: float,
    random: Rand,
) -> list[Arrival]:
    """Pods that request the load: to those in order some of the trace are added, or removed.

    It is the load of devices if any pod requests some, else that of CPU.
    """
    of_devices = any(each.share for each in arrivals)
    limit = load * (_devices(nodes) * WHOLE if of_devices else 1000 * _cpu(nodes))
    amounts = [_amount(each, of_devices) for each in arrivals]
    total = sum(amounts)
    if not limit or not total:
        what = f"{GPU}-count" if of_devices else "cpu"
        fix = "add nodes that have it, and pods that request it"
        raise InputError(f"there is no {what} to be loaded", path=OPTION, fix=fix)
    changed = list(ordered)
    while total > limit:
        at = random.intn(len(changed))
        total -= _amount(changed.pop(at), of_devices)
    while total < limit:
        drawn = random.intn(len(arrivals))
        one = arrivals[drawn]
        # As there: the next one is compared by its share of a single device.
        if total + (one.share if of_devices else amounts[drawn]) > limit:
            break
        total += amounts[drawn]
        changed.append(_copied(one, len(changed) - len(arrivals)))
    return changed


def _copied(one: Arrival, number: int) -> Arrival:
    metadata = {**one.pod["metadata"], "name": f"{one.pod['metadata']['name']}-copy-{number}"}
    return msgspec.structs.replace(one, pod={**one.pod, "metadata": metadata})


def _amount(one: Arrival, of_devices: bool) -> float:
    return one.share * one.number if of_devices else 1000 * one.cpu


def _devices(nodes: Sequence[Json]) -> int:
    return sum(int(_allocatable(node, f"{GPU}-count")) for node in nodes)


def _cpu(nodes: Sequence[Json]) -> float:
    return sum(_allocatable(node, "cpu") for node in nodes)


def _allocatable(node: Json, resource: str) -> float:
    status = node.get("status") or {}
    label = (node["metadata"].get("labels") or {}).get(resource, "0")
    found = (status.get("allocatable") or {}).get(resource, label)
    return quantity.parse(str(found)).milli_value / 1000
