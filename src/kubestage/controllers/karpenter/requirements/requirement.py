"""What is required of one label: some values, all but some, bounds, or that it is absent."""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.controllers.karpenter import labels
from kubestage.golang import integers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from kubestage.aliases import Json

IN: Final = "In"
NOT_IN: Final = "NotIn"
EXISTS: Final = "Exists"
DOES_NOT_EXIST: Final = "DoesNotExist"
GT: Final = "Gt"
LT: Final = "Lt"
GTE: Final = "Gte"
LTE: Final = "Lte"

NEGATIVE: Final = frozenset({NOT_IN, DOES_NOT_EXIST})
"""Operators that a node without the label fulfils."""

_MAX_INT: Final = (1 << 63) - 1
_MIN_INT: Final = -(1 << 63)
_SHOWN: Final = 5
_is_integer: Final = re.compile("[+-]?[0-9]+", re.ASCII).fullmatch
_NONE: Final[frozenset[str]] = frozenset()


def lowest(low: int, high: int) -> int:
    """The pinned choice among the integers from `low` up to but not including `high`."""
    del high
    return low


class Requirement(msgspec.Struct, frozen=True, gc=False, cache_hash=True):
    """The values that a label may have; of a complement, those that it must not have.

    Bounds are inclusive, and only a complement has them: `Gt` and `Lt` become bounds too.
    """

    key: str
    complement: bool = False
    values: frozenset[str] = _NONE
    gte: int | None = None
    lte: int | None = None
    min_values: int | None = None

    @property
    def operator(self) -> str:
        """What it amounts to: bounds count as `Exists`."""
        if self.complement:
            return NOT_IN if self.values else EXISTS
        return IN if self.values else DOES_NOT_EXIST

    @property
    def sorted_values(self) -> list[str]:
        """The listed values by name."""
        return sorted(self.values)

    @property
    def is_empty(self) -> bool:
        """Whether no value fulfils it."""
        return not self.complement and not self.values

    def has(self, value: str) -> bool:
        """Whether a value is allowed."""
        if (value in self.values) is self.complement:
            return False
        return _is_within(value, self.gte, self.lte)

    def intersection(self, other: Requirement) -> Requirement:
        """What fulfils both."""
        return _intersection(self, other)

    def has_intersection(self, other: Requirement) -> bool:
        """Whether some value may fulfil both."""
        return _has_intersection(self, other)

    def any(self, draw: Callable[[int, int], int] = lowest) -> str:
        """One allowed value; `draw` chooses a number where none is listed."""
        operator = self.operator
        if operator == IN:
            return min(self.values)
        if operator == DOES_NOT_EXIST:
            return ""
        low = 0 if self.gte is None else self.gte
        return str(draw(low, _MAX_INT if self.lte is None else self.lte + 1))

    def with_min_values(self, min_values: int | None) -> Requirement:
        """The same with another number of values that must stay possible."""
        return msgspec.structs.replace(self, min_values=min_values)

    def node_selector_requirements(self) -> list[Json]:
        """The requirement as an object states it; two bounds need two."""
        rows: list[tuple[str, list[str]]] = []
        if self.gte is not None:
            rows.append((GTE, [str(self.gte)]))
        if self.lte is not None:
            rows.append((LTE, [str(self.lte)]))
        if not rows:
            rows.append((self.operator, self.sorted_values))
        stated: list[Json] = []
        for operator, values in rows:
            row: Json = {"key": self.key, "operator": operator}
            if values:
                row["values"] = values
            if self.min_values is not None:
                row["minValues"] = self.min_values
            stated.append(row)
        return stated

    def __str__(self) -> str:
        text = f"{self.key} {self.operator}"
        if self.values:
            shown = self.sorted_values
            if len(shown) > _SHOWN:
                shown = [*shown[:_SHOWN], f"and {len(shown) - _SHOWN} others"]
            text += f" [{' '.join(shown)}]"
        if self.gte is not None:
            text += f" >={self.gte}"
        if self.lte is not None:
            text += f" <={self.lte}"
        if self.min_values is not None:
            text += f" minValues {self.min_values}"
        return text


