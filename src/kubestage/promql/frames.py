"""The value of an expression: values of series at several times at once.

Evaluating many times together is what makes subqueries and recording rules cheap.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kubestage.promql import query_errors
from kubestage.promql.matchers import NAME

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from numpy.typing import NDArray

    from kubestage.promql.series import Labels

    Floats = NDArray[np.float64]
    Flags = NDArray[np.bool_]
    Times = NDArray[np.int64]


class Frame:
    """Series in rows, times in columns; `present` says where there is a value at all."""

    __slots__ = ("labels", "present", "values")

    def __init__(self, labels: list[Labels], values: Floats, present: Flags) -> None:
        self.labels = labels
        self.values = values
        self.present = present

    @classmethod
    def empty(cls, width: int) -> Frame:
        """No series."""
        return cls([], np.empty((0, width)), np.empty((0, width), np.bool_))

    @classmethod
    def of_rows(cls, rows: Iterable[tuple[Labels, Floats, Flags]], width: int) -> Frame:
        """A frame from rows; those without a value are left out."""
        remaining = [row for row in rows if row[2].any()]
        if not remaining:
            return cls.empty(width)
        labels, values, present = zip(*remaining, strict=True)
        return cls(list(labels), np.array(values), np.array(present))

    @property
    def width(self) -> int:
        """How many times there are."""
        return int(self.values.shape[1])

    def with_values(self, values: Floats) -> Frame:
        """The same series without the metric's name, and other values."""
        return merged([without_name(labels) for labels in self.labels], values, self.present)

    def where(self, present: Flags) -> Frame:
        """The same values where a condition holds; series without any are dropped."""
        remaining: Flags = np.logical_or.reduce(present, axis=1)
        if remaining.all():
            return Frame(self.labels, self.values, present)
        labels = [
            each for each, is_present in zip(self.labels, remaining, strict=True) if is_present
        ]
        return Frame(labels, self.values[remaining], present[remaining])


def ever(present: Flags) -> Flags:
    """At which times any row has a value."""
    found: Flags = np.logical_or.reduce(present, axis=0)
    return found


def merged(labels: list[Labels], values: Floats, present: Flags) -> Frame:
    """Rows of the same labels as one, which must not have values at the same time."""
    if len(set(labels)) == len(labels):
        return Frame(labels, values, present)
    rows: dict[Labels, tuple[Labels, Floats, Flags]] = {}
    for each, row, flags in zip(labels, values, present, strict=True):
        before = rows.get(each)
        if before is None:
            rows[each] = (each, row, flags)
        elif (before[2] & flags).any():
            raise query_errors.QueryError("vector cannot contain metrics with the same labelset")
        else:
            rows[each] = (each, np.where(flags, row, before[1]), before[2] | flags)
    return Frame.of_rows(rows.values(), values.shape[1])


def without_name(labels: Labels) -> Labels:
    """Labels without the metric's name."""
    return tuple(pair for pair in labels if pair[0] != NAME)


def only(labels: Labels, names: Collection[str]) -> Labels:
    """These labels and no others."""
    return tuple(pair for pair in labels if pair[0] in names)


def without(labels: Labels, names: Collection[str]) -> Labels:
    """All but these labels."""
    return tuple(pair for pair in labels if pair[0] not in names)


def format_labels(labels: Labels) -> str:
    """Labels as Prometheus writes them."""
    name = dict(labels).get(NAME, "")
    pairs = ", ".join(f'{key}="{value}"' for key, value in labels if key != NAME)
    return f"{name}{{{pairs}}}" if pairs or not name else name
