"""The values of an axis; those of a continuous one in groups of equally many settings."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.sweep.rows import Scalar  # noqa: TC001 - msgspec reads it

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.sweep.rows import Setting

_MOST: Final = 12
_GROUPS: Final = 6


class AxisLevel(msgspec.Struct, frozen=True):
    """A value of an axis, or a group of near ones, and the places of the settings that have it.

    `value` is the middle of a group.
    """

    label: str
    value: Scalar
    settings: tuple[int, ...]


def levels(settings: Sequence[Setting], axis: str) -> list[AxisLevel]:
    """The values of an axis, numbers in their order, others in that of the design."""
    places: dict[str, list[int]] = {}
    values: dict[str, Scalar] = {}
    for at, setting in enumerate(settings):
        value = setting.parameters.get(axis)
        places.setdefault(str(value), []).append(at)
        values.setdefault(str(value), value)
    numbers = {
        label: float(value)
        for label, value in values.items()
        if isinstance(value, int | float) and not isinstance(value, bool)
    }
    if len(numbers) < len(values):
        return [AxisLevel(label, values[label], tuple(at)) for label, at in places.items()]
    ordered = sorted(places, key=lambda label: numbers[label])
    if len(ordered) <= _MOST:
        return [AxisLevel(label, values[label], tuple(places[label])) for label in ordered]
    ends = [round(part * len(ordered) / _GROUPS) for part in range(_GROUPS + 1)]
    return [_group(ordered[start:end], numbers, places) for start, end in itertools.pairwise(ends)]


def _group(
    labels: Sequence[str], numbers: dict[str, float], places: dict[str, list[int]]
) -> AxisLevel:
    low, high = numbers[labels[0]], numbers[labels[-1]]
    members = sorted(at for label in labels for at in places[label])
    return AxisLevel(f"{low:.4g} to {high:.4g}", (low + high) / 2, tuple(members))