def new(
    key: str, operator: str, values: Iterable[str] = (), min_values: int | None = None
) -> Requirement:
    """A requirement as objects state it; the label's old name stands for its new one."""
    return _new(labels.NORMALIZED.get(key, key), operator, tuple(values), min_values)


def is_bound(value: str) -> bool:
    """Whether a value can be a bound: an integer that is not negative."""
    if not _is_integer(value):
        return False
    return 0 <= integers.parse(value) <= _MAX_INT


def of_json(stated: Mapping[str, object]) -> Requirement:
    """The requirement of a node selector or a NodePool."""
    values = stated.get("values")
    min_values = stated.get("minValues")
    return new(
        str(stated.get("key") or ""),
        str(stated.get("operator") or ""),
        map(str, values) if isinstance(values, list) else (),
        min_values if isinstance(min_values, int) else None,
    )


@functools.lru_cache(maxsize=1 << 16)
def _new(key: str, operator: str, values: tuple[str, ...], min_values: int | None) -> Requirement:
    listed = frozenset(values) if operator in (IN, NOT_IN) else _NONE
    gte = lte = None
    if operator in (GT, GTE):
        gte = _number(values) + (operator == GT)
        if gte > _MAX_INT:
            return Requirement(key)
    elif operator in (LT, LTE):
        lte = _number(values) - (operator == LT)
    complement = operator not in (IN, DOES_NOT_EXIST)
    return Requirement(key, complement, listed, gte, lte, min_values)


@functools.lru_cache(maxsize=4096)
def exists(key: str) -> Requirement:
    """Any value: what an undefined label amounts to."""
    return Requirement(labels.NORMALIZED.get(key, key), complement=True)


@functools.lru_cache(maxsize=1 << 16)
def _intersection(one: Requirement, other: Requirement) -> Requirement:
    complement = one.complement and other.complement
    gte = _outer(max, one.gte, other.gte)
    lte = _outer(min, one.lte, other.lte)
    min_values = _outer(max, one.min_values, other.min_values)
    if gte is not None and lte is not None and gte > lte:
        return Requirement(one.key, min_values=min_values)
    if complement:
        values = one.values | other.values
    elif one.complement:
        values = other.values - one.values
    elif other.complement:
        values = one.values - other.values
    else:
        values = one.values & other.values
    if gte is not None or lte is not None:
        values = frozenset(value for value in values if _is_within(value, gte, lte))
    if not complement:
        gte = lte = None
    return Requirement(one.key, complement, values, gte, lte, min_values)


@functools.lru_cache(maxsize=1 << 16)
def _has_intersection(one: Requirement, other: Requirement) -> bool:
    gte = _outer(max, one.gte, other.gte)
    lte = _outer(min, one.lte, other.lte)
    if gte is not None and lte is not None and gte > lte:
        return False
    if one.complement and other.complement:
        return True
    few, many = (other, one) if one.complement else (one, other)
    return any(
        (value in many.values) is not many.complement and _is_within(value, gte, lte)
        for value in few.values
    )


def _outer(choose: Callable[[int, int], int], one: int | None, other: int | None) -> int | None:
    if one is None:
        return other
    return one if other is None else choose(one, other)


def _number(values: tuple[str, ...]) -> int:
    """Go's reading of a bound: what is no number is 0, what is too large the nearest that is."""
    if not values or not _is_integer(values[0]):
        return 0
    return min(max(integers.parse(values[0]), _MIN_INT), _MAX_INT)


def _is_within(value: str, gte: int | None, lte: int | None) -> bool:
    if gte is None and lte is None:
        return True
    if not _is_integer(value):
        return False
    number = integers.parse(value)
    if not _MIN_INT <= number <= _MAX_INT:
        return False
    return (gte is None or number >= gte) and (lte is None or number <= lte)
