"""What the API does to a ReplicationController."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import labels, markers
from kubestage.objects.defaulting import pod as pod_defaults
from kubestage.objects.kinds.behavior import CREATE, Behavior
from kubestage.objects.kinds.kind import Kind
from kubestage.objects.pod_templates import IN_SPEC, is_new_generation
from kubestage.objects.tables import cells
from kubestage.objects.validation import metadata, pod_options, rollouts

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.tables.cells import Cell
    from kubestage.objects.validation.field import FieldError
    from kubestage.objects.validation.pod_options import PodValidationOptions


def _default(obj: Json) -> None:
    """Labels of the template are used where the object has no labels or selector."""
    spec = obj["spec"]
    spec.setdefault("replicas", 1)
    template = spec.get("template")
    if template is None:
        return
    template_labels = template["metadata"].get("labels")
    if template_labels:
        spec.setdefault("selector", dict(template_labels))
        obj["metadata"].setdefault("labels", dict(template_labels))
    pod_defaults.template(template)


def _validate(obj: Json) -> list[FieldError]:
    errors = metadata.validate_named_meta(obj["metadata"], True)
    return errors + _validate_spec(obj.get("spec") or {}, pod_options.NEW_TEMPLATE)


def _validate_update(new: Json, old: Json) -> list[FieldError]:
    """The selector may change."""
    return _validate_spec(new.get("spec") or {}, IN_SPEC.update_options(old))


def _validate_spec(spec: Json, options: PodValidationOptions) -> list[FieldError]:
    errors = markers.check("core/v1.ReplicationControllerSpec", spec, "spec")
    template = spec.get("template")
    if template is None:
        return errors
    matching = labels.selector_from_set(spec.get("selector") or {})
    return errors + rollouts.template_for_replicas(
        template, matching, "spec.template", options, "ReplicationController"
    )


def _validate_status(new: Json, _: Json) -> list[FieldError]:
    status = new.get("status") or {}
    errors = markers.check("core/v1.ReplicationControllerStatus", status, "status")
    return errors + rollouts.replica_counts(status, rollouts.LABELED_REPLICAS)


def _warn_update(new: Json, old: Json) -> list[str]:
    """Upstream confuses the two: it warns about the old template."""
    return IN_SPEC.warn(old) if is_new_generation(new, old) else []


def _cells(obj: Json, now_ns: int) -> list[Cell]:
    selector = cells.label_text(cells.part(obj, "spec").get("selector"))
    return [*cells.replicas(obj, now_ns), selector]


KIND: Final = Kind(
    group="",
    version="v1",
    kind="ReplicationController",
    plural="replicationcontrollers",
    short_names=("rc",),
    categories=("all",),
    subresources=frozenset({"scale", "status"}),
    declared=Behavior(
        default=_default,
        round_trip=IN_SPEC.round_trip,
        prepare_create=IN_SPEC.prepare_create,
        prepare_update={"": IN_SPEC.prepare_update},
        generation_fields=("spec",),
        empty_lists=IN_SPEC.empty_lists,
        validate=_validate,
        validate_update={"": _validate_update, "status": _validate_status},
        validates_metadata=(CREATE,),
        warn_create=IN_SPEC.warn_create,
        warn_update={"": _warn_update},
        cells=_cells,
        quota_name="replicationcontrollers",
        orphans_dependents=True,
        storage_prefix="controllers",
    ),
)
