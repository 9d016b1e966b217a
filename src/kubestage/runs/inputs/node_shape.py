"""What a plain node has, as people write it: ``cpu=8,memory=32Gi,pods=110``.

``ephemeral-storage`` may be stated, too.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from kubestage.errors import InputError
from kubestage.objects import quantity, quantity_advice

DEFAULT: Final = "cpu=8,memory=32Gi,pods=110"
_FIX: Final = f"write {DEFAULT}"


class NodeShape(NamedTuple):
    """The resources of a node."""

    cpu: str = "8"
    memory: str = "32Gi"
    pods: str = "110"
    ephemeral_storage: str = "100Gi"


def parse(text: str) -> NodeShape:
    """The shape that a text describes; what is left out has its default."""
    stated: dict[str, str] = {}
    for part in filter(None, (each.strip() for each in text.split(","))):
        name, equals, amount = (each.strip() for each in part.partition("="))
        field = name.replace("-", "_")
        if not equals or "_" in name or field not in NodeShape._fields:
            raise InputError(f'"{part}" is nothing that a node has', path="--node", fix=_FIX)
        try:
            is_some = quantity.parse(amount).sign > 0
        except ValueError as error:
            suggested = quantity_advice.suggestion(amount)
            fix = _FIX if suggested is None else f"did you mean {name}={suggested}?"
            raise InputError(str(error), path="--node", fix=fix) from error
        if not is_some:
            raise InputError(f'"{part}" is nothing', path="--node", fix=_FIX)
        stated[field] = amount
    return NodeShape(**stated)
