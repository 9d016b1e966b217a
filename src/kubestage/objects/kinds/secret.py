"""What the API does to a Secret."""

from __future__ import annotations

import base64
import binascii
import re
from typing import TYPE_CHECKING, Final

from kubestage.objects import go_scanner
from kubestage.objects.kinds.behavior import Behavior
from kubestage.objects.kinds.kind import Kind
from kubestage.objects.tables import cells
from kubestage.objects.validation import field, internal_json, metadata, names

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.tables.cells import Cell
    from kubestage.objects.validation.field import FieldError

_find_blocks: Final = re.compile(
    rb"-----BEGIN ([^\n-]*)-----\s*\n(.*?)-----END \1-----", re.DOTALL
).findall
_SIZE_LIMIT: Final = 1024 * 1024
_IMMUTABLE: Final = "field is immutable when `immutable` is set"
_ACCOUNT: Final = "kubernetes.io/service-account.name"
_DOCKER: Final = {
    "kubernetes.io/dockercfg": ".dockercfg",
    "kubernetes.io/dockerconfigjson": ".dockerconfigjson",
}
_GO_NAMES: Final = {list: "array", str: "string", bool: "bool"}


def _default(obj: Json) -> None:
    obj.setdefault("type", "Opaque")


def _round_trip(obj: Json) -> None:
    """Plain strings move, encoded, to `data`."""
    data = obj.setdefault("data", {})
    for key, text in obj.pop("stringData", {}).items():
        data[key] = base64.b64encode(text.encode()).decode()
    if not data:
        del obj["data"]


def _prepare_update(new: Json, old: Json, _: str | None) -> None:
    """An update without a type keeps the type."""
    if not new.get("type") and old.get("type"):
        new["type"] = old["type"]


def _validate(obj: Json) -> list[FieldError]:
    """Keys are file names, and each well-known type has its own keys."""
    errors: list[FieldError] = []
    data: dict[str, str] = obj.get("data") or {}
    total = 0
    for key, value in data.items():
        errors += field.invalids(f"data[{key}]", key, names.is_config_map_key(key))
        total += len(base64.b64decode(value or ""))
    if total > _SIZE_LIMIT:
        errors.append(field.too_long("data", _SIZE_LIMIT))
    return errors + _validate_type(obj, data)


def _validate_type(obj: Json, data: dict[str, str]) -> list[FieldError]:
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


def _validate_update(new: Json, old: Json) -> list[FieldError]:
    """The type stays, and so does the data of an immutable secret."""
    errors: list[FieldError] = []
    kind = new.get("type") or ""
    if kind != (old.get("type") or ""):
        errors.append(field.invalid("type", internal_json.text(kind), metadata.IMMUTABLE))
    if old.get("immutable"):
        if not new.get("immutable"):
            errors.append(field.forbidden("immutable", _IMMUTABLE))
        if (new.get("data") or {}) != (old.get("data") or {}):
            errors.append(field.forbidden("data", _IMMUTABLE))
    errors += metadata.validate_object_meta(new["metadata"], True, names.name_is_dns_subdomain)
    return errors + _validate(new)


def _warn(obj: Json) -> list[str]:
    """A certificate or key that cannot be read."""
    if obj.get("type") != "kubernetes.io/tls":
        return []
    data = obj.get("data") or {}
    certificate, key = (_blocks(data.get(name) or "") for name in ("tls.crt", "tls.key"))
    problem = _certificate_problem(certificate) or _key_problem(key)
    if problem is None and not _is_sequence(_first(certificate, "CERTIFICATE")):
        problem = "x509: malformed certificate"
    if problem is None and not _is_sequence(_first(key, "PRIVATE KEY")):
        problem = "tls: failed to parse private key"
    return [] if problem is None else [problem]


def _blocks(encoded: str) -> list[tuple[str, bytes]]:
    """Kind and content of all PEM blocks of a base64 text."""
    found = []
    for kind, body in _find_blocks(base64.b64decode(encoded)):
        try:
            content = base64.b64decode(b"".join(body.split()), validate=True)
        except binascii.Error:
            continue
        found.append((kind.decode("utf-8", "replace"), content))
    return found


def _certificate_problem(blocks: list[tuple[str, bytes]]) -> str | None:
    kinds = [kind for kind, _ in blocks]
    if "CERTIFICATE" in kinds:
        return None
    if not kinds:
        return "tls: failed to find any PEM data in certificate input"
    if len(kinds) == 1 and kinds[0].endswith("PRIVATE KEY"):
        return (
            "tls: failed to find certificate PEM data in certificate input, but did find a "
            "private key; PEM inputs may have been switched"
        )
    return (
        'tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM '
        f"blocks of the following types: [{' '.join(kinds)}]"
    )


def _key_problem(blocks: list[tuple[str, bytes]]) -> str | None:
    kinds = [kind for kind, _ in blocks]
    if any(kind.endswith("PRIVATE KEY") for kind in kinds):
        return None
    if not kinds:
        return "tls: failed to find any PEM data in key input"
    if kinds == ["CERTIFICATE"]:
        return "tls: found a certificate rather than a key in the PEM for the private key"
    return (
        'tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after '
        f"skipping PEM blocks of the following types: [{' '.join(kinds)}]"
    )


def _first(blocks: list[tuple[str, bytes]], ending: str) -> bytes:
    return next(content for kind, content in blocks if kind.endswith(ending))


def _is_sequence(der: bytes) -> bool:
    """Whether the bytes begin as every certificate and key does."""
    return der[:1] == b"\x30" and len(der) > 2


def _cells(obj: Json, now_ns: int) -> list[Cell]:
    """Plain text counts as data."""
    keys = cells.part(obj, "data").keys() | cells.part(obj, "stringData").keys()
    return [cells.name(obj), cells.text(obj, "type"), len(keys), cells.age(obj, now_ns)]


KIND: Final = Kind(
    group="",
    version="v1",
    kind="Secret",
    plural="secrets",
    declared=Behavior(
        default=_default,
        round_trip=_round_trip,
        prepare_update={"": _prepare_update},
        validate=_validate,
        validate_update={"": _validate_update},
        warn=_warn,
        cells=_cells,
        quota_name="secrets",
    ),
)
