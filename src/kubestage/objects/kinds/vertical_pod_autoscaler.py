"""What the API does to a VerticalPodAutoscaler.

The rules are those of its admission webhook, then those of its definition. Alpha features (in-place
updates only, settings per autoscaler, a CPU boost at the start) are off, and what they allow is
refused; an object that has it already may keep it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from kubestage.objects import quantity
from kubestage.objects.kinds.behavior import Behavior
from kubestage.objects.kinds.kind import Kind
from kubestage.objects.validation import field, structural

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.objects.validation.field import FieldError


_MODES: Final = ("InPlace", "InPlaceOrRecreate", "Initial", "Off", "Recreate")
_RESOURCES: Final = ("cpu", "memory")
_PER_VPA: Final = (
    "oomBumpUpRatio",
    "oomMinBumpUp",
    "memoryAggregationIntervalSeconds",
    "memoryAggregationIntervalCount",
)
_PER_VPA_OFF: Final = "not supported when feature flag PerVPAConfig is disabled"
_BOOST_OFF: Final = (
    "in order to use startupBoost, you must enable feature gate CPUStartupBoost in the "
    "admission-controller args"
)
_IN_PLACE_OFF: Final = (
    "in order to use UpdateMode InPlace, you must enable feature gate InPlace in the "
    "admission-controller args"
)
_TEXT: Final[Json] = {"type": "string"}
_FREE: Final[Json] = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}


def _one_of(*choices: str) -> Json:
    return {"type": "string", "enum": list(choices)}


def _list_of(items: Json) -> Json:
    return {"type": "array", "items": items}


def _object(*required: str, **properties: Json) -> Json:
    return {"type": "object", "required": list(required), "properties": properties}


_INT32: Final[Json] = {"type": "integer", "format": "int32"}
_AT_LEAST_ONE: Final[Json] = {**_INT32, "minimum": 1}
_SPEC: Final = _object(
    "targetRef",
    targetRef=_object("kind", "name", apiVersion=_TEXT, kind=_TEXT, name=_TEXT),
    updatePolicy=_object(
        updateMode=_one_of("Off", "Initial", "Recreate", "InPlaceOrRecreate", "InPlace", "Auto"),
        minReplicas=_INT32,
        evictAfterOOMSeconds=_AT_LEAST_ONE,
        evictionRequirements=_list_of(
            _object(
                "changeRequirement",
                "resources",
                changeRequirement=_one_of("TargetHigherThanRequests", "TargetLowerThanRequests"),
                resources=_list_of(_TEXT),
            )
        ),
    ),
    resourcePolicy=_object(
        containerPolicies=_list_of(
            _object(
                containerName=_TEXT,
                mode=_one_of("Auto", "Off"),
                minAllowed=_FREE,
                maxAllowed=_FREE,
                controlledResources=_list_of(_TEXT),
                controlledValues=_one_of("RequestsAndLimits", "RequestsOnly"),
                memoryAggregationIntervalSeconds=_AT_LEAST_ONE,
                memoryAggregationIntervalCount={"type": "integer", "minimum": 1},
                startupBoost=_FREE,
            )
        )
    ),
    recommenders=_list_of(_object("name", name=_TEXT)),
    startupBoost=_FREE,
)
_AMOUNTS: Final = ("target", "lowerBound", "upperBound", "uncappedTarget")
_STATUS: Final = _object(
    conditions=_list_of(
        _object(
            "status",
            "type",
            **dict.fromkeys(("lastTransitionTime", "message", "reason", "status", "type"), _TEXT),
        )
    ),
    observedGeneration={"type": "integer", "format": "int64"},
    recommendation=_object(
        containerRecommendations=_list_of(
            _object("target", containerName=_TEXT, **dict.fromkeys(_AMOUNTS, _FREE))
        )
    ),
)
_QUANTITY: Final = (
    r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|"
    r"([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$"
)


def _default(obj: Json) -> None:
    """What the admission webhook adds; the rest stays as sent."""
    spec = obj.get("spec")
    if isinstance(spec, dict) and spec.get("updatePolicy") is None:
        spec["updatePolicy"] = {"updateMode": "Recreate"}


def _validate_create(obj: Json) -> list[FieldError]:
    return _validate(obj, {})


def _validate_update(new: Json, old: Json) -> list[FieldError]:
    return _validate(new, old.get("spec") or {})


def _validate_status(new: Json, _: Json) -> list[FieldError]:
    status = new.get("status")
    if status is None:
        return []
    by_definition = structural.validate(_STATUS, status, "status")
    return by_definition or list(_validate_amounts(status))


def _validate_amounts(status: Json) -> Iterator[FieldError]:
    path = "status.recommendation.containerRecommendations"
    found = (status.get("recommendation") or {}).get("containerRecommendations") or ()
    for index, each in enumerate(found):
        for bound in _AMOUNTS:
            for name, value in (each.get(bound) or {}).items():
                where = f"{path}[{index}].{bound}.{name}"
                if not isinstance(value, (int, str)) or isinstance(value, bool):
                    yield field.invalid(where, value, f"{where} in body must be a quantity")
                elif re.search(_QUANTITY, str(value)) is None:
                    yield field.invalid(where, value, f"{where} in body should match '{_QUANTITY}'")


def _validate(obj: Json, old: Json) -> list[FieldError]:
    """The webhook cannot read values of a wrong type; the definition checks what it lets pass."""
    spec = obj.get("spec")
    if spec is None:
        return [field.required("spec")]
    by_definition = structural.validate(_SPEC, spec, "spec")
    misread = [each for each in by_definition if each.type is field.ErrorType.TYPE_INVALID]
    return misread or list(_validate_spec(spec, old)) or by_definition


def _validate_spec(spec: Json, old: Json) -> Iterator[FieldError]:
    if spec.get("updatePolicy") is not None:
        yield from _validate_update_policy(spec["updatePolicy"], old)
    allowed = _Allowed(old)
    for index, policy in enumerate(_policies(spec)):
        yield from _validate_policy(
            policy, f"spec.resourcePolicy.containerPolicies[{index}]", allowed
        )
    if "startupBoost" in spec and not allowed.boost:
        yield field.forbidden("spec.startupBoost", _BOOST_OFF)
    recommenders = spec.get("recommenders") or []
    if len(recommenders) > 1:
        yield field.too_many("spec.recommenders", len(recommenders), 1)


class _Allowed:
    """What is not allowed, but was there before."""

    def __init__(self, old: Json) -> None:
        before = _policies(old)
        self.resources = {name for each in before for name in each.get("controlledResources") or ()}
        self.boost = "startupBoost" in old or any("startupBoost" in each for each in before)
        self.per_vpa = _had_oom_seconds(old) or any(
            name in each for each in before for name in _PER_VPA
        )


def _had_oom_seconds(old: Json) -> bool:
    return "evictAfterOOMSeconds" in (old.get("updatePolicy") or {})


def _policies(spec: Json) -> list[Json]:
    found: list[Json] = (spec.get("resourcePolicy") or {}).get("containerPolicies") or []
    return found


def _validate_update_policy(policy: Json, old: Json) -> Iterator[FieldError]:
    path, mode = "spec.updatePolicy", policy.get("updateMode")
    if mode is None:
        yield field.required(f"{path}.updateMode", "updateMode is required if UpdatePolicy is used")
    elif mode not in (*_MODES, "Auto"):
        yield field.not_supported(f"{path}.updateMode", mode, _MODES)
    elif mode == "InPlace" and (old.get("updatePolicy") or {}).get("updateMode") != mode:
        yield field.forbidden(f"{path}.updateMode", _IN_PLACE_OFF)
    replicas = policy.get("minReplicas")
    if replicas is not None and replicas <= 0:
        yield field.invalid(f"{path}.minReplicas", replicas, "minReplicas has to be positive")
    if "evictAfterOOMSeconds" in policy and not _Allowed(old).per_vpa:
        yield field.forbidden(f"{path}.evictAfterOOMSeconds", _PER_VPA_OFF)


def _validate_policy(policy: Json, path: str, allowed: _Allowed) -> Iterator[FieldError]:
    if not policy.get("containerName"):
        yield field.required(f"{path}.containerName")
    mode = policy.get("mode")
    if mode is not None and mode not in ("Auto", "Off"):
        yield field.not_supported(f"{path}.mode", mode, ("Auto", "Off"))
    yield from _validate_bounds(policy, path)
    if mode == "Off" and policy.get("controlledValues") == "RequestsAndLimits":
        yield field.forbidden(
            f"{path}.controlledValues",
            "controlledValues shouldn't be specified if container scaling mode is off",
        )
    for index, name in enumerate(policy.get("controlledResources") or ()):
        if name not in _RESOURCES and name not in allowed.resources:
            yield field.not_supported(f"{path}.controlledResources[{index}]", name, _RESOURCES)
    for name in _PER_VPA:
        if name in policy and not allowed.per_vpa:
            yield field.forbidden(f"{path}.{name}", _PER_VPA_OFF)
    if "startupBoost" in policy and not allowed.boost:
        yield field.forbidden(f"{path}.startupBoost", _BOOST_OFF)


def _validate_bounds(policy: Json, path: str) -> Iterator[FieldError]:
    amounts: dict[tuple[str, str], quantity.Quantity] = {}
    for bound in ("minAllowed", "maxAllowed"):
        for name, value in (policy.get(bound) or {}).items():
            where = f"{path}.{bound}[{name}]"
            try:
                amount = amounts[bound, name] = quantity.of(value)
            except quantity.QuantityError as error:
                yield field.invalid(where, value, str(error))
                continue
            if name == "cpu" and not amount.round_up(quantity.MILLI)[1]:
                yield field.invalid(where, str(amount), "must be a whole number of milli CPUs")
            if name == "memory" and not amount.round_up(0)[1]:
                yield field.invalid(where, str(amount), "must be a whole number of bytes")
    for (bound, name), amount in amounts.items():
        most = amounts.get(("maxAllowed", name))
        if bound == "minAllowed" and most is not None and most < amount:
            yield field.invalid(
                f"{path}.maxAllowed[{name}]",
                str(most),
                f'max resource for {name} is lower than min of "{amount}"',
            )


def _warn(obj: Json) -> list[str]:
    """What its webhook says about a deprecated mode."""
    policy = (obj.get("spec") or {}).get("updatePolicy") or {}
    if policy.get("updateMode") != "Auto":
        return []
    warning = (
        'spec.updatePolicy: "Auto" mode is deprecated and will be removed in a future API version. '
        "Use explicit update modes like: [InPlace InPlaceOrRecreate Initial Off Recreate]. See "
        "https://github.com/kubernetes/autoscaler/issues/8424 for more details."
    )
    return [warning]


KIND: Final = Kind(
    group="autoscaling.k8s.io",
    version="v1",
    kind="VerticalPodAutoscaler",
    plural="verticalpodautoscalers",
    short_names=("vpa",),
    subresources=frozenset({"status"}),
    declared=Behavior(
        stored_as_sent=True,
        default=_default,
        generation_fields=("spec",),
        validate=_validate_create,
        validate_update={"": _validate_update, "status": _validate_status},
        warn=_warn,
        unconditional_update=False,
    ),
)
