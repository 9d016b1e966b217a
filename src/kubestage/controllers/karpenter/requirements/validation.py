"""What is wrong with a requirement as pods, NodePools and NodeOverlays state it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.controllers.karpenter import labels
from kubestage.controllers.karpenter.requirements import requirement
from kubestage.objects.validation import names

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

_OPERATORS: Final = (
    "DoesNotExist", "Exists", "Gt", "Gte", "In", "Lt", "Lte", "NotIn",
)  # fmt: skip
_BOUNDS: Final = frozenset({"Gt", "Gte", "Lt", "Lte"})


def problems_of(stated: Mapping[str, Any], well_known: frozenset[str]) -> Iterator[str]:
    """The problems of one requirement, in words."""
    key = labels.NORMALIZED.get(stated.get("key") or "", stated.get("key") or "")
    operator, values = stated.get("operator") or "", stated.get("values") or []
    if operator not in _OPERATORS:
        supported = " ".join(_OPERATORS)
        yield f"key {key} has an unsupported operator {operator} not in [{supported}]"
    restriction = labels.restriction(key, well_known)
    if restriction:
        yield restriction
    if key == labels.CAPACITY_TYPE and operator == requirement.IN:
        yield from _problems_of_capacity_types(values, stated.get("minValues"))
    for problem in names.is_qualified_name(key):
        yield f"key {key} is not a qualified name, {problem}"
    for value in values:
        for problem in names.is_valid_label_value(value):
            yield f"invalid value {value} for key {key}, {problem}"
    yield from _problems_of_number(key, operator, values, stated.get("minValues"))


def restricted(required: Iterable[Mapping[str, Any]], well_known: frozenset[str]) -> Iterator[str]:
    """The problems of requirements of a NodePool or a NodeOverlay, all of one in one sentence."""
    for each in required:
        found = "; ".join(problems_of(each, well_known))
        if found:
            yield f"invalid value: {found} in requirements, restricted"


def _problems_of_number(
    key: str, operator: str, values: Sequence[str], minimum: int | None
) -> Iterator[str]:
    if operator == requirement.IN and not values:
        yield f"key {key} with operator {operator} must have a value defined"
    if operator == requirement.IN and minimum is not None and len(values) < minimum:
        yield (
            f"key {key} with operator {operator} must have at least minimum number of values "
            "defined in 'values' field"
        )
    if operator in _BOUNDS and not (len(values) == 1 and requirement.is_bound(values[0])):
        yield f"key {key} with operator {operator} must have a single positive integer value"


def _problems_of_capacity_types(values: Sequence[str], minimum: int | None) -> Iterator[str]:
    known = sorted(labels.KNOWN_CAPACITY_TYPES)
    valid = [value for value in values if value in known]
    shown = " ".join(values)
    if not valid:
        expected = " ".join(f"{name}:{{}}" for name in known)
        yield (
            f"no valid values found in [{shown}] for {labels.CAPACITY_TYPE}, "
            f"expected one of: map[{expected}], got: [{shown}]"
        )
    elif minimum is not None and len(valid) < minimum:
        yield (
            f"not enough valid values found in [{shown}] for {labels.CAPACITY_TYPE}, expected at "
            f"least {minimum} valid values from: [{' '.join(known)}], got: {len(valid)}"
        )
