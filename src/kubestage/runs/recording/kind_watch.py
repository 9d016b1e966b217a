"""Follows one kind of a cluster, and appends what happens to a recording."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.cluster.access import Resource, Selection
from kubestage.errors import ApiError, Forbidden, NotFound
from kubestage.objects import timestamps
from kubestage.remote import listing
from kubestage.remote.following import Following, Identity
from kubestage.runs.recording import acceptance
from kubestage.sources import change_log
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.remote.cluster import RemoteCluster
    from kubestage.remote.listing import Leaf
    from kubestage.remote.server_time import ServerTime
    from kubestage.runs.recording.acceptance import Acceptance, Write
    from kubestage.sources.canonical_kinds import CanonicalKind
    from kubestage.sources.change_log import ChangeLog
    from kubestage.sources.imported import Reference

# How long a kind that is absent or forbidden is left alone.
_REFUSED_S: Final = 300.0
# A change that comes so much later than it was made, as after an interruption, has the time that
# it states itself, which is in whole seconds.
_LATE_NS: Final = 5 * SECOND_NS
# The kubelet that makes a node known is no author of it.
_WITHOUT_AUTHOR: Final = "Node"


class KindWatch(Following):
    """One kind, from the version on that the recording has of it, or from a list."""

    def __init__(
        self,
        kind: CanonicalKind,
        cluster: RemoteCluster,
        log: ChangeLog,
        accepting: Acceptance,
        time: ServerTime,
    ) -> None:
        resource = Resource(kind.api_version, kind.kind)
        super().__init__(
            Selection(resource), cluster.moments, cluster.connection, cluster.discovery
        )
        self.kind = kind
        self.refusal: ApiError | None = None
        """Why the kind is not recorded: the cluster does not have it, or refuses it."""
        self.lists = 0
        self._resource = change_log.resource_name(kind.api_version, kind.kind)
        self._version = log.versions.get(self._resource, "")
        self._log = log
        self._accepting = accepting
        self._time = time
        self._vanished: set[Reference] = set()
        self._writes: dict[tuple[str, str], Write] = {}

    async def list_first(self) -> None:
        """List the kind, however long that takes; a refusal is kept."""
        while not self._version and self.refusal is None:
            try:
                await self._list()
            except (NotFound, Forbidden) as problem:
                self.refusal = problem
            except ApiError as problem:
                await self._failed(problem)
        self.problem = ""

    async def run(self) -> None:
        """Follow it for ever."""
        await self._run()

    def mark(self) -> None:
        """Record how far it has come, if a bookmark was the last that was received."""
        if self._version:
            self._log.mark(self._resource, self._version, self._time.now_ns)

    def _pause_s(self, problem: ApiError) -> float:
        self.refusal = problem if isinstance(problem, NotFound | Forbidden) else None
        return super()._pause_s(problem) if self.refusal is None else _REFUSED_S

    def _on_lost(self) -> None:
        self._log.gap(self._resource, self._time.now_ns)

    def _on_page(self, page: Leaf, at_ns: int) -> None:
        if page.is_first:
            self.lists += 1
            self._vanished = set(self._log.states.references(self.kind.group, self.kind.kind))
        unix_ns = self._time.unix_at(at_ns)
        for raw in page.items:
            obj = listing.read(raw, self._selection.resource)
            reference = self._accepting.reference(obj)
            is_known = reference in self._log.states
            found = self._accepting.accepted(obj, is_known=is_known)
            if found is not None:
                self._vanished.discard(reference)
                self._log.put(reference, found.object, unix_ns)

    def _on_listed(self, version: str, at_ns: int) -> None:
        self.refusal = None
        unix_ns = self._time.unix_at(at_ns)
        for reference in sorted(self._vanished):
            self._log.remove(reference, unix_ns)
        self._vanished.clear()
        self._log.mark(self._resource, version, unix_ns)

    def _on_event(self, type_: str, identity: Identity, raw: bytes, obj: Json, at_ns: int) -> None:  # noqa: ARG002
        reference = self._accepting.reference(obj)
        names = reference.namespace, reference.name
        if type_ == "DELETED":
            self._writes.pop(names, None)
            since = str(obj["metadata"].get("deletionTimestamp") or "")
            unix_ns = self._ordered(self._time.unix_at(at_ns))
            self._log.remove(reference, unix_ns, version=identity.version, since=since)
            return
        write = acceptance.newest_write(obj)
        is_new = write is not None and write != self._writes.get(names)
        if write is not None:
            self._writes[names] = write
        found = self._accepting.accepted(obj, is_known=reference in self._log.states)
        at = self._ordered(self._moment(write if is_new else None, at_ns))
        if found is None:
            self._log.remove(reference, at, version=identity.version)
            return
        manager = write.manager if write is not None and is_new else ""
        if self.kind.kind == _WITHOUT_AUTHOR:
            manager = ""
        self._log.put(reference, found.object, at, version=identity.version,
                      manager=self._accepting.manager(manager))  # fmt: skip

    def _moment(self, write: Write | None, at_ns: int) -> int:
        """When a change was made: when it was received, unless that was much later."""
        received_ns = self._time.unix_at(at_ns)
        if write is None:
            return received_ns
        try:
            stated_ns = timestamps.parse_time(write.time)
        except ValueError:
            return received_ns
        return stated_ns if received_ns - stated_ns > _LATE_NS else received_ns

    def _ordered(self, at_ns: int) -> int:
        """Never before the last change of the kind."""
        return max(at_ns, self._log.last_ns.get(self._resource, self._log.start_ns))
