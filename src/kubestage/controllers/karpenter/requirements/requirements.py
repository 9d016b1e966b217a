"""Several requirements together, one for each label; they are values and never change."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Final

from kubestage.controllers.karpenter import labels
from kubestage.controllers.karpenter.requirements import requirement as single
from kubestage.controllers.karpenter.requirements.requirement import NEGATIVE, Requirement

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from kubestage.aliases import Json

_NO_LABELS: Final[frozenset[str]] = frozenset()


class Requirements:
    """Requirements by label, in the order of the labels' names."""

    __slots__ = ("_by_key", "_hash", "has_min_values")

    def __init__(self, requirements: Iterable[Requirement] = ()) -> None:
        found: dict[str, Requirement] = {}
        for each in requirements:
            known = found.get(each.key)
            found[each.key] = each if known is None else each.intersection(known)
        self._by_key = {key: found[key] for key in sorted(found)}
        self._hash = hash(tuple(self._by_key.values()))
        self.has_min_values = any(each.min_values is not None for each in found.values())

    def __reduce__(self) -> tuple[type[Requirements], tuple[list[Requirement]]]:
        return Requirements, (list(self._by_key.values()),)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return (
            isinstance(other, Requirements)
            and self._hash == other._hash
            and self._by_key == other._by_key
        )

    def __iter__(self) -> Iterator[Requirement]:
        return iter(self._by_key.values())

    def __len__(self) -> int:
        return len(self._by_key)

    def __contains__(self, key: str) -> bool:
        return key in self._by_key

    def keys(self) -> Iterable[str]:
        """The labels, by name."""
        return self._by_key.keys()

    def get(self, key: str) -> Requirement:
        """What is required of a label; nothing if it is not mentioned."""
        known = self._by_key.get(key)
        return single.exists(key) if known is None else known

    def plus(self, other: Requirements) -> Requirements:
        """Both together."""
        if not other._by_key or other is self:
            return self
        return _plus(self, other)

    def with_replaced(self, *requirements: Requirement) -> Requirements:
        """The same with these instead of what was required of their labels."""
        return Requirements({**self._by_key, **{each.key: each for each in requirements}}.values())

    def without(self, *keys: str) -> Requirements:
        """The same without some labels."""
        if not any(key in self._by_key for key in keys):
            return self
        return Requirements(each for key, each in self._by_key.items() if key not in keys)

    def intersects(self, other: Requirements) -> bool:
        """Whether every label that both mention has a value for both."""
        return _intersects(self, other)

    def is_compatible(
        self, other: Requirements, allow_undefined: frozenset[str] = _NO_LABELS
    ) -> bool:
        """Whether `incompatibility` finds nothing."""
        return _is_compatible(self, other, allow_undefined)

    def incompatibility(
        self, other: Requirements, allow_undefined: frozenset[str] = _NO_LABELS
    ) -> str:
        """Why a node of these requirements cannot meet others; empty if it can.

        Labels that are not mentioned here are met only if they may be undefined, or if absence
        will do.
        """
        key = self._undefined(other, allow_undefined)
        if key is not None:
            hint = _label_hint(self, key, allow_undefined)
            return f'label "{key}" does not have known values{hint}'
        return "; ".join(
            f"key {key}, {incoming} not in {self._by_key[key]}"
            for key, incoming in other._by_key.items()
            if key in self._by_key and _is_disjoint(self._by_key[key], incoming)
        )

    def labels(self) -> dict[str, str]:
        """The labels whose value is determined."""
        return {
            each.key: each.any() for each in self if not each.complement and len(each.values) == 1
        }

    def node_selector_requirements(self) -> list[Json]:
        """The requirements as an object states them."""
        return [row for each in self for row in each.node_selector_requirements()]

    def _undefined(self, other: Requirements, allow_undefined: frozenset[str]) -> str | None:
        for key, each in other._by_key.items():
            if key in allow_undefined or key in self._by_key or each.operator in NEGATIVE:
                continue
            return key
        return None

    def __str__(self) -> str:
        shown = (str(each) for each in self if each.key not in labels.RESTRICTED)
        return ", ".join(sorted(shown))

    def __repr__(self) -> str:
        return f"Requirements({self})"


NONE: Final = Requirements()


def of_labels(values: Mapping[str, str] | None) -> Requirements:
    """The requirements that a node of these labels meets."""
    if not values:
        return NONE
    return _of_labels(tuple(values.items()))


def of_json(stated: Iterable[Mapping[str, object]]) -> Requirements:
    """The requirements of a node selector term or a NodePool."""
    return Requirements(map(single.of_json, stated))


@functools.lru_cache(maxsize=1 << 14)
def _of_labels(values: tuple[tuple[str, str], ...]) -> Requirements:
    return Requirements(single.new(key, single.IN, (value,)) for key, value in values)


@functools.lru_cache(maxsize=1 << 13)
def _plus(one: Requirements, other: Requirements) -> Requirements:
    both = Requirements((*one, *other))
    return one if both == one else both


@functools.lru_cache(maxsize=1 << 14)
def _intersects(one: Requirements, other: Requirements) -> bool:
    few, many = (one, other) if len(one) <= len(other) else (other, one)
    for each in few:
        if each.key in many:
            existing, incoming = one.get(each.key), other.get(each.key)
            if _is_disjoint(existing, incoming):
                return False
    return True


@functools.lru_cache(maxsize=1 << 14)
def _is_compatible(one: Requirements, other: Requirements, allow_undefined: frozenset[str]) -> bool:
    for each in other:
        key = each.key
        if key in one:
            if _is_disjoint(one.get(key), each):
                return False
        elif key not in allow_undefined and each.operator not in NEGATIVE:
            return False
    return True


def _is_disjoint(existing: Requirement, incoming: Requirement) -> bool:
    """Whether no value is left; a label that both sides allow to be absent may be."""
    if existing.has_intersection(incoming):
        return False
    return incoming.operator not in NEGATIVE or existing.operator not in NEGATIVE


def _label_hint(known: Requirements, key: str, allow_undefined: frozenset[str]) -> str:
    suffix = key.partition("/")[2] if "/" in key else key
    for candidate in (*sorted(allow_undefined), *known.keys()):
        if key in candidate or candidate.endswith(suffix):
            return f' (typo of "{candidate}"?)'
    return ""
