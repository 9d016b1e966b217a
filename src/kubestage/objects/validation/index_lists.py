"""Lists of indexes as jobs write them: ``1,3-5,7``."""

from __future__ import annotations

import re
from typing import Final

from kubestage.errors import MalformedValue
from kubestage.golang import integers
from kubestage.objects.validation import field

_is_number: Final = re.compile(r"[+-]?[0-9]+", re.ASCII).fullmatch
_BOTH_ENDS: Final = 2


class UnreadableIndexes(MalformedValue):
    """What is wrong with a list, in the API server's words."""


def problem(text: str, limit: int) -> str | None:
    """What is wrong with a list of indexes below a limit; None if nothing is."""
    try:
        count(text, limit)
    except UnreadableIndexes as error:
        return str(error)
    return None


def count(text: str, limit: int) -> int:
    """How many indexes below a limit a list names; UnreadableIndexes if it is malformed."""
    total = 0
    last: int | None = None
    for part in text.split(",") if text else ():
        first, end = _interval(part, limit)
        if last is not None and last >= first:
            raise UnreadableIndexes(_disorder(last, first))
        total += end - first + 1
        last = end
    return total


def overlap(one: str, other: str, limit: int) -> int | None:
    """The first index that two ordered lists share; what cannot be read is passed over."""
    left, right = _intervals(one, limit), _intervals(other, limit)
    while left and right:
        (start, end), (from_, to) = left[0], right[0]
        if start <= to and from_ <= end:
            return max(start, from_)
        (left if start <= from_ else right).pop(0)
    return None


def _intervals(text: str, limit: int) -> list[tuple[int, int]]:
    found = []
    for part in text.split(",") if text else ():
        try:
            found.append(_interval(part, limit))
        except UnreadableIndexes:
            continue
    return found


def _interval(part: str, limit: int) -> tuple[int, int]:
    ends = part.split("-")
    if len(ends) > _BOTH_ENDS:
        raise UnreadableIndexes(
            f"the fragment {field.quote(part)} violates the requirement that an index interval "
            "can have at most two parts separated by '-'"
        )
    numbers = [_number(end, limit) for end in ends]
    if len(numbers) == _BOTH_ENDS and numbers[0] >= numbers[1]:
        raise UnreadableIndexes(_disorder(*numbers))
    return numbers[0], numbers[-1]


def _number(text: str, limit: int) -> int:
    if not _is_number(text):
        raise UnreadableIndexes(f"cannot convert string to integer for index: {field.quote(text)}")
    if integers.parse(text) >= limit:
        raise UnreadableIndexes(f"too large index: {field.quote(text)}")
    return integers.parse(text)


def _disorder(previous: int, current: int) -> str:
    return f"non-increasing order, previous: {previous}, current: {current}"
