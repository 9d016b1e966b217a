"""The store: all verbs of the API on one versioned truth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.objects import names
from kubestage.objects.patches import PatchType
from kubestage.objects.validation import status
from kubestage.store import (
    admission as admission_steps,
)
from kubestage.store import (
    applying,
    binding,
    creating,
    deletion,
    eviction,
    listing,
    loading,
    policies,
    refusals,
    scaling,
    seeding,
    selection,
    trusted,
    updating,
    versions,
)
from kubestage.store.collection import key_of
from kubestage.store.core import Core
from kubestage.store.deletion import DeleteOptions, Deletion
from kubestage.store.listing import ListOptions, ObjectList
from kubestage.store.shown_definitions import ShownDefinitions
from kubestage.store.watch import Watch, WatchOptions

if TYPE_CHECKING:
    from collections.abc import Callable, Container, MutableSequence

    from kubestage.objects.decode import FieldValidation
    from kubestage.objects.kinds import Kind, KindTable
    from kubestage.sim.clock import Clock
    from kubestage.sim.streams import Streams
    from kubestage.store.admission.request import Check, Step
    from kubestage.store.applying import Applied
    from kubestage.store.collection import Collection
    from kubestage.store.core import GarbageMode, KindRef
    from kubestage.store.log import Change


class Store(Core):
    """Every object of one simulated cluster.

    Synchronous and single threaded; a store pickles, and a copy goes on as the original would.
    What verbs return is the stored dict itself: do not change it. A kind is given as a row of
    the kind table or as ``("apps/v1", "Deployment")``; a namespace left out is ``default``,
    except in lists and watches, where it means all.
    """

    def __init__(
        self,
        clock: Clock,
        streams: Streams,
        kinds: KindTable | None = None,
        *,
        admission: tuple[Step, ...] = admission_steps.DEFAULT,
        checks: tuple[Check, ...] = admission_steps.CHECKS,
        garbage: GarbageMode = "immediate",
        implicit_namespaces: bool = False,
        history: int = 100_000,
        first_revision: int = 1,
        seeded: bool = True,
        seeded_by: str = "",
    ) -> None:
        super().__init__(
            clock,
            streams,
            kinds,
            admission=admission,
            checks=checks,
            garbage=garbage,
            implicit_namespaces=implicit_namespaces,
            history=history,
            first_revision=first_revision,
            seeded_by=seeded_by,
        )
        self._shown: ShownDefinitions | None = None
        if seeded:
            seeding.seed(self)

    def show_definitions(self) -> None:
        """Have whoever asks for definitions see those of the kinds that are known without one."""
        self._shown = ShownDefinitions(self)

    @property
    def resource_version(self) -> str:
        """The version of the whole store: that of the newest change."""
        return str(self.ledger.revision)

    def get(
        self,
        kind: KindRef,
        name: str,
        namespace: str | None = None,
        *,
        subresource: str = "",
        resource_version: str = "",
    ) -> dict[str, Any]:
        """One object, or its Scale."""
        row = self._row(kind, subresource)
        words = "invalid resource version: " if policies.is_uncached(row) else ""
        wanted = versions.parse_request(resource_version, words)
        if wanted > self.ledger.revision:
            raise versions.too_large(wanted, self.ledger.revision)
        found = self.ledger.collection(row).objects.get(_key(row, name, namespace))
        if found is None and self._shown is not None:
            found = self._shown.get(row, name)
        if found is None:
            raise status.not_found(row, name)
        return scaling.of(row, found) if subresource == "scale" else found

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
        wanted = selection.parse(row, namespace, label_selector, field_selector)
        options = ListOptions(limit, continue_token, resource_version, resource_version_match)
        return listing.read(self._seen(row), wanted, options, self.ledger.revision)

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
        wanted = selection.parse(row, namespace, label_selector, field_selector)
        options = WatchOptions(
            resource_version,
            resource_version_match,
            allow_bookmarks,
            send_initial_events,
            continue_token,
        )
        return Watch(self.ledger, self._seen(row), wanted, options)

    def create(
        self,
        obj: dict[str, Any],
        *,
        kind: KindRef | None = None,
        namespace: str | None = None,
        dry_run: bool = False,
        manager: str = "",
        warnings: MutableSequence[str] | None = None,
        complete: Callable[[dict[str, Any]], dict[str, Any]] | None = None,
    ) -> dict[str, Any]:
        """Store a new object; fields that its kind does not know are kept.

        With a `manager`, the object keeps a record of whose its fields are (managedFields). What
        the API warns of is added to `warnings`, here as in the other verbs. `complete` adds what
        was prepared apart (see `event_parts`).
        """
        row = self.kinds.of(obj) if kind is None else self.kind(kind)
        if self._shown is not None:
            taken = self._shown.get(row, creating.metadata_of(obj).get("name") or "")
            if taken is not None:
                raise refusals.already_exists(row, taken)
        try:
            return creating.create(
                self,
                row,
                obj,
                namespace,
                dry_run=dry_run,
                manager=manager,
                advice=warnings,
                complete=complete,
            )
        finally:
            # A quota is charged for what is then refused because its name is taken.
            self.settle()

    def load(self, obj: dict[str, Any]) -> dict[str, Any]:
        """Store an object as it was recorded: status, uid and times are kept, nothing is admitted.

        Defaults are filled in and the rules of the kind are applied as ever. A namespace or
        priority class that every cluster has gives way to the recorded one.
        """
        loaded = loading.load(self, self.kinds.of(obj), obj)
        self.settle()
        return loaded

    def update(
        self,
        obj: dict[str, Any],
        *,
        kind: KindRef | None = None,
        name: str | None = None,
        namespace: str | None = None,
        subresource: str = "",
        dry_run: bool = False,
        manager: str = "",
        warnings: MutableSequence[str] | None = None,
    ) -> dict[str, Any]:
        """Replace an object, or its status, or scale it."""
        row = self._row(self.kinds.of(obj) if kind is None else kind, subresource)
        self._refuse_shown(row, name or creating.metadata_of(obj).get("name") or "", "changed")
        change = scaling.update if subresource == "scale" else updating.update
        request = updating.UpdateRequest(
            obj, name, namespace, subresource, dry_run, manager, warnings
        )
        updated = change(self, row, request)
        self.settle()
        return updated

    def patch(
        self,
        kind: KindRef,
        name: str,
        patch: Any,
        namespace: str | None = None,
        *,
        patch_type: PatchType = PatchType.MERGE,
        subresource: str = "",
        dry_run: bool = False,
        field_validation: FieldValidation | None = None,
        warnings: MutableSequence[str] | None = None,
        manager: str = "",
    ) -> dict[str, Any]:
        """Change part of an object, of its status, or of its Scale.

        Without field validation unknown fields are kept.
        """
        row = self._row(kind, subresource)
        self._refuse_shown(row, name, "changed")
        request = updating.PatchRequest(
            patch, patch_type, subresource, dry_run, field_validation, warnings, manager
        )
        change = scaling.patch if subresource == "scale" else updating.patch
        patched = change(self, row, _key(row, name, namespace), name, request)
        self.settle()
        return patched

    def apply(
        self,
        kind: KindRef,
        name: str,
        obj: dict[str, Any],
        namespace: str | None = None,
        *,
        manager: str,
        force: bool = False,
        subresource: str = "",
        dry_run: bool = False,
        field_validation: FieldValidation | None = None,
        warnings: MutableSequence[str] | None = None,
    ) -> Applied:
        """Make an object say what a configuration says (server-side apply); create what is absent.

        What the manager applied before and leaves out now is taken away, unless others own it;
        what others own and have otherwise is a conflict, unless forced.
        """
        row = self._row(kind, subresource)
        self._refuse_shown(row, name, "changed")
        request = applying.ApplyRequest(
            obj, manager, force, subresource, dry_run, field_validation, warnings
        )
        change = scaling.apply if subresource == "scale" else applying.apply
        try:
            return change(self, row, _key(row, name, namespace), name, request)
        finally:
            # As for create: a quota may be charged for what is then refused.
            self.settle()

    def delete(
        self,
        kind: KindRef,
        name: str,
        namespace: str | None = None,
        options: DeleteOptions | None = None,
    ) -> Deletion:
        """Delete an object as far as grace period, finalizers and policy let it go now."""
        row = self.kind(kind)
        self._refuse_shown(row, name, "deleted")
        key = _key(row, name, namespace)
        result = deletion.delete(self, row, key, name, options or DeleteOptions())
        self.settle()
        return result

    def delete_collection(
        self,
        kind: KindRef,
        namespace: str | None = None,
        options: DeleteOptions | None = None,
        *,
        label_selector: str = "",
        field_selector: str = "",
    ) -> ObjectList:
        """Delete all that a list would show, and return it as it was."""
        row = self.kind(kind)
        wanted = selection.parse(row, namespace, label_selector, field_selector)
        found = deletion.delete_collection(self, row, wanted, options or DeleteOptions())
        self.settle()
        return found

    def bind(
        self,
        name: str,
        namespace: str,
        node: str,
        *,
        uid: str = "",
        resource_version: str = "",
        annotations: dict[str, str] | None = None,
        labels: dict[str, str] | None = None,
        dry_run: bool = False,
    ) -> dict[str, Any]:
        """Assign a pod to a node, as a POST to its binding subresource does."""
        row = self.kind(("v1", "Pod"))
        request = binding.Binding(node, uid, resource_version, annotations, labels, dry_run)
        bound = binding.bind(self, row, key_of(namespace, name), name, request)
        self.settle()
        return bound

    def assign(self, key: str, node: str, uid: str) -> dict[str, Any]:
        """As `bind`, for a scheduler that has the key (``namespace/name``) of its pod at hand."""
        bound = binding.assign(self, key, node, uid)
        self.settle()
        return bound

    def evict(
        self, name: str, namespace: str = "default", options: DeleteOptions | None = None
    ) -> Deletion:
        """Delete a pod unless its disruption budget forbids it, as its eviction subresource does.

        `TooManyRequests` says that it may be allowed later.
        """
        row = self.kind(("v1", "Pod"))
        key = key_of(namespace, name)
        try:
            return eviction.evict(self, row, key, name, options or DeleteOptions())
        finally:
            # The budget is charged even if the deletion is then refused.
            self.settle()

    def record_status(self, kind: KindRef, key: str, status: dict[str, Any]) -> dict[str, Any]:
        """Give the object of a key another status, by a component that writes only true ones."""
        recorded = trusted.record_status(self, self.kind(kind), key, status)
        self.settle()
        return recorded

    def record_metadata(self, kind: KindRef, key: str, metadata: dict[str, Any]) -> dict[str, Any]:
        """Give the object of a key other labels, annotations, owners or finalizers, likewise."""
        recorded = trusted.record_metadata(self, self.kind(kind), key, metadata)
        self.settle()
        return recorded

    def start_over(self) -> None:
        """Be as a new store is, after all but what lasts was removed and streams were rewound.

        Versions go on, and those who listen are told of what had to be put in order.
        """
        super().start_over()
        seeding.put_in_order(self)
        # Scenarios once drew their uids here: runs that were kept are repeated to the same ones.
        names.uid(self.uid_stream)
        self.settle()

    def subscribe(
        self, callback: Callable[[Change], None], kinds: Container[tuple[str, str]] | None = None
    ) -> None:
        """Call back after every change, in order; or of some kinds, pairs of group and kind.

        Changes that a callback makes are told after the one at hand.
        """
        self.ledger.subscribe(callback, kinds)

    def unsubscribe(self, callback: Callable[[Change], None]) -> None:
        """Stop calling back."""
        self.ledger.unsubscribe(callback)

    def _seen(self, row: Kind) -> Collection:
        """The objects of a kind that are seen by those who ask for them."""
        stored = self.ledger.collection(row)
        return stored if self._shown is None else self._shown.beside(stored)

    def _refuse_shown(self, row: Kind, name: str, did: str) -> None:
        if self._shown is not None:
            self._shown.refuse(row, name, self.ledger.collection(row).objects, did)

    def _row(self, kind: KindRef, subresource: str) -> Kind:
        row = self.kind(kind)
        if subresource and subresource not in row.subresources:
            raise refusals.no_such_resource()
        return row


def _key(kind: Kind, name: str, namespace: str | None) -> str:
    return key_of((namespace or "default") if kind.namespaced else None, name)
