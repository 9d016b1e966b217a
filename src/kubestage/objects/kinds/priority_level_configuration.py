"""What the API does to a PriorityLevelConfiguration."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from kubestage.objects import markers
from kubestage.objects.kinds.behavior import CREATE, Behavior
from kubestage.objects.kinds.kind import Kind
from kubestage.objects.strategy import status
from kubestage.objects.tables import cells
from kubestage.objects.validation import field, flow_control, internal_json, metadata, names

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.tables.cells import Cell
    from kubestage.objects.validation.field import FieldError

_EXEMPT: Final = "flowcontrol/v1.ExemptPriorityLevelConfiguration"
_LIMITED: Final = "flowcontrol/v1.LimitedPriorityLevelConfiguration"
_SHARES: Final = 30
_QUEUING: Final = {"handSize": 8, "queues": 64, "queueLengthLimit": 50}
_HASH_BITS: Final = 60


def _default(obj: Json) -> None:
    spec = obj["spec"]
    for key, shares in (("exempt", 0), ("limited", _SHARES)):
        part = spec.get(key)
        if part is not None:
            if part.get("nominalConcurrencyShares") is None:
                part["nominalConcurrencyShares"] = shares
            part.setdefault("lendablePercent", 0)
    response = (spec.get("limited") or {}).get("limitResponse") or {}
    queuing = response.get("queuing")
    if queuing is not None:
        for key, value in _QUEUING.items():
            queuing[key] = queuing.get(key) or value


def _validate(obj: Json) -> list[FieldError]:
    errors = metadata.validate_object_meta(obj["metadata"], False, names.name_is_dns_subdomain)
    spec = obj.get("spec") or {}
    kind, limited, exempt = spec.get("type") or "", spec.get("limited"), spec.get("exempt")
    if (obj["metadata"].get("name") == "exempt") != (kind == "Exempt"):
        detail = "must be 'Exempt' if and only if `name` is 'exempt'"
        errors.append(field.invalid("spec.type", internal_json.text(kind), detail))
    if kind == "Exempt":
        if limited is not None:
            errors.append(field.forbidden("spec.limited", "must be nil if the type is not Limited"))
        errors += markers.check(_EXEMPT, exempt or {}, "spec.exempt")
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


def _validate_update(new: Json, _: Json) -> list[FieldError]:
    return _validate(new)


def _validate_limited(limited: Json) -> list[FieldError]:
    path = "spec.limited"
    errors = markers.check(_LIMITED, limited, path, "nominalConcurrencyShares")
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
    return errors + markers.check(
        _LIMITED, limited, path, "lendablePercent", "borrowingLimitPercent"
    )


def _validate_queuing(queuing: Json, path: str) -> list[FieldError]:
    errors = markers.check("flowcontrol/v1.QueuingConfiguration", queuing, path)
    queues, hand = queuing.get("queues") or 0, queuing.get("handSize") or 0
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


def _cells(obj: Json, now_ns: int) -> list[Cell]:
    limited = cells.part(obj, "spec").get("limited")
    queuing = cells.part(limited or {}, "limitResponse").get("queuing")
    queues: list[Cell] = [
        cells.NONE if queuing is None else cells.number(queuing, key)
        for key in ("queues", "handSize", "queueLengthLimit")
    ]
    return [
        cells.name(obj),
        cells.text(obj, "spec", "type"),
        cells.NONE if limited is None else cells.number(limited, "nominalConcurrencyShares"),
        *queues,
        cells.age(obj, now_ns),
    ]


KIND: Final = Kind(
    group="flowcontrol.apiserver.k8s.io",
    version="v1",
    kind="PriorityLevelConfiguration",
    plural="prioritylevelconfigurations",
    namespaced=False,
    subresources=frozenset({"status"}),
    old_versions=(
        "flowcontrol.apiserver.k8s.io/v1beta1",
        "flowcontrol.apiserver.k8s.io/v1beta2",
        "flowcontrol.apiserver.k8s.io/v1beta3",
    ),
    declared=Behavior(
        default=_default,
        prepare_update={"status": status.reset_metadata},
        generation_fields=("spec",),
        validate=_validate,
        validate_update={"": _validate_update, "status": flow_control.validate_status},
        validates_metadata=(CREATE, "", "status"),
        cells=_cells,
        status_resets_metadata=True,
    ),
)
