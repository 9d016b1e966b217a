"""What the API does to a CertificateSigningRequest.

Of requests and certificates only the PEM blocks are validated, not their content.
"""

from __future__ import annotations

import base64
import re
from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.objects import markers
from kubestage.objects.kinds.behavior import Behavior
from kubestage.objects.kinds.kind import Kind
from kubestage.objects.ownership import filters
from kubestage.objects.tables import cells
from kubestage.objects.validation import field, internal_json, metadata, volume_certificates
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.tables.cells import Cell
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
_CONDITIONS: Final = "status.conditions"
_find_kinds: Final = re.compile(rb"-----BEGIN ([^\n-]*)-----").findall


def _prepare_update(new: Json, old: Json, _: str | None) -> None:
    """The request itself does not change."""
    new["spec"] = old["spec"]


def _prepare_status(new: Json, old: Json, now: str | None) -> None:
    """A signer does not decide: decisions stay as they are."""
    conditions, before = _conditions(new), _conditions(old)
    for kind in _DECIDED:
        places = [index for index, each in enumerate(conditions) if each.get("type") == kind]
        decided = [each for each in before if each.get("type") == kind]
        if len(places) == len(decided):
            for place, condition in zip(places, decided, strict=True):
                conditions[place] = condition
    _set_conditions(new, _dated(conditions, before, now), new.get("status") or {})


def _prepare_approval(new: Json, old: Json, now: str | None) -> None:
    """A decision changes conditions only."""
    new["spec"] = old["spec"]
    conditions = _dated(_conditions(new), _conditions(old), now)
    _set_conditions(new, conditions, old.get("status") or {})


def _conditions(obj: Json, kind: str | None = None) -> list[Json]:
    conditions = (obj.get("status") or {}).get("conditions") or ()
    return [each for each in conditions if kind is None or each.get("type") == kind]


def _dated(conditions: list[Json], before: list[Json], now: str | None) -> list[Json]:
    """Conditions with the times that their writer left out."""
    since = {
        (each.get("type"), each.get("status")): each["lastTransitionTime"]
        for each in reversed(before)
        if each.get("lastTransitionTime")
    }
    return [
        {
            **each,
            "lastUpdateTime": each.get("lastUpdateTime") or now,
            "lastTransitionTime": each.get("lastTransitionTime")
            or since.get((each.get("type"), each.get("status")), now),
        }
        for each in conditions
    ]


def _set_conditions(obj: Json, conditions: list[Json], rest: Json) -> None:
    others = {key: value for key, value in rest.items() if key != "conditions"}
    obj["status"] = {**others, "conditions": conditions} if conditions else others


def _validate(obj: Json) -> list[FieldError]:
    return _validate_request(obj, _Leniency())


class _Leniency(NamedTuple):
    """Rules that the stored request breaks already, so that a changed one may, too."""

    legacy_signer: bool = False
    unknown_usages: bool = False
    repeated_usages: bool = False
    both_decisions: bool = False
    repeated_types: bool = False
    empty_types: bool = False


def _any_name(_name: str, _prefix: bool) -> Problems:
    return ()


def _validate_request(obj: Json, leniency: _Leniency) -> list[FieldError]:
    errors: list[FieldError] = []
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
    errors += markers.check("certificates/v1.CertificateSigningRequestSpec", spec, "spec")
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


def _validate_conditions(conditions: list[Json], leniency: _Leniency) -> list[FieldError]:
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


def _leniency(old: Json) -> _Leniency:
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
    new: Json, old: Json, *, decides: bool = False, issues: bool = False
) -> list[FieldError]:
    errors = metadata.validate_object_meta(new["metadata"], False, _any_name)
    errors += _validate_request(new, _leniency(old))
    for kind in _ONLY_TRUE:
        if len(_conditions(new, kind)) < len(_conditions(old, kind)):
            detail = f"updates may not remove a condition of type {field.quote(kind)}"
            errors.append(field.forbidden(_CONDITIONS, detail))
    for kind in () if decides else _DECIDED:
        if len(_conditions(new, kind)) > len(_conditions(old, kind)):
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
    others = [kind for kind in kinds if kind != "CERTIFICATE"]
    if others:
        detail = f"only CERTIFICATE PEM blocks are allowed, found {field.quote(others[0])}"
        return [field.invalid(path, "<certificate data>", detail)]
    if kinds:
        return []
    detail = "must contain at least one CERTIFICATE PEM block"
    return [field.invalid(path, "<certificate data>", detail)]


def _validate_status(new: Json, old: Json) -> list[FieldError]:
    return _validate_change(new, old, issues=True)


def _validate_approval(new: Json, old: Json) -> list[FieldError]:
    return _validate_change(new, old, decides=True)


def _cells(obj: Json, now_ns: int) -> list[Cell]:
    spec = cells.part(obj, "spec")
    seconds = spec.get("expirationSeconds")
    return [
        cells.name(obj),
        cells.age(obj, now_ns),
        cells.text(spec, "signerName") or cells.NONE,
        cells.text(spec, "username"),
        cells.NONE if seconds is None else cells.span(seconds * SECOND_NS),
        _request_state(obj),
    ]


def _request_state(obj: Json) -> str:
    kinds = {cells.text(each, "type") for each in cells.items(obj, "status", "conditions")}
    decided = "Denied" if "Denied" in kinds else "Approved" if "Approved" in kinds else "Pending"
    failed = ",Failed" if "Failed" in kinds else ""
    issued = ",Issued" if cells.text(obj, "status", "certificate") else ""
    return f"{decided}{failed}{issued}"


KIND: Final = Kind(
    group="certificates.k8s.io",
    version="v1",
    kind="CertificateSigningRequest",
    plural="certificatesigningrequests",
    namespaced=False,
    short_names=("csr",),
    subresources=frozenset({"approval", "status"}),
    old_versions=("certificates.k8s.io/v1beta1",),
    declared=Behavior(
        prepare_update={
            "": _prepare_update,
            "status": _prepare_status,
            "approval": _prepare_approval,
        },
        name_rule=_any_name,
        validate=_validate,
        validate_update={
            "": _validate_change,
            "approval": _validate_approval,
            "status": _validate_status,
        },
        validates_metadata=("", "approval", "status"),
        cells=_cells,
        reset_fields={
            "": filters.without("spec", "status"),
            "status": filters.without("spec", "status.conditions"),
            "approval": filters.without("spec", "status.certificate"),
        },
    ),
)
