"""Rules for the devices that a claim requests."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Final

from kubestage.objects import equality, markers
from kubestage.objects.validation import (
    field,
    internal_json,
    metadata,
)
from kubestage.objects.validation.devices import configuration, device_names, lists

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kubestage.aliases import Json
    from kubestage.objects.validation.field import FieldError

    RequestNames = Mapping[str, frozenset[str]]

MAX_REQUESTS: Final = 32
_MAX_CONSTRAINTS: Final = 32
_MAX_ALTERNATIVES: Final = 8
_MODES: Final = ("All", "ExactCount")
_ONE_KIND: Final = "exactly one of `exactly` or `firstAvailable` is required"
_ONE_ATTRIBUTE: Final = (
    'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are '
    "set"
)
_A_REQUEST: Final = (
    "must be the name of a request in the claim or the name of a request and a subrequest "
    "separated by '/'"
)


def validate_same_spec(new: Json, old: Json, shape: str) -> list[FieldError]:
    """The spec of a claim or template is immutable."""
    if equality.semantic_equal(shape, new.get("spec"), old.get("spec")):
        return []
    shown = internal_json.render(shape, new.get("spec"))
    return [field.invalid("spec", shown, metadata.IMMUTABLE)]


def validate_claim_spec(spec: Json, path: str) -> list[FieldError]:
    """The requests, constraints and configurations of a claim."""
    devices, at = spec.get("devices") or {}, f"{path}.devices"
    known = request_names(devices)
    errors = lists.validate_set(
        devices.get("requests"), MAX_REQUESTS, _validate_request, lists.name_of, f"{at}.requests"
    )
    errors += lists.validate_list(
        devices.get("constraints"),
        _MAX_CONSTRAINTS,
        functools.partial(_validate_constraint, known=known),
        f"{at}.constraints",
    )
    return errors + lists.validate_list(
        devices.get("config"),
        configuration.MAX_CONFIGURATIONS,
        functools.partial(_validate_configuration, known=known),
        f"{at}.config",
    )


def request_names(devices: Json) -> RequestNames:
    """The requests of a claim, and the alternatives of each."""
    return {
        lists.name_of(request): frozenset(
            lists.name_of(each) for each in request.get("firstAvailable") or ()
        )
        for request in devices.get("requests") or ()
    }


def _validate_request(request: Json, path: str) -> list[FieldError]:
    errors = device_names.validate_label(lists.name_of(request), f"{path}.name")
    exactly, alternatives = request.get("exactly"), request.get("firstAvailable")
    if exactly is None and not alternatives:
        return [*errors, field.required(path, _ONE_KIND)]
    if exactly is not None and alternatives:
        detail = f"{_ONE_KIND}, but multiple fields are set"
        return [*errors, field.invalid(path, None, detail)]
    if exactly is not None:
        return errors + _validate_demand(exactly, f"{path}.exactly")
    return errors + lists.validate_set(
        alternatives,
        _MAX_ALTERNATIVES,
        _validate_alternative,
        lists.name_of,
        f"{path}.firstAvailable",
    )


def _validate_alternative(request: Json, path: str) -> list[FieldError]:
    errors = device_names.validate_label(lists.name_of(request), f"{path}.name")
    return errors + _validate_demand(request, path)


def _validate_demand(request: Json, path: str) -> list[FieldError]:
    """The class, the selectors and the number of devices."""
    errors = markers.check("resource/v1.ExactDeviceRequest", request, path)
    errors += configuration.validate_selectors(request.get("selectors"), f"{path}.selectors")
    errors += _validate_amount(request, path)
    return errors + configuration.validate_tolerations(
        request.get("tolerations"), f"{path}.tolerations"
    )


def _validate_amount(request: Json, path: str) -> list[FieldError]:
    mode, count = request.get("allocationMode") or "", request.get("count") or 0
    if mode == "All":
        if not count:
            return []
        detail = "must not be specified when allocationMode is 'All'"
        return [field.invalid(f"{path}.count", count, detail)]
    if mode == "ExactCount":
        if count > 0:
            return []
        return [field.invalid(f"{path}.count", count, "must be greater than zero")]
    return [field.not_supported(f"{path}.allocationMode", internal_json.text(mode), _MODES)]


def _validate_constraint(constraint: Json, path: str, known: RequestNames) -> list[FieldError]:
    errors = validate_request_references(constraint.get("requests"), f"{path}.requests", known)
    for key in ("matchAttribute", "distinctAttribute"):
        if constraint.get(key) is not None:
            name = constraint[key]
            return errors + device_names.validate_fully_qualified(name, f"{path}.{key}")
    return [*errors, field.required(path, _ONE_ATTRIBUTE)]


def _validate_configuration(config: Json, path: str, known: RequestNames) -> list[FieldError]:
    errors = validate_request_references(config.get("requests"), f"{path}.requests", known)
    return errors + configuration.validate_configuration(config, path)


def validate_request_references(
    referred: list[str] | None, path: str, known: RequestNames
) -> list[FieldError]:
    """Names of requests, each once."""
    rule = functools.partial(validate_request_reference, known=known)
    return lists.validate_set(referred, MAX_REQUESTS, rule, lists.itself, path)


def validate_request_reference(name: str, path: str, known: RequestNames) -> list[FieldError]:
    """The name of a request of the claim, or of an alternative in it."""
    parts = name.split("/")
    if len(parts) > 2:
        return [field.invalid(path, name, _A_REQUEST)]
    errors = [error for part in parts for error in device_names.validate_label(part, path)]
    alternatives = known.get(parts[0])
    if alternatives is None or (len(parts) > 1 and parts[1] not in alternatives):
        errors.append(field.invalid(path, name, _A_REQUEST))
    return errors
