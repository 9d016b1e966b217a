"""Imports a live cluster: lists the canonical kinds, page by page, and changes nothing."""

from __future__ import annotations

import email.utils
from typing import TYPE_CHECKING, Final

from kubestage.cluster.access import Resource, Selection
from kubestage.errors import ApiError, Forbidden, InputError, NotFound
from kubestage.remote import kubeconfig, listing
from kubestage.remote.cluster import RemoteCluster
from kubestage.sources import canonical_kinds
from kubestage.sources.imported import Origin
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kubestage.aliases import Json
    from kubestage.remote.discovery import Place
    from kubestage.runs.import_options import ImportOptions
    from kubestage.runs.observer import Observer
    from kubestage.sources.canonical_kinds import CanonicalKind
    from kubestage.sources.intake import Intake

FORMAT: Final = "live cluster"
FORBIDDEN: Final = "the user may not list them"
ABSENT: Final = "the cluster does not have the kind"


def take(options: ImportOptions, intake: Intake, observer: Observer) -> None:
    """List a cluster into an intake; kinds that are forbidden or absent are counted, no error."""
    access = kubeconfig.load(options.kubeconfig, options.context)
    kinds = canonical_kinds.listed(secrets=options.with_secrets, config=options.with_config_data)
    with RemoteCluster(access) as cluster:
        version = str(cluster.check().get("gitVersion") or "")
        listed = _Listing(cluster, intake)
        with observer.progress("listing", len(kinds), noticeable=1) as advance:
            for number, kind in enumerate(kinds):
                advance(number, f"listing {kind.plural}")
                listed.kind(kind)
        if not listed.kinds:
            fix = "kubestage import --print-rbac prints a role that allows it"
            raise InputError("the user may list no kind at all", path=access.server, fix=fix)
        captured = listed.captured_ns
    intake.imported.origins.append(
        Origin(source=FORMAT, format=FORMAT, captured_ns=captured, kubernetes_version=version,
               cluster=options.context)
    )  # fmt: skip


class _Listing:
    """The lists of one cluster."""

    def __init__(self, cluster: RemoteCluster, intake: Intake) -> None:
        self.kinds = 0
        self.captured_ns: int | None = None
        self._cluster = cluster
        self._intake = intake

    def kind(self, kind: CanonicalKind) -> None:
        """List one kind."""
        try:
            self._cluster.loop.complete(self._list(kind))
            self.kinds += 1
        except Forbidden:
            self._intake.leave_out(kind.kind, FORBIDDEN, 0)
        except NotFound:
            if not canonical_kinds.is_optional(kind):
                self._intake.leave_out(kind.kind, ABSENT, 0)
        except ApiError as refusal:
            fix = "run the command again"
            raise InputError(refusal.message, path=kind.plural, fix=fix) from refusal

    async def _list(self, kind: CanonicalKind) -> None:
        resource = Resource(kind.api_version, kind.kind)
        place: Place = await self._cluster.discovery.find(resource)
        pages = listing.leaves(
            self._cluster.connection, place.path(""), Selection(resource), self._note_time
        )
        objects: list[Json] = []
        async for page in pages:
            if page.is_first:
                objects.clear()
            # Cleaned page by page: what is dropped is most of an object.
            read = (listing.read(raw, resource) for raw in page.items)
            objects += [each for each in map(self._intake.accepted, read) if each is not None]
        for each in objects:
            self._intake.put(each)

    def _note_time(self, headers: Mapping[str, str]) -> None:
        """The newest time of the server, by its Date header: nothing here reads a clock."""
        try:
            moment = email.utils.parsedate_to_datetime(headers.get("Date", ""))
        except ValueError:
            return
        seen_ns = int(moment.timestamp()) * SECOND_NS
        self.captured_ns = max(seen_ns, self.captured_ns or 0)
