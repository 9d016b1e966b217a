"""What the API does to a Namespace."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects.kinds.behavior import Behavior
from kubestage.objects.kinds.kind import Kind
from kubestage.objects.ownership import filters
from kubestage.objects.strategy import fields
from kubestage.objects.tables import cells
from kubestage.objects.validation import field, internal_json, metadata, names

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.tables.cells import Cell
    from kubestage.objects.validation.field import FieldError


def _default(obj: Json) -> None:
    """A namespace carries its name as a label."""
    name = obj["metadata"].get("name")
    if name:
        obj["metadata"].setdefault("labels", {})["kubernetes.io/metadata.name"] = name
    obj["status"].setdefault("phase", "Active")


def _prepare_create(namespace: Json, _: str | None) -> None:
    """A new namespace is active, and Kubernetes itself must let go of it in the end."""
    namespace["status"] = {"phase": "Active"}
    spec = namespace.get("spec") or {}
    finalizers = spec.get("finalizers") or []
    if "kubernetes" not in finalizers:
        namespace["spec"] = {**spec, "finalizers": [*finalizers, "kubernetes"]}


def _prepare_update(new: Json, old: Json, _: str | None) -> None:
    """Finalizers of the spec change only through their own subresource."""
    fields.keep(new, old, "spec", "finalizers")


def _canonicalize(obj: Json) -> Json:
    """A namespace carries its name as a label."""
    meta = obj["metadata"]
    labels = {**(meta.get("labels") or {}), "kubernetes.io/metadata.name": meta.get("name") or ""}
    return {**obj, "metadata": {**meta, "labels": labels}}


def _validate(namespace: Json) -> list[FieldError]:
    errors: list[FieldError] = []
    for finalizer in _finalizers(namespace):
        errors += _validate_finalizer(finalizer, "spec.finalizers")
    return errors


def _validate_update(new: Json, old: Json) -> list[FieldError]:
    errors = metadata.validate_object_meta(new["metadata"], False, names.name_is_dns_label)
    errors += _validate(new)
    return errors + metadata.validate_object_meta_update(new["metadata"], old["metadata"])


def _validate_status(new: Json, _: Json) -> list[FieldError]:
    """A change of status: the phase follows from whether the namespace is being deleted."""
    errors: list[FieldError] = []
    phase = (new.get("status") or {}).get("phase") or ""
    if new["metadata"].get("deletionTimestamp"):
        expected, when = "Terminating", "is not empty"
    else:
        expected, when = "Active", "is empty"
    if phase != expected:
        detail = f"may only be '{expected}' if `deletionTimestamp` {when}"
        errors.append(field.invalid("status.Phase", internal_json.text(phase), detail))
    return errors


def _validate_finalize(new: Json, _: Json) -> list[FieldError]:
    """A change of the finalizers that keep a namespace alive."""
    errors: list[FieldError] = []
    for index, finalizer in enumerate(_finalizers(new)):
        errors += _validate_finalizer(finalizer, f"spec.finalizers[{index}]")
    return errors


def _finalizers(namespace: Json) -> list[str]:
    return (namespace.get("spec") or {}).get("finalizers") or []


def _validate_finalizer(finalizer: str, path: str) -> list[FieldError]:
    errors = field.invalids(path, finalizer, names.is_qualified_name(finalizer))
    return errors + metadata.validate_kube_finalizer(finalizer, path)


def _cells(obj: Json, now_ns: int) -> list[Cell]:
    return [cells.name(obj), cells.text(obj, "status", "phase"), cells.age(obj, now_ns)]


KIND: Final = Kind(
    group="",
    version="v1",
    kind="Namespace",
    plural="namespaces",
    namespaced=False,
    short_names=("ns",),
    subresources=frozenset({"finalize", "status"}),
    declared=Behavior(
        default=_default,
        prepare_create=_prepare_create,
        prepare_update={"": _prepare_update},
        canonicalize=_canonicalize,
        validate=_validate,
        validate_update={
            "": _validate_update,
            "finalize": _validate_finalize,
            "status": _validate_status,
        },
        validates_metadata=("",),
        name_rule=names.name_is_dns_label,
        cells=_cells,
        reset_fields={"finalize": filters.without("status")},
    ),
)
