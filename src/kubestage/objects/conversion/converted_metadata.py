"""Metadata of converted objects: a webhook may change labels and annotations, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.errors import MalformedValue
from kubestage.golang import formatting
from kubestage.objects.validation import label_selectors, metadata

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.validation.field import FieldError

_IDENTITY: Final = {"name": "name", "namespace": "namespace", "uid": "UID"}


class MetadataError(MalformedValue):
    """Metadata that a webhook may not answer with, in upstream's words."""


def difference(original: Json, converted: Json) -> str:
    """What makes a converted object another one than the original; empty if it is the same."""
    before, after = original["metadata"], converted.get("metadata")
    after = after if isinstance(after, dict) else {}
    for key, shown in _IDENTITY.items():
        old, new = before.get(key) or "", after.get(key)
        new = new if isinstance(new, str) else ""
        if old != new:
            return f"must have the same {shown}: {old} != {new}"
    return ""


def restored(original: Json, converted: Json) -> Json:
    """A converted object with the metadata of the original, but its own labels and annotations."""
    if "metadata" not in converted:
        raise MetadataError("missing metadata in converted object")
    own = converted["metadata"]
    if not isinstance(own, dict):
        raise MetadataError(f"invalid metadata of type {_type(own)} in converted object")
    whole = dict(original["metadata"])
    for name in ("labels", "annotations"):
        texts = own.get(name)
        if texts is None:
            whole.pop(name, None)
            continue
        _check(name, texts, whole.get(name) or {})
        whole[name] = texts
    return {**converted, "metadata": whole}


def _check(name: str, texts: Any, before: Json) -> None:
    if not isinstance(texts, dict):
        raise MetadataError(f"invalid metadata.{name} of type {_type(texts)} in converted object")
    for key, text in texts.items():
        if not isinstance(text, str):
            what = f"metadata.{name}[{key}] must be a string, but is {_type(text)}"
            raise MetadataError(f"{what} in converted object")
    if texts == before:
        return
    # Upstream's path of annotations lacks its last letter.
    problems: list[FieldError] = (
        label_selectors.validate_labels(texts, "metadata.labels")
        if name == "labels"
        else metadata.validate_annotations(texts, "metadata.annotation")
    )
    if problems:
        shown = list(dict.fromkeys(map(str, problems)))
        raise MetadataError(shown[0] if len(shown) == 1 else f"[{', '.join(shown)}]")


def _type(value: Any) -> str:
    return "<nil>" if value is None else formatting.type_name(value)
