"""Rules for what load balancers report: of services and of ingresses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects.validation import addresses, endpoint_addresses, field, names

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.validation.field import FieldError

_PATH: Final = "status.loadBalancer.ingress"
_MODES: Final = ("Proxy", "VIP")


def _points(obj: Json) -> list[Json]:
    return ((obj.get("status") or {}).get("loadBalancer") or {}).get("ingress") or []


def validate_service_status(new: Json, old: Json, *, is_balanced: bool) -> list[FieldError]:
    """The points at which a service is reached; only of services with a load balancer."""
    points = _points(new)
    if points and not is_balanced:
        return [field.forbidden(_PATH, "may only be used when `spec.type` is 'LoadBalancer'")]
    errors: list[FieldError] = []
    for index, point in enumerate(points):
        path = f"{_PATH}[{index}]"
        errors += _validate_ip(point, old, path)
        errors += _validate_mode(point, f"{path}.ipMode")
        errors += _validate_hostname(point, path)
    return errors


def validate_ingress_status(new: Json, old: Json) -> list[FieldError]:
    """The points at which an ingress is reached."""
    errors: list[FieldError] = []
    for index, point in enumerate(_points(new)):
        path = f"{_PATH}[{index}]"
        errors += _validate_ip(point, old, path)
        errors += _validate_hostname(point, path)
    return errors


def _validate_ip(point: Json, old: Json, path: str) -> list[FieldError]:
    address = point.get("ip") or ""
    if not address:
        return []
    known = {each.get("ip") for each in _points(old)}
    return [] if address in known else endpoint_addresses.validate_legacy(address, f"{path}.ip")


def _validate_mode(point: Json, path: str) -> list[FieldError]:
    address, mode = point.get("ip") or "", point.get("ipMode")
    if mode is None:
        return [field.required(path, "must be specified when `ip` is set")] if address else []
    if not address:
        return [field.forbidden(path, "may not be specified when `ip` is not set")]
    return [] if mode in _MODES else [field.not_supported(path, mode, _MODES)]


def _validate_hostname(point: Json, path: str) -> list[FieldError]:
    host = point.get("hostname") or ""
    if not host:
        return []
    path = f"{path}.hostname"
    errors = field.invalids(path, host, names.is_dns1123_subdomain(host))
    if addresses.parse_sloppy(host) is not None:
        errors.append(field.invalid(path, host, "must be a DNS name, not an IP address"))
    return errors
