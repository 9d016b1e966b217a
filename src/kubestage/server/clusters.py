"""The clusters of one server: the first one, kept runs that were opened, and forks of them."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import gc
import re
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from kubestage.errors import AlreadyExists, BadRequest, Conflict, NotFound
from kubestage.server import cluster_paths
from kubestage.server.comparisons import Comparisons
from kubestage.server.identity import service_accounts
from kubestage.server.service import ClusterService

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Iterator, Mapping, Sequence

    from kubestage.results.agreement import ReplayAgreement
    from kubestage.results.history.attempt_rows import AttemptRow
    from kubestage.results.history.cluster_history import ClusterHistory
    from kubestage.results.life.node_decisions import NodeDecisionRecord
    from kubestage.server.assembly_options import AssemblyOptions
    from kubestage.server.journal.journal import Journal
    from kubestage.server.security.traffic import Traffic
    from kubestage.stage import Stage

MOST_FORKS: Final = 8
_NAME: Final = re.compile("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
_NAME_FORM: Final = "use at most 63 lower case letters, digits and hyphens, as in fork-1"
FORK: Final = "fork"
# The answer is sent first, and several removals in a row are one search.
_COLLECT_S: Final = 0.5

ClusterKind = Literal["live", "fork", "scenario", "living", "load", "rehearsal", "test"]


class ForkOrigin(NamedTuple):
    """From which cluster a fork was made, and at which moment."""

    cluster: str
    unix_ns: int


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class ClusterEntry:
    """A cluster to be served, as `assembly.Served` takes it.

    One that was run before (`kubestage open`) is prepared so: `stage` is as it was at the end,
    `history` has recorded it (closed or not), `attempts` are those of its scheduler in order, each
    with its explanation if there is one, and it `is_read_only`: clients can look at it, at every
    moment of its past, and fork it. Without a `history`, one is recorded from now on.
    """

    stage: Stage
    name: str = ""
    """Its path is ``/clusters/NAME``; the first cluster is served at the root, too."""
    title: str = ""
    """What people read; by default the name, or else the kind."""
    kind: ClusterKind = "live"
    history: ClusterHistory | None = None
    attempts: Sequence[AttemptRow] = ()
    is_read_only: bool = False
    load_report: pathlib.Path | None = None
    """The directory of the report of a kept load; its charts are shown, too."""
    agreement: ReplayAgreement | None = None
    """How far a replay agrees with its recording."""
    node_decisions: NodeDecisionRecord | None = None
    """What was decided about the nodes of a kept run."""
    origin: ForkOrigin | None = None
    plugins: Mapping[str, type[Any]] | None = None
    """The scheduler's plugins that users wrote, for forks; by default those of the server."""
    settings: Mapping[str, str] | None = None
    """The settings of controllers that forks begin with; by default those of the server."""
    forks_have_controllers: bool | None = None
    """Whether controllers are at work on forks; by default, whether they are on the stage."""


class Clusters:
    """All clusters of a server by name; the first one is at the root."""

    def __init__(
        self,
        first: ClusterEntry,
        options: AssemblyOptions,
        traffic: Traffic,
        journal: Journal | None = None,
    ) -> None:
        self._options = options
        self._traffic = traffic
        self._is_started = False
        self.first = self._service(first, journal)
        self._others: dict[str, ClusterService] = {}
        self._collecting: asyncio.TimerHandle | None = None
        # Names of forks that are being built.
        self._reserved: set[str] = set()
        self.comparisons = Comparisons()

    def __iter__(self) -> Iterator[ClusterService]:
        yield self.first
        yield from self._others.values()

    def find(self, name: str) -> ClusterService:
        """The cluster of a name; the first one also has none."""
        if not name or name == self.first.entry.name:
            return self.first
        found = self._others.get(name)
        if found is None:
            known = ", ".join(self._others) or "none but the first"
            raise NotFound(f'no cluster "{name}": there are {known}')
        return found

    def knows(self, path: str, token: str) -> bool:
        """Whether a token is that of a service account in the cluster that a path is for."""
        cluster = cluster_paths.split(path).cluster
        try:
            live = self.find(cluster).live
        except NotFound:
            return False
        if not live.issuer.is_ours(token):
            return False
        return not isinstance(service_accounts.owner(live, token), str)

    def add(self, entry: ClusterEntry) -> ClusterService:
        """Serve one more."""
        self.check_name(entry.name)
        service = self._others[entry.name] = self._service(entry)
        if self._is_started:
            service.start()
        return service

    def check_name(self, name: str) -> None:
        """Refuse a name that cannot be used."""
        if not _NAME.fullmatch(name):
            raise BadRequest(f'name: "{name}" cannot be part of a path: {_NAME_FORM}')
        if name in self._others or name in self._reserved or name == self.first.entry.name:
            raise AlreadyExists(f'name: there is a cluster "{name}" already: choose another name')

    def check_room(self) -> None:
        """Refuse more forks than a server has room for."""
        forks = sum(each.entry.kind == FORK for each in self) + len(self._reserved)
        if forks >= MOST_FORKS:
            problem = f"there are {MOST_FORKS} forks already, as many as one server has"
            raise Conflict(f"{problem}: remove one with DELETE /kubestage/v1/clusters/NAME")

    def new_name(self) -> str:
        """A name for the next fork."""
        number = 1
        while f"{FORK}-{number}" in {*self._others, *self._reserved}:
            number += 1
        return f"{FORK}-{number}"

    @contextlib.contextmanager
    def reserved(self, name: str) -> Iterator[None]:
        """Reserve a name, and the room for a fork, while it is being built."""
        self._reserved.add(name)
        try:
            yield
        finally:
            self._reserved.discard(name)

    async def remove(self, name: str) -> None:
        """Serve one no more."""
        service = self.find(name)
        if service is self.first:
            raise Conflict("the first cluster is there as long as its server is")
        del self._others[name]
        service.live.fanout.close()
        await service.close()
        if self._collecting is None:
            loop = asyncio.get_running_loop()
            self._collecting = loop.call_later(_COLLECT_S, self._collect)

    def _collect(self) -> None:
        """Free the memory of stages that are gone.

        NOTE: a stage is full of cycles, and a server searches for old ones next to never
        (`stage.collections`). This takes 0.1 s for each thousand pods that are left.
        """
        self._collecting = None
        gc.collect()

    def start(self) -> None:
        """Start the clocks."""
        self._is_started = True
        for each in self:
            each.start()

    async def close(self) -> None:
        """Stop all."""
        if self._collecting is not None:
            self._collecting.cancel()
        for each in (*self._others.values(), self.first):
            await each.close()
        self._others.clear()

    def _service(self, entry: ClusterEntry, journal: Journal | None = None) -> ClusterService:
        service = ClusterService(entry, self._options, self._traffic, journal)
        service.live.state.clusters = self
        return service
