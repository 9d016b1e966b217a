"""What the API does to a Scenario: it has the shape that its definition states.

Whether an event states one operation, and one that fits its object, is no matter of shape: such a
scenario is accepted, and fails when it is run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.objects import event_ids, own_definitions
from kubestage.objects.kinds.behavior import Behavior
from kubestage.objects.kinds.kind import Kind
from kubestage.objects.validation import field, metadata, structural

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.validation.field import FieldError


_PARTS: Final = ("apiVersion", "kind", "metadata", "spec", "status")
_CONTROLLERS: Final = (
    "unknown field; which controllers take part is not the scenario's choice: leave it out"
)


def _default(obj: Json) -> None:
    """Events get ids, so that patches and results can refer to them."""
    spec = obj.setdefault("spec", {})
    if not isinstance(spec, dict):
        return
    for name in event_ids.LISTS:
        events = spec.get(name)
        if isinstance(events, list):
            spec[name] = [
                {"id": event_id, **event_ids.without_empty_id(event)}
                if isinstance(event, dict)
                else event
                for event, event_id in zip(events, event_ids.event_ids(events), strict=True)
            ]


def _validate(obj: Json) -> list[FieldError]:
    errors = [field.forbidden(name, "unknown field") for name in obj if name not in _PARTS]
    if "spec" not in obj:
        return errors
    schema = own_definitions.schema("scenarios", "spec")
    for error in structural.validate_strictly(schema, obj["spec"], "spec"):
        is_of_newest_draft = error.field == "spec.controllers"
        errors.append(field.forbidden(error.field, _CONTROLLERS) if is_of_newest_draft else error)
    return errors


def _validate_update(new: Json, old: Json) -> list[FieldError]:
    """No event can be added to a scenario that has succeeded."""
    errors = metadata.validate_object_meta_update(new["metadata"], old["metadata"])
    errors += _validate(new)
    if errors or (old.get("status") or {}).get("phase") != "Succeeded":
        return errors
    known = {each["id"] for name in event_ids.LISTS for each in _events(old, name)}
    return [
        field.forbidden(
            f"spec.{name}[{index}]",
            f"event {field.quote(each['id'])} cannot be added: the scenario has Succeeded; "
            "create a new scenario",
        )
        for name in event_ids.LISTS
        for index, each in enumerate(_events(new, name))
        if each["id"] not in known
    ]


def _events(obj: Json, name: str) -> list[Json]:
    return (obj.get("spec") or {}).get(name) or []


def _validate_status(new: Json, _: Json) -> list[FieldError]:
    """Unknown fields may stay: other programs that run scenarios may report more."""
    errors: list[FieldError] = []
    if new.get("status") is None:
        return errors
    schema = own_definitions.schema("scenarios", "status")
    for error in structural.validate(schema, new["status"], ""):
        path = f"status.{error.field}".removesuffix(".")
        errors.append(msgspec.structs.replace(error, field=path))
    return errors


KIND: Final = Kind(
    group="simulation.kube-scheduler-simulator.x-k8s.io",
    version="v1alpha1",
    kind="Scenario",
    plural="scenarios",
    namespaced=False,
    subresources=frozenset({"status"}),
    declared=Behavior(
        default=_default,
        validate=_validate,
        validate_update={"": _validate_update, "status": _validate_status},
        validates_metadata=("",),
        unconditional_update=False,
        outlasts_reset=True,
    ),
)
