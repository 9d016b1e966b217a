"""What is wrong with a NodePool though its definition allows it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.controllers.karpenter import labels
from kubestage.controllers.karpenter.requirements import validation
from kubestage.objects.validation import names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json


def problem(pool: Json, well_known: frozenset[str]) -> str:
    """Everything that is wrong with a NodePool, in words; empty if nothing is."""
    template = pool["spec"]["template"]
    spec, stated = template["spec"], (template.get("metadata") or {}).get("labels") or {}
    required = spec.get("requirements") or ()
    found = [
        *_of_labels(stated, well_known),
        *_of_taints(spec),
        *validation.restricted(required, well_known),
        *(
            f'invalid key: "{each["key"]}" in requirements, restricted'
            for each in required
            if each["key"] == labels.NODE_POOL
        ),
    ]
    return "; ".join(found)


def _of_labels(stated: Json, well_known: frozenset[str]) -> Iterator[str]:
    for key, value in stated.items():
        if key == labels.NODE_POOL:
            yield f'invalid key name "{key}" in labels, restricted'
        for error in names.is_qualified_name(key):
            yield f'invalid key name "{key}" in labels, "{error}"'
        for error in names.is_valid_label_value(value):
            yield f"invalid value: {value} for label[{key}], {error}"
        restriction = labels.restriction(key, well_known)
        if restriction:
            yield f'invalid key name "{key}" in labels, {restriction}'


def _of_taints(spec: Json) -> Iterator[str]:
    seen = set()
    for name in ("taints", "startupTaints"):
        for taint in spec.get(name) or ():
            texts = [taint["key"], *([taint["value"]] if taint.get("value") else [])]
            for text in texts:
                for error in names.is_qualified_name(text):
                    yield f"invalid value: {error} in {name}"
            key = (taint["key"], taint["effect"])
            if key in seen:
                yield f"duplicate taint Key/Effect pair {key[0]}={key[1]}"
            seen.add(key)
