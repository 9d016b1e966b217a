"""What ``kubectl apply`` does: create what is not there, else change what the manifest changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.objects import schema
from kubestage.objects.patches import PatchType, diff, merge_patch
from kubestage.store import creating, policies
from kubestage.store.collection import key_of

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.kinds import Kind
    from kubestage.store.store import Store


class Applier:
    """Applies manifests, and remembers each: what a later one leaves out is removed.

    kubectl writes that down in an annotation; here the objects are left as a person wrote them.
    """

    def __init__(self) -> None:
        self._applied: dict[tuple[str, str, str], Json] = {}

    def apply(self, store: Store, manifest: Json) -> Json:
        """Bring an object into the state of a manifest, but for its status."""
        row = store.kinds.of(manifest)
        metadata = creating.metadata_of(manifest)
        name = metadata.get("name")
        namespace = creating.request_namespace(row, metadata, None)
        key = key_of(namespace, name or "")
        existing = store.read(row).get(key)
        if not name or existing is None:
            created = store.create(manifest)
        else:
            desired = {field: part for field, part in manifest.items() if field != "status"}
            before = self._applied.get((row.group, row.kind, key)) or {}
            patch_type, patch = _patch(row, before, desired, existing)
            created = store.patch(row, name, patch, namespace, patch_type=patch_type)
        if name:
            self._applied[row.group, row.kind, key] = manifest
        return created


def _patch(row: Kind, before: Json, desired: Json, existing: Json) -> tuple[PatchType, Json]:
    before = {field: part for field, part in before.items() if field != "status"}
    if policies.is_custom(row):
        return PatchType.MERGE, merge_patch.three_way(before, desired, existing)
    struct = schema.kind_struct(row.api_version, row.kind)
    return PatchType.STRATEGIC, diff.three_way(before, desired, existing, struct)
