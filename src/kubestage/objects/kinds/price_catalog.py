"""What the API does to a PriceCatalog."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import own_definitions, prices, shipped_prices
from kubestage.objects.kinds.behavior import Behavior
from kubestage.objects.kinds.kind import Kind
from kubestage.objects.validation import field, label_selectors, names, resources, structural

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.objects.validation.field import FieldError


_PARTS: Final = ("apiVersion", "kind", "metadata", "spec")
_PRICES: Final = "spec.prices"
_KEY: Final = ("instanceType", "zone", "capacityType", "reservationID")


def validate(obj: Json) -> list[FieldError]:
    """What is wrong with a catalog."""
    errors = [field.forbidden(name, "unknown field") for name in obj if name not in _PARTS]
    if "spec" not in obj:
        return [*errors, field.required("spec", "list at least one price in spec.prices")]
    schema = own_definitions.schema("pricecatalogs", "spec")
    errors += structural.validate_strictly(schema, obj["spec"], "spec")
    return errors or list(_of_meaning(obj["spec"]))


def _validate_update(new: Json, _: Json) -> list[FieldError]:
    return validate(new)


def _of_meaning(spec: Json) -> Iterator[FieldError]:
    """What is wrong with prices whose shape is right."""
    known, named = shipped_prices.names(), spec.get("builtIn")
    if named is None and "prices" not in spec:
        yield field.required(_PRICES)
    if named is not None and named not in known:
        yield field.not_supported("spec.builtIn", named, known)
    seen = set()
    for number, each in enumerate(spec.get("prices") or ()):
        path = f"{_PRICES}[{number}]"
        key = tuple(each.get(name) or "" for name in _KEY)
        if key in seen:
            yield field.duplicate(path, ", ".join(filter(None, key)))
        seen.add(key)
        stated = each.get("capacityType") or prices.ON_DEMAND
        if stated.lower() not in prices.CAPACITY_TYPES:
            where = f"{path}.capacityType"
            yield field.not_supported(where, stated, prices.CAPACITY_TYPES)
        for part in ("resources", "capacity"):
            for name, amount in (each.get(part) or {}).items():
                yield from resources.validate_amount(name, amount, f"{path}.{part}.{name}")
        labels = each.get("labels") or {}
        yield from label_selectors.validate_labels(labels, f"{path}.labels")


KIND: Final = Kind(
    group="kubestage.dev",
    version="v1alpha1",
    kind="PriceCatalog",
    plural="pricecatalogs",
    namespaced=False,
    short_names=("prices",),
    declared=Behavior(
        validate=validate,
        validate_update={"": _validate_update},
        name_rule=names.name_is_dns_subdomain,
        unconditional_update=False,
    ),
)
