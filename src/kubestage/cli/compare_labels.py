"""How comparisons call and show what runs leave over on their nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.results.packing import wording

if TYPE_CHECKING:
    from collections.abc import Callable

LEFT_OVER_LABELS: Final = {
    "daemonOnlyNodes": "DaemonSet-only nodes",
    "removableNodes": "removable nodes",
    "strandedCpu": "stranded cpu",
    "strandedMemory": "stranded memory",
}
LEFT_OVER_AMOUNTS: Final[dict[str, Callable[[int], str]]] = {
    "strandedCpu": wording.cores,
    "strandedMemory": wording.gibibytes,
}
