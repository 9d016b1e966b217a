"""How much memory old states of objects take: what nothing else has of them."""

from __future__ import annotations

import itertools
import json
import sys
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.store.log import MODIFIED

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.store.log import Change

# What a change takes besides the states that it holds.
_CHANGE_BYTES: Final = 300
# Of a list that is longer, so many are weighed for all.
_SAMPLE: Final = 256
# What they take, besides their text.
_DICT_BYTES: Final = 180
_LIST_BYTES: Final = 80
_ENTRY_BYTES: Final = 50
# What a deleted object is compared with: the lists of a Scenario, which may be long, are weighed
# by themselves.
_LONG: Final[Json] = {"spec": {}, "status": {"scenarioResult": {"timeline": {}}}}
_encode: Final = msgspec.json.Encoder().encode


class ChangeWeights:
    """About how many bytes changes take; several who remember a change weigh it once.

    A change costs what of the state before it nothing else has; states that are current cost
    nothing.
    """

    __slots__ = ("_change", "_size")

    def __init__(self) -> None:
        self._change: Change | None = None
        self._size = 0

    def of(self, change: Change) -> int:
        """The bytes of a change."""
        if change is not self._change:
            self._change, self._size = change, _weight_of(change)
        return self._size


def _weight_of(change: Change) -> int:
    if change.old is None:
        return _CHANGE_BYTES
    other = change.new if change.type == MODIFIED else _LONG
    return _CHANGE_BYTES + weight(change.old, other)


def weight(value: Any, other: Any = None) -> int:
    """About how many bytes a value takes, without the parts that another version shares with it."""
    if value is other:
        return 0
    kind = type(value)
    if kind is str:
        return sys.getsizeof(value)
    if kind is dict and type(other) is dict:
        return sys.getsizeof(value) + sum(
            [weight(part, other.get(key)) for key, part in value.items()]
        )
    if kind is list and (type(other) is list or len(value) > _SAMPLE):
        step = -(-len(value) // _SAMPLE) or 1
        before = other[: len(value) : step] if type(other) is list else ()
        pairs = itertools.zip_longest(value[::step], before)
        return sys.getsizeof(value) + step * sum([weight(part, was) for part, was in pairs])
    return _whole(value)


def _whole(value: Any) -> int:
    """About how many bytes a value takes that shares nothing.

    NOTE: its text is made five times as fast as its parts are visited.
    """
    try:
        text = _encode(value)
    except UnicodeEncodeError:
        # YAML can spell half of a surrogate pair; only an escape can carry it.
        text = json.dumps(value).encode()
    inner = _DICT_BYTES * text.count(b"{") + _LIST_BYTES * text.count(b"[")
    return len(text) + inner + _ENTRY_BYTES * text.count(b",")
