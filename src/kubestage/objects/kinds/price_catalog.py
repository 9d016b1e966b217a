"""What the API does to a PriceCatalog."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import own_definitions
from kubestage.objects.kinds.behavior import Behavior
from kubestage.objects.kinds.kind import Kind
from kubestage.objects.validation import field, names, resources, structural

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.objects.validation.field import FieldError


_PARTS: Final = ("apiVersion", "kind", "metadata", "spec")
_PRICES: Final = "spec.prices"


def validate(obj: Json) -> list[FieldError]:
    """What is wrong with a catalog."""
    errors = [field.forbidden(name, "unknown field") for name in obj if name not in _PARTS]
    if "spec" not in obj:
        return [*errors, field.required("spec", "list at least one price in spec.prices")]
    schema = own_definitions.schema("pricecatalogs", "spec")
    errors += structural.validate_strictly(schema, obj["spec"], "spec")
    return errors or list(_of_meaning(obj["spec"]["prices"]))


def _validate_update(new: Json, _: Json) -> list[FieldError]:
    return validate(new)


def _of_meaning(prices: list[Json]) -> Iterator[FieldError]:
    """What is wrong with prices whose shape is right."""
    seen = set()
    for number, each in enumerate(prices):
        path = f"{_PRICES}[{number}]"
        key = (each["instanceType"], each.get("zone") or "", each.get("capacityType") or "")
        if key in seen:
            yield field.duplicate(path, ", ".join(filter(None, key)))
        seen.add(key)
        for name, amount in (each.get("resources") or {}).items():
            yield from resources.validate_amount(name, amount, f"{path}.resources.{name}")


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
