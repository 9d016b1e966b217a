"""Rules for priority levels: how much of a server the requests of a flow schema get."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

from kubestage.objects.validation import field, flow_control, internal_json, metadata, names

if TYPE_CHECKING:
    from kubestage.objects.validation.field import FieldError

_MOST_QUEUES: Final = 10_000_000
_HASH_BITS: Final = 60


def validate_priority_level(obj: dict[str, Any]) -> list[FieldError]:
    """A new priority level."""
    errors = metadata.validate_object_meta(obj["metadata"], False, names.name_is_dns_subdomain)
    spec = obj.get("spec") or {}
    kind, limited, exempt = spec.get("type") or "", spec.get("limited"), spec.get("exempt")
    if (obj["metadata"].get("name") == "exempt") != (kind == "Exempt"):
        detail = "must be 'Exempt' if and only if `name` is 'exempt'"
        errors.append(field.invalid("spec.type", internal_json.text(kind), detail))
    if kind == "Exempt":
        if limited is not None:
            errors.append(field.forbidden("spec.limited", "must be nil if the type is not Limited"))
        errors += _validate_share(exempt or {}, "spec.exempt")
    elif kind == "Limited":
        if exempt is not None:
            errors.append(field.forbidden("spec.exempt", "must be nil if the type is Limited"))
        if limited is None:
            detail = "must not be empty when type is Limited"
            errors.append(field.required("spec.limited", detail))
        else:
            errors += _validate_limited(limited)
    elif not kind:
        errors.append(field.required("spec.type"))
    else:
        errors.append(field.not_supported("spec.type", kind, ("Exempt", "Limited")))
    return errors + flow_control.validate_conditions(obj)


def validate_priority_level_update(new: dict[str, Any], _: dict[str, Any]) -> list[FieldError]:
    """A changed priority level."""
    return validate_priority_level(new)


def _validate_share(given: dict[str, Any], path: str) -> list[FieldError]:
    return _validate_shares(given, path) + _validate_lendable(given, path)


def _validate_shares(given: dict[str, Any], path: str) -> list[FieldError]:
    shares, path = given.get("nominalConcurrencyShares") or 0, f"{path}.nominalConcurrencyShares"
    return [field.invalid(path, shares, "must be a non-negative integer")] if shares < 0 else []


def _validate_lendable(given: dict[str, Any], path: str) -> list[FieldError]:
    percent, path = given.get("lendablePercent") or 0, f"{path}.lendablePercent"
    if 0 <= percent <= 100:
        return []
    return [field.invalid(path, percent, "must be between 0 and 100, inclusive")]


def _validate_limited(limited: dict[str, Any]) -> list[FieldError]:
    path = "spec.limited"
    errors = _validate_shares(limited, path)
    response = limited.get("limitResponse") or {}
    kind, queuing, at = response.get("type") or "", response.get("queuing"), f"{path}.limitResponse"
    if kind == "Reject":
        if queuing is not None:
            detail = "must be nil if limited.limitResponse.type is not Limited"
            errors.append(field.forbidden(f"{at}.queuing", detail))
    elif kind == "Queue":
        if queuing is None:
            detail = "must not be empty if limited.limitResponse.type is Limited"
            errors.append(field.required(f"{at}.queuing", detail))
        else:
            errors += _validate_queuing(queuing, f"{at}.queuing")
    elif not kind:
        errors.append(field.required(f"{at}.type"))
    else:
        errors.append(field.not_supported(f"{at}.type", kind, ("Queue", "Reject")))
    errors += _validate_lendable(limited, path)
    borrowed = limited.get("borrowingLimitPercent") or 0
    if borrowed < 0:
        detail = "if specified, must be a non-negative integer"
        errors.append(field.invalid(f"{path}.borrowingLimitPercent", borrowed, detail))
    return errors


def _validate_queuing(queuing: dict[str, Any], path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    length, queues, hand = (
        queuing.get(key) or 0 for key in ("queueLengthLimit", "queues", "handSize")
    )
    if length <= 0:
        errors.append(field.invalid(f"{path}.queueLengthLimit", length, "must be positive"))
    if queues <= 0:
        errors.append(field.invalid(f"{path}.queues", queues, "must be positive"))
    elif queues > _MOST_QUEUES:
        detail = f"must not be greater than {_MOST_QUEUES}"
        errors.append(field.invalid(f"{path}.queues", queues, detail))
    problem = _hand_problem(hand, queues)
    return errors + field.invalids(f"{path}.handSize", hand, (problem,) if problem else ())


def _hand_problem(hand: int, queues: int) -> str | None:
    if hand <= 0:
        return "must be positive"
    if hand > queues:
        return f"should not be greater than queues ({queues})"
    if math.ceil(math.log2(queues) * hand) > _HASH_BITS:
        return (
            f"required entropy bits of deckSize {queues} and handSize {hand} should not be "
            f"greater than {_HASH_BITS}"
        )
    return None
