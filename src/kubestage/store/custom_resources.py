"""How custom resources and their definitions are read, prepared and validated.

A definition states at run time what its objects hold and whether status is a subresource;
`strategy` and `validation.rules` know only the kinds of the table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.objects import defaulting, strategy
from kubestage.objects.conversion import webhook_versions
from kubestage.objects.custom import decoding, rows
from kubestage.objects.validation import metadata, names, rules, status
from kubestage.store import definitions

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.kinds import Kind
    from kubestage.objects.validation.field import FieldError
    from kubestage.store.core import Core


def opened(kind: Kind, obj: Json) -> Json:
    """What a request holds, with metadata that can be relied on; BadRequest if there is none.

    Objects of kinds of the table are returned as they are.
    """
    if not rows.are_custom(kind) or "metadata" not in obj:
        return obj
    return {**obj, "metadata": rows.compiled(kind).read_metadata(obj["metadata"])[0]}


def opened_new(core: Core, kind: Kind, obj: Json) -> Json:
    """As `opened`, of an object that is to be created; not while its definition is ending."""
    if not rows.are_custom(kind):
        return obj
    decoding.check_type(kind, obj)
    found = opened(kind, obj)
    definition = core.read(definitions.DEFINITION).get(kind.resource)
    if definition is not None and "deletionTimestamp" in definition["metadata"]:
        why = "create not allowed while custom resource definition is terminating"
        raise status.forbidden(kind, (found.get("metadata") or {}).get("name") or "", why)
    return found


def defaulted(kind: Kind, obj: Json, now: str) -> Json:
    """A fresh object in the shape of its kind, with the defaults it has.

    InputError if it cannot be brought into that shape.
    """
    if rows.are_custom(kind):
        return rows.compiled(kind).read(obj)[0]
    return defaulting.stored(obj, now=now)


def prepare_for_create(kind: Kind, obj: Json, now: str) -> Json:
    """As `strategy`, for kinds of the table; a custom resource may not begin with a status."""
    prepared = strategy.prepare_for_create(obj, now=now)
    if definitions.is_definition(kind):
        return {**prepared, "status": definitions.first_status(prepared["spec"])}
    if kind.definition is not None and "status" in kind.subresources:
        return {name: part for name, part in prepared.items() if name != "status"}
    return prepared


def prepare_for_update(kind: Kind, new: Json, old: Json, subresource: str, now: str) -> Json:
    """As `strategy`, for kinds of the table; without a status apart, all is one."""
    prepared = strategy.prepare_for_update(new, old, subresource, now=now)
    if definitions.is_definition(kind):
        return prepared if subresource else definitions.with_stored_version(prepared)
    if kind.definition is None or "status" in kind.subresources:
        return prepared
    whole = {name: part for name, part in prepared.items() if name != "status"}
    if "status" in new:
        whole["status"] = new["status"]
    if new.get("status") != old.get("status"):
        count = old["metadata"].get("generation", 0) + 1
        whole["metadata"] = {**prepared["metadata"], "generation": count}
    return whole


def at_rest(core: Core, kind: Kind, obj: Json, old: Json | None) -> Json:
    """An object of any kind as it is stored: by then a webhook has converted it, if one does."""
    stored = webhook_versions.at_rest(kind, obj, old)
    if stored is obj or not webhook_versions.can_convert():
        return stored
    row = core.kinds.get(stored["apiVersion"], stored["kind"])
    if row is None:
        # What was converted may be shown to others, and its metadata is about to be changed.
        return {**stored, "metadata": dict(stored["metadata"])}
    return rows.compiled(row).read(stored)[0]


def validate_create(kind: Kind, obj: Json) -> list[FieldError]:
    """What is wrong with a new object of any kind."""
    if definitions.is_definition(kind):
        found: list[FieldError] = rows.definition_rules().validate_create(obj)
        return found
    if rows.are_custom(kind):
        return rows.compiled(kind).validate_create(obj)
    return rules.validate_create(obj, kind.api_version if kind.stored_as else "")


def validate_update(kind: Kind, new: Json, old: Json, subresource: str) -> list[FieldError]:
    """What is wrong with an object of any kind that is to replace an older one."""
    is_definition = definitions.is_definition(kind)
    if not is_definition and not rows.are_custom(kind):
        return rules.validate_update(
            new, old, subresource, kind.api_version if kind.stored_as else ""
        )
    errors = metadata.validate_object_meta(
        new["metadata"], kind.namespaced, names.path_segment_name, kube_finalizers=False
    )
    errors += metadata.validate_object_meta_update(
        new["metadata"], old["metadata"], kube_finalizers=False
    )
    by_definition: Any = rows.definition_rules() if is_definition else rows.compiled(kind)
    if subresource == "status":
        found: list[FieldError] = by_definition.validate_status_update(new, old)
    else:
        found = by_definition.validate_update(new, old)
    return errors + found
