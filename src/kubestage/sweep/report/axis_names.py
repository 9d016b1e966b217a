"""Axes and their values in few words: paths are long, and tables narrow."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.sweep.rows import Scalar, Setting

_PARTS: Final = re.compile(r"[:.]")
_DIGITS: Final = 5
AS_IT_IS: Final = "as it is"
"""The setting without parameters: the inputs are as they were read."""


def short(axes: Sequence[str]) -> tuple[str, ...]:
    """The last part of each path, or as many of its last parts as make it unique."""
    split = [_PARTS.split(axis) for axis in axes]
    longest = max((len(parts) for parts in split), default=1)
    names = list(axes)
    for kept in range(longest, 0, -1):
        cut = [".".join(parts[-kept:]) for parts in split]
        for at, name in enumerate(cut):
            if cut.count(name) == 1 and len(name) < len(names[at]):
                names[at] = name
    return tuple(names)


def value(found: Scalar) -> str:
    """A value of an axis; drawn numbers with a few digits."""
    if isinstance(found, bool):
        return str(found).lower()
    if isinstance(found, float):
        return f"{found:.{_DIGITS}g}"
    return "-" if found is None else str(found)


def values(setting: Setting, axes: Sequence[str]) -> tuple[str, ...]:
    """The values of a setting, axis by axis; of the inputs as they are, that they are."""
    if axes and not setting.parameters:
        return (AS_IT_IS, *("" for _ in axes[1:]))
    return tuple(value(setting.parameters.get(axis)) for axis in axes)


def label(setting: Setting, axes: Sequence[str]) -> str:
    """A setting in one line: ``nodes=10, config=a.yaml``."""
    if axes and not setting.parameters:
        return AS_IT_IS
    named = zip(axes, short(axes), strict=True)
    parts = [f"{name}={value(setting.parameters.get(axis))}" for axis, name in named]
    return ", ".join(parts) or "the base"
