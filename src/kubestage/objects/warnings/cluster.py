"""Advice about nodes, claims and quotas."""

from __future__ import annotations

from typing import Any, Final

from kubestage.objects import quantity
from kubestage.objects.validation import field

_STATIC: Final = ".static.k8s.io"


def claim_spec(spec: dict[str, Any], path: str) -> list[str]:
    """Fractions of bytes."""
    resources = spec.get("resources") or {}
    return [
        warning
        for kind in ("requests", "limits")
        for warning in fraction(
            (resources.get(kind) or {}).get("storage"), f"{path}.resources.{kind}[storage]"
        )
    ]


def fraction(amount: Any, path: str) -> list[str]:
    """An amount that should be whole."""
    if amount is None or quantity.milli_value_of(amount) % 1000 == 0:
        return []
    text = field.quote(str(quantity.of(amount)))
    return [f"{path}: fractional byte value {text} is invalid, must be an integer"]


def static_name(obj: dict[str, Any]) -> list[str]:
    """A name that is kept for what is configured by files."""
    if not (obj["metadata"].get("name") or "").endswith(_STATIC):
        return []
    warning = (
        f"metadata.name: names ending with {field.quote(_STATIC)} are reserved for static "
        "manifest-based configurations and cannot be managed via the API"
    )
    return [warning]
