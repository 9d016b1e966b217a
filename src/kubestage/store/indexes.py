"""Indexes over one kind: which keys carry a label, a field value, an owner.

Buckets are dicts used as ordered sets, so that nothing depends on the salted order of a set.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects.label_requirement import DOUBLE_EQUALS, EQUALS, EXISTS, IN

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from kubestage.aliases import Json
    from kubestage.objects.label_requirement import Requirement
    from kubestage.objects.labels import Selector

Bucket = dict[str, None]

_NONE: Final[Bucket] = {}


class ValueIndex:
    """Keys by one value each."""

    __slots__ = ("_buckets",)

    def __init__(self) -> None:
        self._buckets: dict[str, Bucket] = {}

    def add(self, value: str, key: str) -> None:
        """Enter a key under a value."""
        bucket = self._buckets.get(value)
        if bucket is None:
            self._buckets[value] = {key: None}
        else:
            bucket[key] = None

    def remove(self, value: str, key: str) -> None:
        """Take a key away; an empty bucket is dropped, or churn would leave millions behind."""
        bucket = self._buckets[value]
        del bucket[key]
        if not bucket:
            del self._buckets[value]

    def move(self, key: str, was: str, now: str) -> None:
        """Enter a key under another value than before."""
        buckets = self._buckets
        left = buckets[was]
        del left[key]
        if not left:
            del buckets[was]
        entered = buckets.get(now)
        if entered is None:
            buckets[now] = {key: None}
        else:
            entered[key] = None

    def get(self, value: str) -> Bucket:
        """The keys under a value. The bucket is this index's own: do not change it."""
        return self._buckets.get(value, _NONE)

    def buckets(self) -> Mapping[str, Bucket]:
        """All values and their keys."""
        return self._buckets

    def __len__(self) -> int:
        return len(self._buckets)


class OwnerIndex(ValueIndex):
    """Keys by the uids of owners; `everywhere` counts in how many kinds each uid owns something.

    NOTE: whatever goes may own objects of every kind, and most own none: that one question is put
    instead of one to each kind (benchmarks/load.py).
    """

    __slots__ = ("_everywhere",)

    def __init__(self, everywhere: dict[str, int]) -> None:
        super().__init__()
        self._everywhere = everywhere

    def add(self, value: str, key: str) -> None:
        """Enter a key under an owner."""
        if value not in self._buckets:
            self._everywhere[value] = self._everywhere.get(value, 0) + 1
        super().add(value, key)

    def remove(self, value: str, key: str) -> None:
        """Take a key away from an owner."""
        super().remove(value, key)
        if value not in self._buckets:
            left = self._everywhere[value] - 1
            if left:
                self._everywhere[value] = left
            else:
                del self._everywhere[value]


class LabelIndex:
    """Keys by label name and value."""

    __slots__ = ("_names",)

    def __init__(self) -> None:
        self._names: dict[str, ValueIndex] = {}

    def add(self, labels: Mapping[str, str], key: str) -> None:
        """Enter a key under each of its labels."""
        for name, value in labels.items():
            index = self._names.get(name)
            if index is None:
                index = self._names[name] = ValueIndex()
            index.add(value, key)

    def remove(self, labels: Mapping[str, str], key: str) -> None:
        """Take a key away from each of its labels."""
        for name, value in labels.items():
            index = self._names[name]
            index.remove(value, key)
            if not len(index):
                del self._names[name]

    def get(self, name: str, value: str) -> Bucket:
        """The keys with a label. The bucket is this index's own: do not change it."""
        index = self._names.get(name)
        return _NONE if index is None else index.get(value)

    def narrowest(self, selector: Selector) -> Collection[str] | None:
        """The smallest set of keys that holds all matches, or None if labels narrow nothing."""
        if not selector.selectable:
            return _NONE
        best: list[Bucket] | None = None
        size = 0
        for requirement in selector.requirements:
            buckets = self._buckets_of(requirement)
            if buckets is None:
                continue
            total = sum(map(len, buckets))
            if best is None or total < size:
                best, size = buckets, total
        if best is None:
            return None
        return best[0] if len(best) == 1 else [key for bucket in best for key in bucket]

    def _buckets_of(self, requirement: Requirement) -> list[Bucket] | None:
        index = self._names.get(requirement.key)
        if requirement.operator in (EQUALS, DOUBLE_EQUALS, IN):
            return (
                [index.get(value) for value in dict.fromkeys(requirement.values)]
                if index
                else [_NONE]
            )
        if requirement.operator == EXISTS:
            return list(index.buckets().values()) if index else [_NONE]
        return None

    def as_pairs(self) -> dict[tuple[str, str], set[str]]:
        """Everything in the index, for comparison with a scan."""
        return {
            (name, value): set(bucket)
            for name, index in self._names.items()
            for value, bucket in index.buckets().items()
        }


def owner_uids(obj: Json) -> Iterable[str]:
    """The uids of the owners that an object names, each once."""
    references = obj["metadata"].get("ownerReferences")
    return dict.fromkeys([reference["uid"] for reference in references]) if references else ()
