"""Limits that keep their proportion to requests, and requests that keep theirs to limits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.vpa.amounts import BOTH, CPU
from kubestage.objects import quantity

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.quantity import Quantity


_INT64_MAX: Final = 2**63 - 1


def scaled(
    resource: str, amount: Quantity, base: Quantity, result: Quantity, *, up: bool = False
) -> tuple[Quantity, bool]:
    """``amount * result / base``, and whether it is too much to be written.

    CPU is in whole thousandths, rounded down unless `up`; memory in whole bytes, rounded down.
    """
    if base.is_zero:
        return amount, False
    if resource == CPU:
        product = amount.milli_value * result.milli_value
        quotient, rest = divmod(product, base.milli_value)
        quotient += up and rest != 0
        return (
            quantity.from_milli(min(quotient, _INT64_MAX), amount.format),
            quotient > _INT64_MAX,
        )
    quotient = amount.value * result.value // base.value
    return quantity.from_int(min(quotient, _INT64_MAX), amount.format), quotient > _INT64_MAX


def limits(
    limit: Json, request: Json, recommended: Json, default: Json
) -> tuple[Json | None, list[str]]:
    """The limits for a recommended request, and remarks on them; None if there are to be none."""
    found: Json = {}
    remarks: list[str] = []
    for name in BOTH:
        amount, remark = limit_of(
            name,
            quantity.of(limit.get(name)),
            quantity.of(request.get(name)),
            quantity.of(recommended.get(name)),
            quantity.of(default.get(name)),
        )
        if remark:
            remarks.append(remark)
        if amount is not None:
            found[name] = str(amount)
    return (found, remarks) if found else (None, [])


def limit_of(
    resource: str, limit: Quantity, request: Quantity, recommended: Quantity, default: Quantity
) -> tuple[Quantity | None, str]:
    """The limit of one resource for a recommended request, and a remark if there is one."""
    if not limit.value:
        limit = default
    if not limit.value:
        return None, f"{resource}: limit NOT set since originalLimit is nil or 0"
    if not recommended.value:
        return None, f"{resource}: limit NOT set since recommendedRequest is nil or 0"
    if not request.value or request.milli_value == limit.milli_value:
        return recommended, ""
    result, is_capped = scaled(resource, limit, request, recommended)
    if is_capped:
        return result, f"{resource}: failed to keep limit to request ratio; capping limit to int64"
    return result, ""


def boundary_request(
    resource: str, request: Quantity, limit: Quantity, boundary: Quantity, default: Quantity
) -> Quantity:
    """The request at which the limit, in proportion, would be at a boundary; zero for none."""
    if not limit.value:
        limit = default
    if not limit.value:
        return quantity.ZERO
    if not request.value:
        return boundary
    return scaled(resource, request, limit, boundary)[0]
