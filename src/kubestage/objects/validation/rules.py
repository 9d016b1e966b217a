"""Validates objects: metadata, and the rules that the behavior of their kind declares."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.objects import kinds
from kubestage.objects.kinds import loader
from kubestage.objects.kinds.behavior import CREATE
from kubestage.objects.validation import metadata, names

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.kinds.behavior import Behavior
    from kubestage.objects.validation.field import FieldError


def validate_create(obj: Json, requested: str = "") -> list[FieldError]:
    """What is wrong with a new object, in the order in which the API server reports it.

    The object must be defaulted and prepared (see ``strategy``). `requested` is the apiVersion
    whose rules hold, if that is not its own.
    """
    behavior = loader.behavior(requested or obj["apiVersion"], obj["kind"])
    errors = [] if CREATE in behavior.validates_metadata else _validate_metadata(obj, behavior)
    return errors if behavior.validate is None else errors + behavior.validate(obj)


def validate_update(
    new: Json, old: Json, subresource: str = "", requested: str = ""
) -> list[FieldError]:
    """What is wrong with an object that is to replace an older one; `requested` as above."""
    behavior = loader.behavior(requested or old["apiVersion"], old["kind"])
    meta, old_meta = new["metadata"], old["metadata"]
    errors = metadata.validate_object_meta(
        meta, _is_namespaced(old), names.path_segment_name, kube_finalizers=False
    )
    errors += metadata.validate_object_meta_update(meta, old_meta, kube_finalizers=False)
    rule = behavior.validate_update.get(subresource)
    if rule is None and not subresource:
        errors += _validate_metadata(new, behavior)
    if subresource not in behavior.validates_metadata:
        errors += metadata.validate_object_meta_update(meta, old_meta)
    return errors if rule is None else errors + rule(new, old)


def _validate_metadata(obj: Json, behavior: Behavior) -> list[FieldError]:
    return metadata.validate_object_meta(obj["metadata"], _is_namespaced(obj), behavior.name_rule)


def _is_namespaced(obj: Json) -> bool:
    row = kinds.built_in(obj["apiVersion"], obj["kind"])
    return bool(obj["metadata"].get("namespace")) if row is None else row.namespaced
