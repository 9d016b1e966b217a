"""A server, put together: security, and one or several clusters with their clocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.server import kernel_loading
from kubestage.server.assembly_options import AssemblyOptions
from kubestage.server.cluster_dispatch import ClusterDispatch
from kubestage.server.clusters import ClusterEntry, Clusters
from kubestage.server.pacing_setup import set_up
from kubestage.server.security.guard import Guard
from kubestage.server.security.traffic import Traffic

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.server.journal.journal import Journal
    from kubestage.stage import Stage

__all__ = ["AssemblyOptions", "Served", "set_up"]


class Served:
    """A server: built, started and closed in one event loop.

    `first` is the cluster that is served at the root, `others` lie below ``/clusters/NAME``.
    `application` is what an ASGI server runs.
    """

    def __init__(
        self,
        first: Stage | ClusterEntry,
        options: AssemblyOptions,
        journal: Journal | None = None,
        others: Sequence[ClusterEntry] = (),
    ) -> None:
        entry = first if isinstance(first, ClusterEntry) else ClusterEntry(stage=first)
        traffic = Traffic(entry.stage.store.kinds)
        self.clusters = Clusters(entry, options, traffic, journal)
        for each in others:
            self.clusters.add(each)
        service = self.clusters.first
        self.live, self.pacer, self.recorder = service.live, service.pacer, service.recorder
        self.application = Guard(
            ClusterDispatch(self.clusters), options.security, traffic, self.clusters.knows
        )

    def start(self) -> None:
        """Record what happens from now on, and start the clocks."""
        kernel_loading.load_in_thread()
        self.clusters.start()

    async def close(self) -> None:
        """Stop all clocks, and write everything to disk."""
        await self.clusters.close()
        kernel_loading.load_inline()
