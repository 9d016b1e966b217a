"""What the API does to a NodeGroup."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.errors import InputError
from kubestage.golang import durations
from kubestage.objects import distributions, own_definitions
from kubestage.objects.kinds.behavior import Behavior
from kubestage.objects.kinds.kind import Kind
from kubestage.objects.validation import (
    field,
    label_selectors,
    names,
    resources,
    structural,
    tolerations,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.objects.validation.field import FieldError


_PARTS: Final = ("apiVersion", "kind", "metadata", "spec", "status")
_TEMPLATE: Final = "spec.template"
_NEEDED: Final = ("cpu", "memory")
_DELAYS: Final = ("provisionDelay", "readyDelay")
_TIMES: Final = (
    "scaleDownUnneededTime",
    "scaleDownUnreadyTime",
    "maxNodeProvisionTime",
    "maxNodeStartupTime",
)


def _validate(obj: Json) -> list[FieldError]:
    return _validate_spec(obj)


def _validate_update(new: Json, old: Json) -> list[FieldError]:
    """Everything may change.

    The group has started, so that its other sizes need not fit the initial one any more.
    """
    before = (old.get("spec") or {}).get("initialSize")
    return _validate_spec(new, known_initial_size=before)


def _validate_status(new: Json, _: Json) -> list[FieldError]:
    errors: list[FieldError] = []
    if new.get("status") is not None:
        schema = own_definitions.schema("nodegroups", "status")
        errors += structural.validate_strictly(schema, new["status"], "status")
    return errors


def _validate_spec(obj: Json, known_initial_size: int | None = None) -> list[FieldError]:
    errors = [field.forbidden(name, "unknown field") for name in obj if name not in _PARTS]
    if "spec" not in obj:
        return [*errors, field.required("spec", "state at least maxSize and template")]
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
    yield from _of_times(spec)
    yield from _of_template(spec["template"])


def _of_times(spec: Json) -> Iterator[FieldError]:
    for name in _DELAYS:
        delay = spec.get(name)
        if delay is not None:
            try:
                distributions.parse(delay)
            except InputError as error:
                yield field.invalid(f"spec.{name}", delay, f"{error.problem}; {error.fix}")
    for name, value in (spec.get("options") or {}).items():
        if name in _TIMES:
            try:
                durations.parse_duration(value)
            except ValueError as error:
                yield field.invalid(f"spec.options.{name}", value, str(error))


def _of_template(template: Json) -> Iterator[FieldError]:
    meta = template.get("metadata") or {}
    labels = meta.get("labels") or {}
    yield from label_selectors.validate_labels(labels, f"{_TEMPLATE}.metadata.labels")
    taints = (template.get("spec") or {}).get("taints") or []
    yield from tolerations.validate_taints(taints, f"{_TEMPLATE}.spec.taints")
    offered = {**(template.get("capacity") or {}), **(template.get("allocatable") or {})}
    for name in _NEEDED:
        if name not in offered:
            detail = "state how much a node has, as in {cpu: 4, memory: 16Gi}"
            yield field.required(f"{_TEMPLATE}.capacity.{name}", detail)
    for part in ("capacity", "allocatable"):
        for name, amount in (template.get(part) or {}).items():
            yield from resources.validate_amount(name, amount, f"{_TEMPLATE}.{part}.{name}")


KIND: Final = Kind(
    group="kubestage.dev",
    version="v1alpha1",
    kind="NodeGroup",
    plural="nodegroups",
    namespaced=False,
    short_names=("ng",),
    subresources=frozenset({"status"}),
    declared=Behavior(
        validate=_validate,
        validate_update={"": _validate_update, "status": _validate_status},
        name_rule=names.name_is_dns_label,
        unconditional_update=False,
    ),
)
