"""What the API does to a ReplicaSet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import markers
from kubestage.objects.defaulting import pod as pod_defaults
from kubestage.objects.kinds.behavior import Behavior
from kubestage.objects.kinds.kind import Kind
from kubestage.objects.pod_templates import IN_SPEC
from kubestage.objects.tables import cells
from kubestage.objects.validation import pod_options, rollouts

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.tables.cells import Cell
    from kubestage.objects.validation.field import FieldError
    from kubestage.objects.validation.pod_options import PodValidationOptions


def _default(obj: Json) -> None:
    spec = obj["spec"]
    spec.setdefault("replicas", 1)
    pod_defaults.template(spec["template"])


def _validate(obj: Json) -> list[FieldError]:
    return _validate_spec(obj.get("spec") or {}, pod_options.NEW_TEMPLATE)


def _validate_update(new: Json, old: Json) -> list[FieldError]:
    spec = new.get("spec") or {}
    errors = _validate_spec(spec, IN_SPEC.update_options(old))
    return errors + rollouts.same_selector(spec, old.get("spec") or {})


def _validate_spec(spec: Json, options: PodValidationOptions) -> list[FieldError]:
    errors = markers.check("apps/v1.ReplicaSetSpec", spec, "spec")
    return errors + rollouts.selector_and_template(spec, options)


def _validate_status(new: Json, _: Json) -> list[FieldError]:
    status = new.get("status") or {}
    errors = markers.check("apps/v1.ReplicaSetStatus", status, "status")
    return errors + rollouts.replica_counts(status, rollouts.LABELED_REPLICAS)


def _cells(obj: Json, now_ns: int) -> list[Cell]:
    selector = cells.selector_text(cells.part(obj, "spec").get("selector"))
    return [*cells.replicas(obj, now_ns), selector]


KIND: Final = Kind(
    group="apps",
    version="v1",
    kind="ReplicaSet",
    plural="replicasets",
    short_names=("rs",),
    categories=("all",),
    subresources=frozenset({"scale", "status"}),
    old_versions=("apps/v1beta2", "extensions/v1beta1"),
    declared=Behavior(
        default=_default,
        round_trip=IN_SPEC.round_trip,
        prepare_create=IN_SPEC.prepare_create,
        prepare_update={"": IN_SPEC.prepare_update},
        generation_fields=("spec",),
        empty_lists=IN_SPEC.empty_lists,
        validate=_validate,
        validate_update={"": _validate_update, "status": _validate_status},
        warn_create=IN_SPEC.warn_create,
        warn_update={"": IN_SPEC.warn_update},
        cells=_cells,
    ),
)
