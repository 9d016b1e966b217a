"""Lists of indexes as jobs write them: ``1,3-5,7``."""

from __future__ import annotations

import re
from typing import Final

from kubestage.objects.validation import field

_is_number: Final = re.compile(r"[+-]?[0-9]+", re.ASCII).fullmatch
_BOTH_ENDS: Final = 2


class _Unreadable(ValueError):
    """What is wrong with a list, in the API server's words."""


def problem(text: str, count: int) -> str | None:
    """What is wrong with a list of indexes below a count; None if nothing is."""
    if not text:
        return None
    last: int | None = None
    try:
        for part in text.split(","):
            first, end = _interval(part, count)
            if last is not None and last >= first:
                return _disorder(last, first)
            last = end
    except _Unreadable as error:
        return str(error)
    return None


def overlap(one: str, other: str, count: int) -> int | None:
    """The first index that two ordered lists share; what cannot be read is passed over."""
    left, right = _intervals(one, count), _intervals(other, count)
    while left and right:
        (start, end), (from_, to) = left[0], right[0]
        if start <= to and from_ <= end:
            return max(start, from_)
        (left if start <= from_ else right).pop(0)
    return None


def _intervals(text: str, count: int) -> list[tuple[int, int]]:
    found = []
    for part in text.split(",") if text else ():
        try:
            found.append(_interval(part, count))
        except _Unreadable:
            continue
    return found


def _interval(part: str, count: int) -> tuple[int, int]:
    ends = part.split("-")
    if len(ends) > _BOTH_ENDS:
        raise _Unreadable(
            f"the fragment {field.quote(part)} violates the requirement that an index interval "
            "can have at most two parts separated by '-'"
        )
    numbers = [_number(end, count) for end in ends]
    if len(numbers) == _BOTH_ENDS and numbers[0] >= numbers[1]:
        raise _Unreadable(_disorder(*numbers))
    return numbers[0], numbers[-1]


def _number(text: str, count: int) -> int:
    if not _is_number(text):
        raise _Unreadable(f"cannot convert string to integer for index: {field.quote(text)}")
    if int(text) >= count:
        raise _Unreadable(f"too large index: {field.quote(text)}")
    return int(text)


def _disorder(previous: int, current: int) -> str:
    return f"non-increasing order, previous: {previous}, current: {current}"
