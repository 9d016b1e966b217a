"""The annotation in which ``kubectl apply`` keeps what it applied, when it moves to the server.

The client that applied owns, as an updater, what the annotation states. The same client may take
this over without a conflict, and the annotation is updated.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.golang import json_encoding
from kubestage.objects.ownership import checking, collecting, comparing, field_set
from kubestage.objects.validation import metadata as metadata_rules

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.ownership.conflicts import FieldConflict
    from kubestage.objects.ownership.field_set import FieldSet
    from kubestage.objects.ownership.updating import OwnershipView


KUBECTL: Final = "kubectl"
ANNOTATION: Final = "kubectl.kubernetes.io/last-applied-configuration"


def _text(obj: Json) -> str:
    annotations = (obj.get("metadata") or {}).get("annotations") or {}
    text = annotations.get(ANNOTATION)
    return text if isinstance(text, str) else ""


def not_allowed(
    view: OwnershipView, live: Json, conflicts: list[FieldConflict]
) -> list[FieldConflict]:
    """The conflicts that stay: those about fields that are not as they were last applied."""
    allowed = _allowed(view, live)
    if allowed is None:
        return conflicts
    return [conflict for conflict in conflicts if not field_set.has(allowed, conflict.path)]


def _allowed(view: OwnershipView, live: Json) -> FieldSet | None:
    """Fields that are as in the annotation; None if it cannot be used."""
    try:
        last = msgspec.json.decode(_text(live).encode())
    except msgspec.DecodeError:
        return None
    if not isinstance(last, dict) or last.get("apiVersion") != view.api_version:
        return None
    if checking.check(view.atom, last) or checking.check(view.atom, live):
        return None
    allowed = collecting.fields_of(view.atom, last)
    for changed in comparing.compare(view.atom, last, live):
        allowed = field_set.difference(allowed, changed)
    return allowed


def synced(live: Json, applied: Json | None, config: Json) -> Json | None:
    """The object with the annotation saying what was applied now, if it has one at all."""
    result = live if applied is None else applied
    if not _text(result):
        return applied
    metadata = dict(config.get("metadata") or {})
    if metadata.get("annotations"):
        left = {key: text for key, text in metadata["annotations"].items() if key != ANNOTATION}
        metadata["annotations"] = left
        if not left:
            del metadata["annotations"]
    configuration = json_encoding.encode({**config, "metadata": metadata}).decode() + "\n"
    annotations = {**result["metadata"]["annotations"], ANNOTATION: configuration}
    if metadata_rules.validate_annotations(annotations, ""):
        del annotations[ANNOTATION]
    return {**result, "metadata": {**result["metadata"], "annotations": annotations}}
