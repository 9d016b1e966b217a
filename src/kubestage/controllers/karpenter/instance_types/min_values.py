"""Whether instance types leave as many values of a label possible as a NodePool demands."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.controllers.karpenter.instance_types.types import InstanceType
    from kubestage.controllers.karpenter.requirements.requirements import Requirements


class MinValues(msgspec.Struct, frozen=True):
    """How many types, in their order, are enough; or which labels have too few values."""

    needed_types: int
    lacking: dict[str, int]

    @property
    def error(self) -> str:
        """What is wrong, in words; empty if nothing is."""
        if not self.lacking:
            return ""
        shown = " ".join(sorted(self.lacking))
        return f"minValues requirement is not met for label(s) (label(s)=[{shown}])"


def check(types: Sequence[InstanceType], requirements: Requirements) -> MinValues:
    """Count the values that types have for each label with a minimum."""
    if not requirements.has_min_values:
        return MinValues(0, {})
    required = [(each.key, each.min_values) for each in requirements if each.min_values is not None]
    values: dict[str, set[str]] = {key: set() for key, _ in required}
    lacking: dict[str, int] = {}
    for position, instance_type in enumerate(types):
        lacking = {}
        for key, minimum in required:
            values[key] |= instance_type.requirements.get(key).values
            if len(values[key]) < minimum:
                lacking[key] = len(values[key])
        if not lacking:
            return MinValues(position + 1, {})
    return MinValues(len(types), lacking)
