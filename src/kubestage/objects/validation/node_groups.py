"""Rules for node groups: the shape that their definition gives them, and what it means."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.errors import InputError
from kubestage.objects import distributions, own_definitions, quantity
from kubestage.objects.validation import (
    field,
    label_selectors,
    metadata,
    names,
    node,
    resources,
    structural,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kubestage.aliases import Json
    from kubestage.objects.validation.field import FieldError


_PARTS: Final = ("apiVersion", "kind", "metadata", "spec", "status")
_NODE_GROUP: Final = ("kubestage.dev/v1alpha1", "NodeGroup")
_TEMPLATE: Final = "spec.template"
_NEEDED: Final = ("cpu", "memory")


def validate_node_group(obj: Json) -> list[FieldError]:
    """A new node group."""
    errors = metadata.validate_object_meta(obj["metadata"], False, names.name_is_dns_label)
    return errors + _validate_spec(obj)


def validate_node_group_update(new: Json, old: Json) -> list[FieldError]:
    """A changed one: everything may change.

    A group has begun by then, so that its other sizes need not suit the initial one any more.
    """
    errors = metadata.validate_object_meta_update(new["metadata"], old["metadata"])
    before = (old.get("spec") or {}).get("initialSize")
    return errors + _validate_spec(new, known_initial_size=before)


def validate_node_group_status_update(new: Json, old: Json) -> list[FieldError]:
    """A changed status."""
    errors = metadata.validate_object_meta_update(new["metadata"], old["metadata"])
    if new.get("status") is not None:
        schema = own_definitions.schema("nodegroups", "status")
        errors += structural.validate_strictly(schema, new["status"], "status")
    return errors


def _validate_spec(obj: Json, known_initial_size: int | None = None) -> list[FieldError]:
    errors = [field.forbidden(name, "unknown field") for name in obj if name not in _PARTS]
    if "spec" not in obj:
        return [*errors, field.required("spec", "say at least maxSize and template")]
    schema = own_definitions.schema("nodegroups", "spec")
    errors += structural.validate_strictly(schema, obj["spec"], "spec")
    return errors or list(_of_meaning(obj["spec"], known_initial_size))


def _of_meaning(spec: Json, known_initial_size: int | None) -> Iterator[FieldError]:
    """What is wrong with a spec whose shape is right."""
    least, most = spec.get("minSize") or 0, spec["maxSize"]
    if least > most:
        yield field.invalid("spec.minSize", least, f"must not be above maxSize ({most})")
    initial = spec.get("initialSize")
    if initial not in (None, known_initial_size) and not least <= initial <= most:
        detail = f"must be from minSize ({least}) to maxSize ({most})"
        yield field.invalid("spec.initialSize", initial, detail)
    delay = spec.get("provisionDelay")
    if delay is not None:
        try:
            distributions.parse(delay)
        except InputError as error:
            yield field.invalid("spec.provisionDelay", delay, f"{error.problem}; {error.fix}")
    yield from _of_template(spec["template"])


def _of_template(template: Json) -> Iterator[FieldError]:
    meta = template.get("metadata") or {}
    labels = meta.get("labels") or {}
    yield from label_selectors.validate_labels(labels, f"{_TEMPLATE}.metadata.labels")
    taints = (template.get("spec") or {}).get("taints") or []
    yield from node.validate_taints(taints, f"{_TEMPLATE}.spec.taints")
    offered = {**(template.get("capacity") or {}), **(template.get("allocatable") or {})}
    for name in _NEEDED:
        if name not in offered:
            detail = "say how much a node has, as in {cpu: 4, memory: 16Gi}"
            yield field.required(f"{_TEMPLATE}.capacity.{name}", detail)
    for part in ("capacity", "allocatable"):
        for name, amount in (template.get(part) or {}).items():
            yield from _of_amount(name, amount, f"{_TEMPLATE}.{part}.{name}")


def _of_amount(name: str, amount: Any, path: str) -> Iterator[FieldError]:
    try:
        quantity.of(amount)
    except ValueError:
        yield field.invalid(path, amount, "must be an amount, such as 4 or 16Gi")
        return
    yield from resources.validate_quantity_value(name, amount, path)


CREATE: Final[dict[tuple[str, str], Callable[[Json], list[FieldError]]]] = {
    _NODE_GROUP: validate_node_group
}
UPDATE: Final[dict[tuple[str, str, str], Callable[[Json, Json], list[FieldError]]]] = {
    (*_NODE_GROUP, ""): validate_node_group_update,
    (*_NODE_GROUP, "status"): validate_node_group_status_update,
}
