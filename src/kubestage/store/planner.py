"""Writes in two parts: what they would store, worked out at leisure, and the moment of storing it.

Working out what becomes of a large object takes seconds, and changes nothing; it may happen in
another thread. Storing it takes a moment.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.errors import KubestageError
from kubestage.store import applying, creating, patching, replacing, updating
from kubestage.store.admission import AdmissionRequest
from kubestage.store.applying import Applied
from kubestage.store.collection import key_of
from kubestage.store.reader import object_key

if TYPE_CHECKING:
    from collections.abc import Callable, MutableSequence, Sequence

    from kubestage.aliases import Json
    from kubestage.objects.decode import FieldValidation
    from kubestage.objects.kinds import Kind
    from kubestage.objects.patches import PatchType
    from kubestage.store.store import Store


class Outdated(KubestageError):
    """The object has changed since the write was planned: it has to be planned again."""


class Planner:
    """The verbs of a store that write, planned: each returns what it would store.

    Then `commit` stores it, in the thread of the store, and returns what the verb would have. A
    Scale is small, and no subresource here.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._commit: Callable[[], Any] | None = None

    def commit(self) -> Any:
        """Do what was planned last; `Outdated` if that is no longer what would be done."""
        assert self._commit is not None, "nothing is planned"
        try:
            return self._commit()
        finally:
            self._store.settle()

    def create(
        self,
        obj: Json,
        *,
        kind: Kind,
        namespace: str | None,
        dry_run: bool,
        manager: str,
        warnings: MutableSequence[str],
    ) -> Json:
        """As `Store.create`."""
        store = self._store
        store.refuse_taken(kind, obj)
        planned = creating.create(
            store,
            kind,
            obj,
            namespace,
            dry_run=True,
            manager=manager,
            advice=warnings,
            is_plan=True,
        )
        self._commit = lambda: self._created(kind, obj, planned, dry_run=dry_run)
        return planned

    def update(
        self,
        obj: Json,
        *,
        kind: Kind,
        name: str,
        namespace: str | None,
        subresource: str,
        dry_run: bool,
        manager: str,
        warnings: MutableSequence[str],
    ) -> Json:
        """As `Store.update`."""
        store = self._store
        row = store.row(kind, subresource)
        store.refuse_shown(row, name, "changed")
        key = object_key(row, name, namespace)
        seen = store.ledger.collection(row).objects.get(key)
        request = updating.UpdateRequest(obj, name, namespace, subresource, True, manager, warnings)
        planned = updating.update(store, row, request)
        if seen is None:
            self._commit = lambda: self._created(row, obj, planned, dry_run=dry_run)
        else:
            self._commit = lambda: self._updated(
                row, key, planned, seen, subresource, dry_run=dry_run
            )
        return planned

    def patch(
        self,
        kind: Kind,
        name: str,
        patch: Any,
        namespace: str | None,
        *,
        patch_type: PatchType,
        subresource: str,
        dry_run: bool,
        field_validation: FieldValidation,
        warnings: MutableSequence[str],
        manager: str,
        repeated: Sequence[str],
    ) -> Json:
        """As `Store.patch`."""
        store = self._store
        row = store.row(kind, subresource)
        store.refuse_shown(row, name, "changed")
        key = object_key(row, name, namespace)
        seen = store.ledger.collection(row).objects.get(key)
        request = patching.PatchRequest(
            patch, patch_type, subresource, True, field_validation, warnings, manager, repeated
        )
        planned = updating.patch(store, row, key, name, request)
        self._commit = lambda: self._updated(row, key, planned, seen, subresource, dry_run=dry_run)
        return planned

    def apply(
        self,
        kind: Kind,
        name: str,
        obj: Json,
        namespace: str | None,
        *,
        manager: str,
        force: bool,
        subresource: str,
        dry_run: bool,
        field_validation: FieldValidation,
        warnings: MutableSequence[str],
        repeated: str,
    ) -> Applied:
        """As `Store.apply`."""
        store = self._store
        row = store.row(kind, subresource)
        store.refuse_shown(row, name, "changed", creates=True)
        key = object_key(row, name, namespace)
        seen = store.ledger.collection(row).objects.get(key)
        request = applying.ApplyRequest(
            obj, manager, force, subresource, True, field_validation, warnings, repeated
        )
        planned = applying.apply(store, row, key, name, request)
        if planned.created:
            self._commit = lambda: Applied(
                self._created(row, obj, planned.object, dry_run=dry_run), created=True
            )
        else:
            self._commit = lambda: Applied(
                self._updated(row, key, planned.object, seen, subresource, dry_run=dry_run),
                created=False,
            )
        return planned

    def _created(self, kind: Kind, obj: Json, planned: Json, *, dry_run: bool) -> Json:
        store, metadata = self._store, planned["metadata"]
        key = key_of(metadata.get("namespace"), metadata["name"])
        namespace = metadata.get("namespace")
        if key in store.ledger.collection(kind).objects:
            raise Outdated
        if namespace is not None:
            creating.admit_namespace(store, kind, metadata["name"], namespace)
        if dry_run:
            return planned
        creating.check(store, AdmissionRequest(kind, planned))
        return creating.put(store, kind, key, obj, planned)

    def _updated(
        self, kind: Kind, key: str, planned: Json, seen: Json | None, through: str, *, dry_run: bool
    ) -> Json:
        store = self._store
        if seen is None or store.ledger.collection(kind).objects.get(key) is not seen:
            raise Outdated
        if dry_run:
            return planned
        creating.check(store, AdmissionRequest(kind, planned, seen, through))
        return replacing.replace(store, kind, key, planned)
