"""What can be read from a store, and who is notified of its changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.objects.validation import status
from kubestage.store import creating, listing, refusals, scaling, selection, versions
from kubestage.store.collection import key_of
from kubestage.store.core import Core
from kubestage.store.listing import ListOptions, ObjectList
from kubestage.store.shown_definitions import ShownDefinitions
from kubestage.store.watch import Watch, WatchOptions

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterator

    from kubestage.aliases import Json
    from kubestage.objects.kinds import Kind
    from kubestage.store.collection import Collection
    from kubestage.store.core import KindRef
    from kubestage.store.log import Change


class StoreReader(Core):
    """The part of a `Store` that changes nothing."""

    _shown: ShownDefinitions | None = None

    def show_definitions(self) -> None:
        """Show definitions of our own kinds to clients, too (see `shown_definitions`)."""
        self._shown = ShownDefinitions(self)

    @property
    def shows_definitions(self) -> bool:
        """Whether it does."""
        return self._shown is not None

    def refuse_taken(self, row: Kind, obj: Json) -> None:
        """Refuse to create what is shown, although it is not stored (`show_definitions`)."""
        if self._shown is not None:
            name = creating.metadata_of(obj).get("name") or ""
            taken = self._shown.get(row, name)
            if taken is not None and self._shown.installable(row, name) is None:
                raise refusals.already_exists(row, taken)

    def refuse_shown(self, row: Kind, name: str, did: str, *, creates: bool = False) -> None:
        """Refuse to change it, likewise; a definition of another project is installed first.

        `creates` says that the request does that itself.
        """
        if self._shown is not None:
            self._shown.refuse(self, row, name, did, creates=creates)

    @property
    def resource_version(self) -> str:
        """The version of the whole store: that of the newest change."""
        return str(self.ledger.revision)

    @property
    def revision(self) -> int:
        """The same as a number."""
        return self.ledger.revision

    @property
    def object_count(self) -> int:
        """How many objects there are, of all kinds."""
        return self.ledger.object_count

    def collection(self, kind: KindRef) -> Collection:
        """All objects of a kind with their indexes and their log, live and for reading."""
        return self.ledger.collection(self.kind(kind))

    def collections(self) -> Iterator[Collection]:
        """The collections of all kinds that were ever read or written.

        They come in the order of the kind table, custom kinds last and in the order of their
        definitions: which kind was used first makes no difference.
        """
        return self.ledger.collections()

    def compact(self, revision: int) -> None:
        """Have no list of a version before this one from now on; that takes a version itself."""
        self.ledger.compact(revision)

    def is_restored(self, obj: Json) -> bool:
        """Whether an object is exactly as an earlier store left it (see `restoring`)."""
        return self.ledger.is_restored(obj)

    def get(
        self,
        kind: KindRef,
        name: str,
        namespace: str | None = None,
        *,
        subresource: str = "",
        resource_version: str = "",
    ) -> Json:
        """One object, or its Scale."""
        row = self.row(kind, subresource)
        words = "" if row.behavior.is_cached else "invalid resource version: "
        revision = versions.parse_request(resource_version, words)
        if revision > self.ledger.revision:
            raise versions.too_large(revision, self.ledger.revision)
        found = self.ledger.collection(row).objects.get(object_key(row, name, namespace))
        if found is None and self._shown is not None:
            found = self._shown.get(row, name)
        if found is None:
            raise status.not_found(row, name)
        if subresource != "scale":
            return found
        return scaling.scale_of(scaling.row_of(self, row, found), found)

    def list(
        self,
        kind: KindRef,
        namespace: str | None = None,
        *,
        label_selector: str = "",
        field_selector: str = "",
        limit: int = 0,
        continue_token: str = "",
        resource_version: str = "",
        resource_version_match: str = "",
    ) -> ObjectList:
        """The objects of a kind in key order, of one namespace or of all."""
        row = self.kind(kind)
        selected = selection.parse(row, namespace, label_selector, field_selector)
        options = ListOptions(limit, continue_token, resource_version, resource_version_match)
        ledger = self.ledger
        return listing.read(self._seen(row), selected, options, ledger.revision, ledger.compacted)

    def watch(
        self,
        kind: KindRef,
        namespace: str | None = None,
        *,
        label_selector: str = "",
        field_selector: str = "",
        resource_version: str = "",
        resource_version_match: str = "",
        allow_bookmarks: bool = False,
        send_initial_events: bool | None = None,
        continue_token: str = "",
    ) -> Watch:
        """What happens to the objects of a kind from a version on.

        Without a version (or with ``0``) it begins with all that is there.
        """
        row = self.kind(kind)
        selected = selection.parse(row, namespace, label_selector, field_selector)
        options = WatchOptions(
            resource_version,
            resource_version_match,
            allow_bookmarks,
            send_initial_events,
            continue_token,
        )
        return Watch(self.ledger, self._seen(row), selected, options)

    def subscribe(
        self, callback: Callable[[Change], None], kinds: Container[tuple[str, str]] | None = None
    ) -> None:
        """Call back after every change, in order; or of some kinds, pairs of group and kind.

        Changes that a callback makes are delivered after the current one.
        """
        self.ledger.subscribe(callback, kinds)

    def unsubscribe(self, callback: Callable[[Change], None]) -> None:
        """Stop calling back."""
        self.ledger.unsubscribe(callback)

    def _seen(self, row: Kind) -> Collection:
        """The objects of a kind as clients see them."""
        stored = self.ledger.collection(row)
        return stored if self._shown is None else self._shown.with_shown(stored)

    def row(self, kind: KindRef, subresource: str) -> Kind:
        """The row of a kind that has a subresource; NotFound if the store does not serve it."""
        row = self.kind(kind)
        if subresource and subresource not in row.subresources:
            raise refusals.no_such_resource()
        return row


def object_key(kind: Kind, name: str, namespace: str | None) -> str:
    """The key of an object that a request names."""
    return key_of((namespace or "default") if kind.namespaced else None, name)
