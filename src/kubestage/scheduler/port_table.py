"""Which host ports are taken on which nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kubestage.objects import host_ports

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.objects.host_ports import HostPort
    from kubestage.scheduler.arrays import Ints, Mask
    from kubestage.scheduler.kept_rows import KeptRows
    from kubestage.scheduler.node_info import NodeInfo


class PortTable:
    """For each protocol and port, and each address it is bound to, the nodes where it is taken."""

    __slots__ = ("_count", "_taken")

    def __init__(self, count: int) -> None:
        self._count = count
        self._taken: dict[tuple[str, int], dict[str, Mask]] = {}

    @classmethod
    def from_nodes(
        cls,
        infos: Sequence[NodeInfo],
        earlier: PortTable | None = None,
        kept: KeptRows | None = None,
    ) -> PortTable:
        """The ports of nodes with pods on them; if none was taken earlier, kept rows have none."""
        table = cls(len(infos))
        rows: Sequence[int] = range(len(infos))
        if earlier is not None and kept is not None and earlier.is_empty:
            rows = kept.others
        for row in rows:
            for port in infos[row].ports:
                table.mark(row, port, True)
        return table

    @property
    def is_empty(self) -> bool:
        """Whether no port was ever taken."""
        return not self._taken

    def mark(self, row: int, port: HostPort, taken: bool) -> None:
        """Note whether a port is taken on a node."""
        by_address = self._taken.setdefault((port.protocol, port.port), {})
        mask = by_address.get(port.ip)
        if mask is None:
            mask = by_address[port.ip] = np.zeros(self._count, np.bool_)
        mask[row] = taken

    def conflicts(self, port_used: HostPort) -> Mask | None:
        """The nodes where a port cannot be had; None if it never was taken anywhere."""
        by_address = self._taken.get((port_used.protocol, port_used.port))
        if not by_address:
            return None
        masks = list(by_address.values())
        if port_used.ip != host_ports.ANY_ADDRESS:
            masks = [
                by_address[ip] for ip in (port_used.ip, host_ports.ANY_ADDRESS) if ip in by_address
            ]
        if not masks:
            return None
        taken: Mask = np.logical_or.reduce(masks)
        return taken

    def take(self, rows: Ints) -> PortTable:
        """Independent copies of some nodes' ports."""
        other = PortTable(len(rows))
        other._taken = {
            key: {ip: mask[rows] for ip, mask in by_address.items()}
            for key, by_address in self._taken.items()
        }
        return other
