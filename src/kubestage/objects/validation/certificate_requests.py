"""Rules for certificate signing requests.

Requests and certificates are looked at as far as their PEM blocks; what a block holds is a matter
for signers.
"""

from __future__ import annotations

import base64
import functools
import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kubestage.objects.validation import field, internal_json, metadata, volume_certificates

if TYPE_CHECKING:
    from kubestage.objects.validation.field import FieldError
    from kubestage.objects.validation.names import Problems

_USAGES: Final = (
    "any", "cert sign", "client auth", "code signing", "content commitment", "crl sign",
    "data encipherment", "decipher only", "digital signature", "email protection",
    "encipher only", "ipsec end system", "ipsec tunnel", "ipsec user", "key agreement",
    "key encipherment", "microsoft sgc", "netscape sgc", "ocsp signing", "s/mime", "server auth",
    "signing", "timestamping",
)  # fmt: skip
_LEGACY: Final = "kubernetes.io/legacy-unknown"
_DECIDED: Final = ("Approved", "Denied")
_ONLY_TRUE: Final = (*_DECIDED, "Failed")
_SHORTEST_SECONDS: Final = 600
_CONDITIONS: Final = "status.conditions"
_find_kinds: Final = re.compile(rb"-----BEGIN ([^\n-]*)-----").findall


class _Leniency(NamedTuple):
    """What an older request already got wrong, and may go on to."""

    legacy_signer: bool = False
    unknown_usages: bool = False
    repeated_usages: bool = False
    both_decisions: bool = False
    repeated_types: bool = False
    empty_types: bool = False


def _any_name(_name: str, _prefix: bool) -> Problems:
    return ()


def validate_request(obj: dict[str, Any]) -> list[FieldError]:
    """A new request."""
    return _validate(obj, _Leniency())


def _validate(obj: dict[str, Any], leniency: _Leniency) -> list[FieldError]:
    errors = metadata.validate_object_meta(obj["metadata"], False, _any_name)
    spec = obj.get("spec") or {}
    request = spec.get("request") or ""
    if _find_kinds(base64.b64decode(request))[:1] != [b"CERTIFICATE REQUEST"]:
        detail = "PEM block type must be CERTIFICATE REQUEST"
        errors.append(field.invalid("spec.request", request or None, detail))
    errors += _validate_usages(spec.get("usages") or [], leniency)
    signer, path = spec.get("signerName") or "", "spec.signerName"
    if signer == _LEGACY and not leniency.legacy_signer:
        detail = "the legacy signerName is not allowed via this API version"
        errors.append(field.invalid(path, signer, detail))
    else:
        errors += volume_certificates.validate_signer_name(signer, path)
    seconds = spec.get("expirationSeconds")
    if seconds is not None and seconds < _SHORTEST_SECONDS:
        detail = "may not specify a duration less than 600 seconds (10 minutes)"
        errors.append(field.invalid("spec.expirationSeconds", seconds, detail))
    return errors + _validate_conditions(_conditions(obj), leniency)


def _validate_usages(usages: list[str], leniency: _Leniency) -> list[FieldError]:
    path = "spec.usages"
    if not usages:
        return [field.required(path)]
    errors: list[FieldError] = []
    if not leniency.unknown_usages:
        errors += [
            field.not_supported(f"{path}[{index}]", usage, _USAGES)
            for index, usage in enumerate(usages)
            if usage not in _USAGES
        ]
    if not leniency.repeated_usages:
        errors += [
            field.duplicate(f"{path}[{index}]", internal_json.text(usage))
            for index, usage in enumerate(usages)
            if usage in usages[:index]
        ]
    return errors


def _conditions(obj: dict[str, Any], kind: str | None = None) -> list[dict[str, Any]]:
    given = (obj.get("status") or {}).get("conditions") or []
    return [each for each in given if kind is None or each.get("type") == kind]


def _validate_conditions(conditions: list[dict[str, Any]], leniency: _Leniency) -> list[FieldError]:
    errors: list[FieldError] = []
    seen: list[str] = []
    for index, condition in enumerate(conditions):
        path, kind = f"{_CONDITIONS}[{index}]", condition.get("type") or ""
        if not kind and not leniency.empty_types:
            errors.append(field.required(f"{path}.type"))
        errors += _validate_state(condition.get("status") or "", kind, f"{path}.status")
        opposite = {"Approved": "Denied", "Denied": "Approved"}.get(kind)
        if opposite in seen and not leniency.both_decisions:
            detail = "Approved and Denied conditions are mutually exclusive"
            errors.append(field.invalid(_CONDITIONS, internal_json.text(kind), detail))
        if kind in seen and not leniency.repeated_types:
            errors.append(field.duplicate(f"{path}.type", internal_json.text(kind)))
        seen.append(kind)
    return errors


def _validate_state(state: str, kind: str, path: str) -> list[FieldError]:
    valid = ("True",) if kind in _ONLY_TRUE else ("False", "True", "Unknown")
    if not state:
        return [field.required(path)]
    return [] if state in valid else [field.not_supported(path, state, valid)]


def _leniency(old: dict[str, Any]) -> _Leniency:
    spec = old.get("spec") or {}
    usages = spec.get("usages") or []
    kinds = [each.get("type") or "" for each in _conditions(old)]
    return _Leniency(
        spec.get("signerName") == _LEGACY,
        any(usage not in _USAGES for usage in usages),
        len(set(usages)) < len(usages),
        all(kind in kinds for kind in _DECIDED),
        len(set(kinds)) < len(kinds),
        "" in kinds,
    )


def _validate_change(
    new: dict[str, Any], old: dict[str, Any], *, decides: bool = False, issues: bool = False
) -> list[FieldError]:
    errors = _validate(new, _leniency(old))
    for kind in _ONLY_TRUE:
        if len(_conditions(new, kind)) < len(_conditions(old, kind)):
            detail = f"updates may not remove a condition of type {field.quote(kind)}"
            errors.append(field.forbidden(_CONDITIONS, detail))
    for kind in () if decides else _DECIDED:
        given, before = _conditions(new, kind), _conditions(old, kind)
        if len(given) > len(before):
            detail = f"updates may not add a condition of type {field.quote(kind)}"
            errors.append(field.forbidden(_CONDITIONS, detail))
    certificates = [(obj.get("status") or {}).get("certificate") or "" for obj in (new, old)]
    if certificates[0] != certificates[1]:
        path = "status.certificate"
        if not issues:
            errors.append(field.forbidden(path, "updates may not set certificate content"))
        elif certificates[1]:
            detail = "updates may not modify existing certificate content"
            errors.append(field.forbidden(path, detail))
        else:
            errors += _validate_certificate(certificates[0], path)
    return errors + metadata.validate_object_meta_update(new["metadata"], old["metadata"])


def _validate_certificate(encoded: str, path: str) -> list[FieldError]:
    kinds = [kind.decode("utf-8", "replace") for kind in _find_kinds(base64.b64decode(encoded))]
    strange = [kind for kind in kinds if kind != "CERTIFICATE"]
    if strange:
        detail = f"only CERTIFICATE PEM blocks are allowed, found {field.quote(strange[0])}"
        return [field.invalid(path, "<certificate data>", detail)]
    if kinds:
        return []
    detail = "must contain at least one CERTIFICATE PEM block"
    return [field.invalid(path, "<certificate data>", detail)]


validate_request_update = functools.partial(_validate_change)
validate_request_status_update = functools.partial(_validate_change, issues=True)
validate_request_approval_update = functools.partial(_validate_change, decides=True)
