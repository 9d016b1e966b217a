"""What the API does to a PriorityClass."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import markers
from kubestage.objects.kinds.behavior import Behavior
from kubestage.objects.kinds.kind import Kind
from kubestage.objects.tables import cells
from kubestage.objects.validation import field

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.tables.cells import Cell
    from kubestage.objects.validation.field import FieldError

_CLASS: Final = "scheduling/v1.PriorityClass"
_SYSTEM: Final = {"system-node-critical": 2_000_001_000, "system-cluster-critical": 2_000_000_000}
_HIGHEST_OF_USERS: Final = 1_000_000_000


def _default(obj: Json) -> None:
    obj.setdefault("preemptionPolicy", "PreemptLowerPriority")


def _validate(obj: Json) -> list[FieldError]:
    """High values and ``system-`` names belong to the system."""
    name, value = obj["metadata"].get("name") or "", obj.get("value") or 0
    errors: list[FieldError] = []
    if name.startswith("system-"):
        problem = _system_problem(name, value, bool(obj.get("globalDefault")))
        if problem:
            detail = (
                "priority class names with 'system-' prefix are reserved for system use only. "
                f"error: {problem}"
            )
            errors.append(field.forbidden("metadata.name", detail))
    elif value > _HIGHEST_OF_USERS:
        detail = f"maximum allowed value of a user defined priority is {_HIGHEST_OF_USERS}"
        errors.append(field.forbidden("value", detail))
    return errors + markers.check(_CLASS, obj, "")


def _system_problem(name: str, value: int, is_default: bool) -> str:
    expected = _SYSTEM.get(name)
    if expected is None:
        return f"{name} is not a known system priority class"
    if value != expected:
        return f"value of {name} PriorityClass must be {expected}"
    return f"globalDefault of {name} PriorityClass must be false" if is_default else ""


def _validate_update(new: Json, old: Json) -> list[FieldError]:
    errors: list[FieldError] = []
    if (new.get("value") or 0) != (old.get("value") or 0):
        errors.append(field.forbidden("value", "may not be changed in an update."))
    return errors + markers.check_update(_CLASS, new, old, "")


def _cells(obj: Json, now_ns: int) -> list[Cell]:
    return [
        cells.name(obj),
        cells.number(obj, "value"),
        bool(obj.get("globalDefault")),
        cells.age(obj, now_ns),
        cells.text(obj, "preemptionPolicy"),
    ]


KIND: Final = Kind(
    group="scheduling.k8s.io",
    version="v1",
    kind="PriorityClass",
    plural="priorityclasses",
    namespaced=False,
    short_names=("pc",),
    old_versions=("scheduling.k8s.io/v1beta1",),
    declared=Behavior(
        default=_default,
        generation_fields=(),
        validate=_validate,
        validate_update={"": _validate_update},
        cells=_cells,
    ),
)
