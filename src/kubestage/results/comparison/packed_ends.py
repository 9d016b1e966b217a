"""What is left over on nodes at the end of a run: the measures that people judge packing by."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.results.comparison.measures import LESS, Measure
from kubestage.results.packing import contents, measures

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kubestage.store.store import Store


class PackedEnd(msgspec.Struct, frozen=True):
    """Nodes and resources that nothing needs, at the end of a run; less of each is better."""

    daemon_only_nodes: int
    """Nodes that run nothing but what every node runs, or nothing at all."""
    removable_nodes: int
    """Nodes whose pods fit on the others, all of them together."""
    stranded_cpu: int
    """Milli-CPU that are free where a median pod does not fit."""
    stranded_memory: int
    """Bytes."""


_NAMES: Final = {
    "daemonOnlyNodes": "daemon_only_nodes",
    "removableNodes": "removable_nodes",
    "strandedCpu": "stranded_cpu",
    "strandedMemory": "stranded_memory",
}
NAMES: Final = tuple(_NAMES)


def of_store(store: Store, removable_nodes: int) -> PackedEnd:
    """What is left over in a cluster as it is now."""
    found = contents.of_store(store)
    used = {pod.node for pod in found.pods if pod.node and not pod.is_daemon}
    stranded = measures.stranded(found)
    return PackedEnd(
        sum(node.name not in used for node in found.nodes),
        removable_nodes,
        stranded.milli_cpu,
        stranded.memory_bytes,
    )


def figures(ends: Sequence[PackedEnd | None]) -> Iterator[Measure]:
    """The measures of several runs; none if nothing is known of any."""
    if not any(ends):
        return
    for name, field in _NAMES.items():
        values = tuple(None if each is None else getattr(each, field) for each in ends)
        yield Measure(name, None, LESS, values)
