"""What the API does to a PodDisruptionBudget."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects import markers
from kubestage.objects.defaulting import round_trip
from kubestage.objects.kinds.behavior import CREATE, Behavior
from kubestage.objects.kinds.kind import Kind
from kubestage.objects.tables import cells
from kubestage.objects.validation import (
    conditions,
    field,
    internal_json,
    label_selectors,
    metadata,
    names,
)

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.tables.cells import Cell
    from kubestage.objects.validation.field import FieldError

_SPEC: Final = "policy/v1.PodDisruptionBudgetSpec"
_MATCH_LABEL: Final = "pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match"


def _round_trip(obj: Json) -> None:
    """A marker of old match-all selectors must not be mixed with others."""
    selector = obj["spec"].get("selector")
    marker = {"matchExpressions": [{"key": _MATCH_LABEL, "operator": "Exists"}]}
    if selector and selector != marker and "matchExpressions" in selector:
        others = [each for each in selector["matchExpressions"] if each["key"] != _MATCH_LABEL]
        round_trip.set_or_drop(selector, "matchExpressions", others)


def _validate(obj: Json) -> list[FieldError]:
    """Metadata is validated last, and without the rules for the well-known kinds."""
    errors = _validate_spec(obj.get("spec") or {}, allow_invalid_values=False)
    return errors or metadata.validate_object_meta(
        obj["metadata"], True, names.path_segment_name, kube_finalizers=False
    )


def _validate_update(new: Json, old: Json) -> list[FieldError]:
    selector = (old.get("spec") or {}).get("selector")
    allow = label_selectors.has_invalid_value(selector)
    return _validate_spec(new.get("spec") or {}, allow_invalid_values=allow)


def _validate_spec(spec: Json, *, allow_invalid_values: bool) -> list[FieldError]:
    errors: list[FieldError] = []
    if spec.get("minAvailable") is not None and spec.get("maxUnavailable") is not None:
        shown = internal_json.render(_SPEC, spec)
        detail = "minAvailable and maxUnavailable cannot be both set"
        errors.append(field.invalid("spec", shown, detail))
    errors += markers.check(_SPEC, spec, "spec", "minAvailable", "maxUnavailable")
    errors += label_selectors.validate_label_selector(
        spec.get("selector"), "spec.selector", allow_invalid_values=allow_invalid_values
    )
    return errors + markers.check(_SPEC, spec, "spec", "unhealthyPodEvictionPolicy")


def _validate_status(new: Json, _: Json) -> list[FieldError]:
    status = new.get("status") or {}
    errors = conditions.validate_conditions(status.get("conditions") or [], "status.conditions")
    return errors + markers.check("policy/v1.PodDisruptionBudgetStatus", status, "status")


def _cells(obj: Json, now_ns: int) -> list[Cell]:
    spec = cells.part(obj, "spec")
    return [
        cells.name(obj),
        _amount(spec.get("minAvailable")),
        _amount(spec.get("maxUnavailable")),
        cells.number(obj, "status", "disruptionsAllowed"),
        cells.age(obj, now_ns),
    ]


def _amount(value: Any) -> str:
    return "N/A" if value is None else str(value)


KIND: Final = Kind(
    group="policy",
    version="v1",
    kind="PodDisruptionBudget",
    plural="poddisruptionbudgets",
    short_names=("pdb",),
    subresources=frozenset({"status"}),
    old_versions=("policy/v1beta1",),
    declared=Behavior(
        round_trip=_round_trip,
        generation_fields=("spec",),
        validate=_validate,
        validate_update={"": _validate_update, "status": _validate_status},
        validates_metadata=(CREATE, "", "status"),
        cells=_cells,
        unconditional_update=False,
    ),
)
