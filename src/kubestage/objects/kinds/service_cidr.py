"""What the API does to a ServiceCIDR."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects.kinds.behavior import Behavior
from kubestage.objects.kinds.kind import Kind
from kubestage.objects.strategy import status
from kubestage.objects.tables import cells
from kubestage.objects.validation import addresses, field, internal_json, metadata

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.tables.cells import Cell
    from kubestage.objects.validation.field import FieldError

_PATH: Final = "spec.cidrs"


def _validate(obj: Json) -> list[FieldError]:
    """New ranges: one, or one of each family."""
    return _validate_ranges(_ranges(obj))


def _ranges(obj: Json) -> list[str]:
    return (obj.get("spec") or {}).get("cidrs") or []


def _validate_ranges(ranges: list[str]) -> list[FieldError]:
    if not ranges:
        return [field.required(_PATH, "at least one CIDR required")]
    if len(ranges) > 2:
        shown = internal_json.text({"CIDRs": ranges})
        return [field.invalid(_PATH, shown, "may only hold up to 2 values")]
    errors: list[FieldError] = []
    for index, text in enumerate(ranges):
        errors += field.invalids(f"{_PATH}[{index}]", text, addresses.is_cidr(text))
    parts = [addresses.split_cidr(text) for text in ranges]
    if len(ranges) == 2 and parts[0] and parts[1] and parts[0][0].version == parts[1][0].version:
        detail = (
            "may specify no more than one IP for each IP family, "
            "i.e 192.168.0.0/24 and 2001:db8::/64"
        )
        errors.append(field.invalid(_PATH, internal_json.text(ranges), detail))
    return errors


def _validate_update(new: Json, old: Json) -> list[FieldError]:
    """Changed ranges: one of the other family may be added."""
    errors: list[FieldError] = []
    ranges, before = _ranges(new), _ranges(old)
    if len(ranges) != len(before) and (len(before), len(ranges)) != (1, 2):
        shown = internal_json.text(ranges or None)
        return [*errors, field.invalid(_PATH, shown, metadata.IMMUTABLE)]
    errors += [
        field.invalid(f"{_PATH}[{index}]", text, metadata.IMMUTABLE)
        for index, (text, was) in enumerate(zip(ranges, before, strict=False))
        if text != was
    ]
    return errors if len(ranges) == len(before) else errors + _validate_ranges(ranges)


def _cells(obj: Json, now_ns: int) -> list[Cell]:
    return [cells.name(obj), ",".join(cells.items(obj, "spec", "cidrs")), cells.age(obj, now_ns)]


KIND: Final = Kind(
    group="networking.k8s.io",
    version="v1",
    kind="ServiceCIDR",
    plural="servicecidrs",
    namespaced=False,
    subresources=frozenset({"status"}),
    old_versions=("networking.k8s.io/v1beta1",),
    declared=Behavior(
        prepare_update={"status": status.reset_metadata},
        validate=_validate,
        validate_update={
            "": _validate_update,
        },
        cells=_cells,
        status_resets_metadata=True,
    ),
)
