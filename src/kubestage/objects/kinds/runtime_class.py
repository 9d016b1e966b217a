"""What the API does to a RuntimeClass."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import markers
from kubestage.objects.kinds.behavior import Behavior
from kubestage.objects.kinds.kind import Kind
from kubestage.objects.tables import cells
from kubestage.objects.validation import (
    field,
    internal_json,
    label_selectors,
    metadata,
    names,
    resources,
    tolerations,
)
from kubestage.objects.warnings import pods

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.tables.cells import Cell
    from kubestage.objects.validation.field import FieldError


def _validate(obj: Json) -> list[FieldError]:
    errors = markers.check("node/v1.RuntimeClass", obj, "")
    overhead = obj.get("overhead")
    if overhead is not None:
        limits = {"limits": overhead.get("podFixed")}
        errors += resources.validate_requirements(limits, (), "overhead")
    scheduling = obj.get("scheduling")
    if scheduling is not None:
        errors += _validate_scheduling(scheduling, "scheduling")
    return errors


def _validate_update(new: Json, old: Json) -> list[FieldError]:
    """The handler of a class does not change."""
    meta = new["metadata"]
    errors = metadata.validate_object_meta(meta, False, names.name_is_dns_subdomain)
    errors += _validate(new) + metadata.validate_object_meta_update(meta, old["metadata"])
    return errors + markers.check_update("node/v1.RuntimeClass", new, old, "")


def _validate_scheduling(scheduling: Json, path: str) -> list[FieldError]:
    selector = scheduling.get("nodeSelector")
    errors = label_selectors.validate_labels(selector, f"{path}.nodeSelector")
    tolerated, at = scheduling.get("tolerations") or [], f"{path}.tolerations"
    errors += tolerations.validate_tolerations(tolerated, at)
    seen: set[tuple[str, ...]] = set()
    for index, toleration in enumerate(tolerated):
        key = tuple(toleration.get(part) or "" for part in ("key", "operator", "value", "effect"))
        if key in seen:
            shown = internal_json.render("core/v1.Toleration", toleration)
            errors.append(field.duplicate(f"{at}[{index}]", shown))
        seen.add(key)
    return errors


def _warn(obj: Json) -> list[str]:
    """Deprecated node labels in the selector."""
    selector = (obj.get("scheduling") or {}).get("nodeSelector") or ()
    return [
        f"scheduling.nodeSelector: {pods.NODE_LABELS[label]}"
        for label in selector
        if label in pods.NODE_LABELS
    ]


def _cells(obj: Json, now_ns: int) -> list[Cell]:
    return [cells.name(obj), cells.text(obj, "handler"), cells.age(obj, now_ns)]


KIND: Final = Kind(
    group="node.k8s.io",
    version="v1",
    kind="RuntimeClass",
    plural="runtimeclasses",
    namespaced=False,
    old_versions=("node.k8s.io/v1alpha1", "node.k8s.io/v1beta1"),
    declared=Behavior(
        validate=_validate,
        validate_update={"": _validate_update},
        validates_metadata=("",),
        warn=_warn,
        cells=_cells,
        unconditional_update=False,
        create_on_update=True,
    ),
)
