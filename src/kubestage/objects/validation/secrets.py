"""Rules for secrets."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any, Final

from kubestage.objects import go_scanner
from kubestage.objects.validation import field, internal_json, metadata, names

if TYPE_CHECKING:
    from kubestage.objects.validation.field import FieldError

_SIZE_LIMIT: Final = 1024 * 1024
_FROZEN: Final = "field is immutable when `immutable` is set"
_ACCOUNT: Final = "kubernetes.io/service-account.name"
_DOCKER: Final = {
    "kubernetes.io/dockercfg": ".dockercfg",
    "kubernetes.io/dockerconfigjson": ".dockerconfigjson",
}

_GO_NAMES: Final = {list: "array", str: "string", bool: "bool"}


def validate_secret(obj: dict[str, Any]) -> list[FieldError]:
    """A new secret: keys are file names, and each well-known type has its own keys."""
    errors = metadata.validate_object_meta(obj["metadata"], True, names.name_is_dns_subdomain)
    data: dict[str, str] = obj.get("data") or {}
    total = 0
    for key, value in data.items():
        errors += field.invalids(f"data[{key}]", key, names.is_config_map_key(key))
        total += len(base64.b64decode(value or ""))
    if total > _SIZE_LIMIT:
        errors.append(field.too_long("data", _SIZE_LIMIT))
    return errors + _validate_type(obj, data)


def _validate_type(obj: dict[str, Any], data: dict[str, str]) -> list[FieldError]:
    kind = obj.get("type") or ""
    if kind == "kubernetes.io/service-account-token":
        if (obj["metadata"].get("annotations") or {}).get(_ACCOUNT):
            return []
        return [field.required(f"metadata.annotations[{_ACCOUNT}]")]
    if kind in _DOCKER:
        return _validate_docker(_DOCKER[kind], data)
    if kind == "kubernetes.io/basic-auth":
        keys = ("username", "password")
        return _missing(() if any(key in data for key in keys) else keys)
    if kind == "kubernetes.io/ssh-auth":
        return _missing(() if data.get("ssh-privatekey") else ("ssh-privatekey",))
    if kind == "kubernetes.io/tls":
        return _missing(tuple(key for key in ("tls.crt", "tls.key") if key not in data))
    return []


def _missing(keys: tuple[str, ...]) -> list[FieldError]:
    return [field.required(f"data[{key}]") for key in keys]


def _validate_docker(key: str, data: dict[str, str]) -> list[FieldError]:
    """A configuration of Docker is an object in JSON."""
    if key not in data:
        return _missing((key,))
    problem = _json_problem(base64.b64decode(data[key] or ""))
    if problem is None:
        return []
    return [field.invalid(f"data[{key}]", "<secret contents redacted>", problem)]


def _json_problem(text: bytes) -> str | None:
    """Why Go cannot read the text into a map; None if it can."""
    try:
        value = go_scanner.scan(text)
    except go_scanner.SyntaxProblem as error:
        return str(error)
    if value is None or isinstance(value, go_scanner.Pairs):
        return None
    shown = _GO_NAMES.get(type(value), "number")
    return f"json: cannot unmarshal {shown} into Go value of type map[string]interface {{}}"


def validate_secret_update(new: dict[str, Any], old: dict[str, Any]) -> list[FieldError]:
    """A changed secret: of the same type, and with the same data if it is frozen."""
    errors = metadata.validate_object_meta_update(new["metadata"], old["metadata"])
    kind = new.get("type") or ""
    if kind != (old.get("type") or ""):
        errors.append(field.invalid("type", internal_json.text(kind), metadata.IMMUTABLE))
    if old.get("immutable"):
        if not new.get("immutable"):
            errors.append(field.forbidden("immutable", _FROZEN))
        if (new.get("data") or {}) != (old.get("data") or {}):
            errors.append(field.forbidden("data", _FROZEN))
    return errors + validate_secret(new)
