"""Rules for scenarios: the shape that their definition gives them.

Whether an event says one thing, and the thing that its operation names, is no matter of shape: such
a scenario is taken in, and fails when it is run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.objects import own_definitions
from kubestage.objects.validation import field, metadata, names, structural

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.validation.field import FieldError


_LISTS: Final = ("events", "operations")
_PARTS: Final = ("apiVersion", "kind", "metadata", "spec", "status")
_CONTROLLERS: Final = (
    "unknown field; which controllers take part is not the scenario's choice: leave it out"
)


def validate_scenario(obj: Json) -> list[FieldError]:
    """A new scenario."""
    errors = metadata.validate_object_meta(obj["metadata"], False, names.name_is_dns_subdomain)
    return errors + _validate_spec(obj)


def _validate_spec(obj: Json) -> list[FieldError]:
    errors = [field.forbidden(name, "unknown field") for name in obj if name not in _PARTS]
    if "spec" not in obj:
        return errors
    schema = own_definitions.schema("scenarios", "spec")
    for error in structural.validate_strictly(schema, obj["spec"], "spec"):
        of_newest_draft = error.field == "spec.controllers"
        errors.append(field.forbidden(error.field, _CONTROLLERS) if of_newest_draft else error)
    return errors


def validate_scenario_update(new: Json, old: Json) -> list[FieldError]:
    """A changed scenario: to one that has succeeded no event can be added."""
    errors = metadata.validate_object_meta_update(new["metadata"], old["metadata"])
    errors += _validate_spec(new)
    if errors or (old.get("status") or {}).get("phase") != "Succeeded":
        return errors
    known = {each["id"] for name in _LISTS for each in _events(old, name)}
    return [
        field.forbidden(
            f"spec.{name}[{index}]",
            f"event {field.quote(each['id'])} cannot be added: the scenario has Succeeded; "
            "create a new scenario",
        )
        for name in _LISTS
        for index, each in enumerate(_events(new, name))
        if each["id"] not in known
    ]


def _events(obj: Json, name: str) -> list[Json]:
    return (obj.get("spec") or {}).get(name) or []


def validate_scenario_status_update(new: Json, old: Json) -> list[FieldError]:
    """A changed status. Fields that nobody knows may stay: who runs scenarios may tell more."""
    errors = metadata.validate_object_meta_update(new["metadata"], old["metadata"])
    if new.get("status") is None:
        return errors
    schema = own_definitions.schema("scenarios", "status")
    for error in structural.validate(schema, new["status"], ""):
        path = f"status.{error.field}".removesuffix(".")
        errors.append(msgspec.structs.replace(error, field=path))
    return errors
