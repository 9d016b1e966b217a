"""What is wrong with a requirement of a NodePool or a NodeOverlay though definitions allow it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from kubestage.controllers.karpenter import labels
from kubestage.objects.validation import names

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from kubestage.aliases import Json

_COMPARING: Final = ("Gt", "Lt", "Gte", "Lte")
_is_number: Final = re.compile(r"\+?[0-9]+", re.ASCII).fullmatch


def problems(stated: Json, well_known: Collection[str]) -> Iterator[str]:
    """All that is wrong with a requirement, in one sentence; nothing if it is right."""
    found = list(_problems(stated, well_known))
    if found:
        yield f"invalid value: {'; '.join(found)} in requirements, restricted"


def _problems(stated: Json, well_known: Collection[str]) -> Iterator[str]:
    key: str = labels.NORMALIZED.get(stated["key"]) or stated["key"]
    operator, values = stated["operator"], stated.get("values") or []
    restriction = labels.restriction(key, well_known)
    if restriction:
        yield restriction
    if key == labels.CAPACITY_TYPE and operator == "In":
        yield from _of_capacity_types(values, stated.get("minValues"))
    for error in names.is_qualified_name(key):
        yield f"key {key} is not a qualified name, {error}"
    for value in values:
        for error in names.is_valid_label_value(value):
            yield f"invalid value {value} for key {key}, {error}"
    if operator == "In" and not values:
        yield f"key {key} with operator {operator} must have a value defined"
    if operator == "In" and len(values) < (stated.get("minValues") or 0):
        yield (
            f"key {key} with operator {operator} must have at least minimum number of values "
            "defined in 'values' field"
        )
    if operator in _COMPARING and (len(values) != 1 or _is_number(values[0]) is None):
        yield f"key {key} with operator {operator} must have a single positive integer value"


def _of_capacity_types(values: Iterable[str], least: int | None) -> Iterator[str]:
    known = sorted(labels.KNOWN_CAPACITY_TYPES)
    stated = list(values)
    valid = [each for each in stated if each in known]
    if not valid:
        unknown = f"[{' '.join(stated)}]"
        yield (
            f"no valid values found in {unknown} for {labels.CAPACITY_TYPE}, expected one of: "
            f"[{' '.join(known)}], got: {unknown}"
        )
    elif least is not None and len(valid) < least:
        yield (
            f"not enough valid values found in [{' '.join(stated)}] for {labels.CAPACITY_TYPE}, "
            f"expected at least {least} valid values from: [{' '.join(known)}], got: {len(valid)}"
        )
