"""What the API does to a PodTemplate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects.defaulting import pod as pod_defaults
from kubestage.objects.kinds.behavior import Behavior
from kubestage.objects.kinds.kind import Kind
from kubestage.objects.pod_templates import PodTemplatePath
from kubestage.objects.tables import cells
from kubestage.objects.validation import pod_options, pod_spec

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.tables.cells import Cell
    from kubestage.objects.validation.field import FieldError

_TEMPLATE: Final = PodTemplatePath("template")


def _default(obj: Json) -> None:
    pod_defaults.template(obj["template"])


def _validate(obj: Json) -> list[FieldError]:
    template = obj.get("template") or {}
    return pod_spec.validate_pod_template_spec(template, "template", pod_options.NEW_TEMPLATE)


def _validate_update(new: Json, old: Json) -> list[FieldError]:
    template, options = new.get("template") or {}, _TEMPLATE.update_options(old)
    return pod_spec.validate_pod_template_spec(template, "template", options)


def _cells(obj: Json, _now_ns: int) -> list[Cell]:
    template = cells.part(obj, "template")
    pod_labels = cells.label_text(cells.part(template, "metadata").get("labels"))
    return [cells.name(obj), *cells.containers(cells.part(template, "spec")), pod_labels]


KIND: Final = Kind(
    group="",
    version="v1",
    kind="PodTemplate",
    plural="podtemplates",
    declared=Behavior(
        default=_default,
        round_trip=_TEMPLATE.round_trip,
        prepare_create=_TEMPLATE.prepare_create,
        prepare_update={"": _TEMPLATE.prepare_update},
        generation_fields=("template",),
        empty_lists=_TEMPLATE.empty_lists,
        validate=_validate,
        validate_update={"": _validate_update},
        warn_create=_TEMPLATE.warn,
        warn_update={"": _TEMPLATE.warn_update},
        cells=_cells,
    ),
)
