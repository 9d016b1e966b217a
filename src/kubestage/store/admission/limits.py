"""The single rules of a limit range, and how a breach is worded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.objects import quantity

if TYPE_CHECKING:
    from kubestage.objects.quantity import Quantity

_MOST_MILLI: Final = ((1 << 63) - 1) // 1000


class Asked(NamedTuple):
    """What something of a type asks for of a resource."""

    type: str
    resource: str
    request: Quantity | None
    limit: Quantity | None

    def values(self, bound: Quantity) -> tuple[int, int, int]:
        """Request, limit and bound, in thousandths unless one is too large for that."""
        every = (self.request or quantity.ZERO, self.limit or quantity.ZERO, bound)
        if all(each.value <= _MOST_MILLI for each in every):
            request, limit, bound_value = (each.milli_value for each in every)
        else:
            request, limit, bound_value = (each.value for each in every)
        return request, limit, bound_value


def below_minimum(asked: Asked, bound: Quantity) -> str | None:
    """Neither request nor limit may be less."""
    said = f"minimum {asked.resource} usage per {asked.type} is {bound.canonical}"
    request, limit, least = asked.values(bound)
    if asked.request is None:
        return f"{said}.  No request is specified"
    if request < least:
        return f"{said}, but request is {asked.request.canonical}"
    if asked.limit is not None and limit < least:
        return f"{said}, but limit is {asked.limit.canonical}"
    return None


def above_maximum(asked: Asked, bound: Quantity) -> str | None:
    """There must be a limit, and neither it nor the request may be more."""
    said = f"maximum {asked.resource} usage per {asked.type} is {bound.canonical}"
    request, limit, most = asked.values(bound)
    if asked.limit is None:
        return f"{said}.  No limit is specified"
    if limit > most:
        return f"{said}, but limit is {asked.limit.canonical}"
    if asked.request is not None and request > most:
        return f"{said}, but request is {asked.request.canonical}"
    return None


def request_above_maximum(asked: Asked, bound: Quantity) -> str | None:
    """As `above_maximum`, for what knows requests only."""
    said = f"maximum {asked.resource} usage per {asked.type} is {bound.canonical}"
    request, _, most = asked.values(bound)
    if asked.request is None:
        return f"{said}.  No request is specified"
    if request > most:
        return f"{said}, but request is {asked.request.canonical}"
    return None


def above_ratio(asked: Asked, bound: Quantity) -> str | None:
    """The limit may be so many times the request, and both must be given."""
    said = f"{asked.resource} max limit to request ratio per {asked.type} is {bound.canonical}"
    request, limit, _ = asked.values(bound)
    if not request:
        return f"{said}, but no request is specified or request is 0"
    if not limit:
        return f"{said}, but no limit is specified or limit is 0"
    ratio = limit / request
    if bound.value <= _MOST_MILLI:
        is_above = ratio * 1000 > bound.milli_value
    else:
        is_above = ratio > bound.value
    return f"{said}, but provided ratio is {ratio:f}" if is_above else None
