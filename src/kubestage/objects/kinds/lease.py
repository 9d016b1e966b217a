"""What the API does to a Lease."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import markers
from kubestage.objects.kinds.behavior import CREATE, Behavior
from kubestage.objects.kinds.kind import Kind
from kubestage.objects.strategy import fields
from kubestage.objects.tables import cells
from kubestage.objects.validation import metadata, names

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.tables.cells import Cell
    from kubestage.objects.validation.field import FieldError


_SPEC: Final = "coordination/v1.LeaseSpec"
_LEASE_FIELDS: Final = ("strategy", "preferredHolder")


def _prepare_create(lease: Json, _: str | None) -> None:
    """Coordinated leader election is off: its fields are dropped."""
    for key in _LEASE_FIELDS:
        fields.drop(lease, "spec", key)


def _prepare_update(new: Json, old: Json, _: str | None) -> None:
    """As on creation, unless the fields were there before."""
    for key in _LEASE_FIELDS:
        if (old.get("spec") or {}).get(key) is None:
            fields.drop(new, "spec", key)


def _validate(obj: Json) -> list[FieldError]:
    errors = metadata.validate_object_meta(
        obj["metadata"], True, names.name_is_dns_subdomain, kube_finalizers=False
    )
    return errors + markers.check(_SPEC, obj.get("spec") or {}, "spec")


def _validate_update(new: Json, old: Json) -> list[FieldError]:
    errors = metadata.validate_object_meta_update(
        new["metadata"], old["metadata"], kube_finalizers=False
    )
    return errors + markers.check(_SPEC, new.get("spec") or {}, "spec")


def _cells(obj: Json, now_ns: int) -> list[Cell]:
    return [cells.name(obj), cells.text(obj, "spec", "holderIdentity"), cells.age(obj, now_ns)]


KIND: Final = Kind(
    group="coordination.k8s.io",
    version="v1",
    kind="Lease",
    plural="leases",
    old_versions=("coordination.k8s.io/v1beta1",),
    declared=Behavior(
        prepare_create=_prepare_create,
        prepare_update={"": _prepare_update},
        validate=_validate,
        validate_update={"": _validate_update},
        validates_metadata=(CREATE, ""),
        cells=_cells,
        unconditional_update=False,
        create_on_update=True,
    ),
)
