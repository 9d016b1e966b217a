"""The single rules of a limit range, and how a breach is worded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.objects import quantity

if TYPE_CHECKING:
    from kubestage.objects.quantity import Quantity

_MOST_MILLI: Final = ((1 << 63) - 1) // 1000


class ResourceAmounts(NamedTuple):
    """The request and limit of one resource, of an object of a type."""

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


def below_minimum(amounts: ResourceAmounts, bound: Quantity) -> str | None:
    """Neither request nor limit may be less."""
    rule = f"minimum {amounts.resource} usage per {amounts.type} is {bound.canonical}"
    request, limit, least = amounts.values(bound)
    if amounts.request is None:
        return f"{rule}.  No request is specified"
    if request < least:
        return f"{rule}, but request is {amounts.request.canonical}"
    if amounts.limit is not None and limit < least:
        return f"{rule}, but limit is {amounts.limit.canonical}"
    return None


def above_maximum(amounts: ResourceAmounts, bound: Quantity) -> str | None:
    """There must be a limit, and neither it nor the request may be more."""
    rule = f"maximum {amounts.resource} usage per {amounts.type} is {bound.canonical}"
    request, limit, most = amounts.values(bound)
    if amounts.limit is None:
        return f"{rule}.  No limit is specified"
    if limit > most:
        return f"{rule}, but limit is {amounts.limit.canonical}"
    if amounts.request is not None and request > most:
        return f"{rule}, but request is {amounts.request.canonical}"
    return None


def request_above_maximum(amounts: ResourceAmounts, bound: Quantity) -> str | None:
    """As `above_maximum`, for what knows requests only."""
    rule = f"maximum {amounts.resource} usage per {amounts.type} is {bound.canonical}"
    request, _, most = amounts.values(bound)
    if amounts.request is None:
        return f"{rule}.  No request is specified"
    if request > most:
        return f"{rule}, but request is {amounts.request.canonical}"
    return None


def above_ratio(amounts: ResourceAmounts, bound: Quantity) -> str | None:
    """The limit may be so many times the request, and both must be given."""
    rule = f"{amounts.resource} max limit to request ratio per {amounts.type} is {bound.canonical}"
    request, limit, _ = amounts.values(bound)
    if not request:
        return f"{rule}, but no request is specified or request is 0"
    if not limit:
        return f"{rule}, but no limit is specified or limit is 0"
    ratio = limit / request
    if bound.value <= _MOST_MILLI:
        is_above = ratio * 1000 > bound.milli_value
    else:
        is_above = ratio > bound.value
    return f"{rule}, but provided ratio is {ratio:f}" if is_above else None
