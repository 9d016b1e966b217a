"""The store: all verbs of the API on one versioned truth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.objects import gvk, names
from kubestage.objects.patches import PatchType
from kubestage.store import (
    applying,
    binding,
    creating,
    deletion,
    eviction,
    loading,
    patching,
    replacing,
    scaling,
    seeding,
    selection,
    updating,
)
from kubestage.store.collection import key_of
from kubestage.store.deletion import DeleteOptions, Deletion
from kubestage.store.reader import StoreReader, object_key

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, MutableSequence, Sequence

    from kubestage.aliases import Json
    from kubestage.objects.decode import FieldValidation
    from kubestage.store.applying import Applied
    from kubestage.store.core import KindRef
    from kubestage.store.listing import ObjectList


class Store(StoreReader):
    """Every object of one simulated cluster.

    Synchronous and single threaded; a store pickles, and a copy goes on as the original would.
    What verbs return is the stored dict itself: do not change it. A kind is given as a row of
    the kind table or as ``("apps/v1", "Deployment")``; a namespace left out is ``default``,
    except in lists and watches, where it means all.
    """

    def create(
        self,
        obj: Json,
        *,
        kind: KindRef | None = None,
        namespace: str | None = None,
        dry_run: bool = False,
        manager: str = "",
        warnings: MutableSequence[str] | None = None,
        complete: Callable[[Json], Json] | None = None,
    ) -> Json:
        """Store a new object; fields that its kind does not know are kept.

        With a `manager`, the object keeps a record of whose its fields are (managedFields). What
        the API warns of is added to `warnings`, here as in the other verbs. `complete` adds what
        was prepared apart (see `event_parts`).
        """
        row = self.kinds.of(obj) if kind is None else self.kind(kind)
        self.refuse_taken(row, obj)
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

    def load(self, obj: Json) -> Json:
        """Store an object as it was recorded: status, uid and times are kept, nothing is admitted.

        Defaults are filled in and the rules of the kind are applied as ever. A namespace or
        priority class that every cluster has gives way to the recorded one.
        """
        loaded = loading.load(self, self.kinds.of(obj), obj)
        self.settle()
        return loaded

    def update(
        self,
        obj: Json,
        *,
        kind: KindRef | None = None,
        name: str | None = None,
        namespace: str | None = None,
        subresource: str = "",
        dry_run: bool = False,
        manager: str = "",
        warnings: MutableSequence[str] | None = None,
    ) -> Json:
        """Replace an object, or its status, or scale it."""
        row = self.row(self.kinds.of(obj) if kind is None else kind, subresource)
        self.refuse_shown(row, name or creating.metadata_of(obj).get("name") or "", "changed")
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
        repeated: Sequence[str] = (),
    ) -> Json:
        """Change part of an object, of its status, or of its Scale.

        Without field validation unknown fields are kept.
        """
        row = self.row(kind, subresource)
        self.refuse_shown(row, name, "changed")
        request = patching.PatchRequest(
            patch, patch_type, subresource, dry_run, field_validation, warnings, manager, repeated
        )
        change = scaling.patch if subresource == "scale" else updating.patch
        patched = change(self, row, object_key(row, name, namespace), name, request)
        self.settle()
        return patched

    def apply(
        self,
        kind: KindRef,
        name: str,
        obj: Json,
        namespace: str | None = None,
        *,
        manager: str,
        force: bool = False,
        subresource: str = "",
        dry_run: bool = False,
        field_validation: FieldValidation | None = None,
        warnings: MutableSequence[str] | None = None,
        repeated: str = "",
    ) -> Applied:
        """Bring an object into the state of a configuration (server-side apply), or create it.

        What the manager applied before and leaves out now is taken away, unless others own it;
        what others own and have otherwise is a conflict, unless forced.
        """
        row = self.row(kind, subresource)
        self.refuse_shown(row, name, "changed", creates=True)
        request = applying.ApplyRequest(
            obj, manager, force, subresource, dry_run, field_validation, warnings, repeated
        )
        change = scaling.apply if subresource == "scale" else applying.apply
        try:
            return change(self, row, object_key(row, name, namespace), name, request)
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
        self.refuse_shown(row, name, "deleted")
        key = object_key(row, name, namespace)
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
        selected = selection.parse(row, namespace, label_selector, field_selector)
        found = deletion.delete_collection(self, row, selected, options or DeleteOptions())
        self.settle()
        return found

    def delete_in_steps(
        self,
        kind: KindRef,
        namespace: str | None = None,
        options: DeleteOptions | None = None,
        *,
        label_selector: str = "",
        field_selector: str = "",
        listed: ObjectList | None = None,
    ) -> Generator[None, None, ObjectList]:
        """The same, one object at each step; others may use the store in between.

        If it is known what a list shows, the selectors are not needed.
        """
        row = self.kind(kind)
        selected = selection.parse(row, namespace, label_selector, field_selector)
        return deletion.delete_in_steps(self, row, selected, options or DeleteOptions(), listed)

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
    ) -> Json:
        """Assign a pod to a node, as a POST to its binding subresource does."""
        row = self.kind(gvk.POD)
        request = binding.Binding(node, uid, resource_version, annotations, labels, dry_run)
        bound = binding.bind(self, row, key_of(namespace, name), name, request)
        self.settle()
        return bound

    def assign(self, key: str, node: str, uid: str) -> Json:
        """As `bind`, for a scheduler that has the key (``namespace/name``) of its pod at hand."""
        bound = binding.assign(self, key, node, uid)
        self.settle()
        return bound

    def evict(
        self, name: str, namespace: str = "default", options: DeleteOptions | None = None
    ) -> Deletion:
        """Delete a pod unless its disruption budget forbids it, as its eviction subresource does.

        `TooManyRequests`: it may be allowed later.
        """
        row = self.kind(gvk.POD)
        key = key_of(namespace, name)
        try:
            return eviction.evict(self, row, key, name, options or DeleteOptions())
        finally:
            # The budget is charged even if the deletion is then refused.
            self.settle()

    def record_status(self, kind: KindRef, key: str, status: Json) -> Json:
        """Give the object of a key another status, by a component that writes only true ones."""
        recorded = replacing.record_status(self, self.kind(kind), key, status)
        self.settle()
        return recorded

    def record_metadata(self, kind: KindRef, key: str, metadata: Json) -> Json:
        """Give the object of a key other labels, annotations, owners or finalizers, likewise."""
        recorded = replacing.record_metadata(self, self.kind(kind), key, metadata)
        self.settle()
        return recorded

    def record_event(self, key: str, event: Json) -> None:
        """Store a new Event that is complete, as `create` would store it; it has no labels."""
        self.ledger.add(self.events, key, event)
        self.settle()

    def expire_events(self, keys: Iterable[str], newest: int) -> None:
        """Delete Events whose time is up; some may be gone, and those after that version stay."""
        deletion.expire_events(self, keys, newest)
        self.settle()

    def start_over(self) -> None:
        """Be as a new store is, after all but what lasts was removed and streams were rewound.

        Versions go on, and subscribers are notified of what had to be put in order.
        """
        super().start_over()
        seeding.put_in_order(self)
        # Scenarios once drew their uids here: runs that were kept are repeated to the same ones.
        names.uid(self.uid_stream)
        self.settle()
