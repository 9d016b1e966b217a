"""Request bodies: JSON, YAML or protobuf."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage import lazy
from kubestage.errors import BadRequest, InputError, RequestTooLarge, UnsupportedMediaType
from kubestage.objects import decode, go_scanner, nesting, repeated_keys, yaml_documents
from kubestage.objects.patches import PatchType

# NOTE: the field numbers are read when the first client uses protobuf.
with lazy.imports():
    from kubestage.server.protobuf import envelope

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.decode import Decoded, FieldValidation
    from kubestage.server.request import Request

_PROTOBUF: Final = "application/vnd.kubernetes.protobuf"
_UNKNOWN: Final = (
    "the body of the request was in an unknown format - accepted media types include: "
    "application/json, application/yaml, application/vnd.kubernetes.protobuf"
)
APPLY: Final = "application/apply-patch+yaml"
_PATCHES: Final[dict[str, PatchType | None]] = {
    **{each.value: each for each in PatchType},
    APPLY: None,
}


def media_type(request: Request) -> str:
    """The type of the body without its parameters; JSON if the client does not say."""
    return request.header(b"content-type").partition(";")[0].strip() or "application/json"


def decoded(
    request: Request, api_version: str, kind: str, field_validation: FieldValidation = "Strict"
) -> Decoded:
    """The object in a body, checked against its kind."""
    body = json_or_dict(request, api_version, kind)
    return decode.decode(body, api_version, kind, field_validation)


def json_or_dict(request: Request, api_version: str, kind: str) -> bytes | Json:
    """The body as JSON text, or as the object that another form of it stands for.

    Custom resources have no form in protobuf.
    """
    form = media_type(request)
    if form == "application/json":
        _check_size(request.body)
        return request.body
    if form == "application/yaml":
        return msgspec.json.encode(yaml_value(request.body))
    if form == _PROTOBUF and envelope.is_known(api_version, kind):
        return envelope.decode(request.body, api_version, kind)
    raise UnsupportedMediaType(_UNKNOWN)


def repeated(request: Request) -> str:
    """Which keys a YAML body sets twice, in the words of strict decoding; empty if none."""
    return yaml_text(request.body)[1] if media_type(request) == "application/yaml" else ""


def yaml_value(body: bytes) -> Any:
    """The one document of a YAML body."""
    return yaml_text(body)[0]


def yaml_text(body: bytes) -> tuple[Any, str]:
    """The one document of a YAML body, and which keys it sets twice, as `repeated` has them."""
    _check_size(body)
    try:
        # NOTE: nearly all clients send JSON, which is YAML and a hundred times faster to read.
        value = msgspec.json.decode(body)
        if not nesting.is_too_deep(value, body):
            return value, repeated_keys.of_json_as_yaml(body, value)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        pass
    reader = yaml_documents.Reader(body)
    try:
        documents = [value for value, _, _ in reader.documents()]
    except InputError as error:
        raise BadRequest(f"error decoding YAML: {error}") from None
    return documents[0] if documents else None, repeated_keys.of_yaml(reader)


def _check_size(body: bytes) -> None:
    if nesting.is_too_large(body):
        raise RequestTooLarge(f"limit is {nesting.MOST_VALUES} values")


def patch_type(request: Request) -> PatchType | None:
    """The type of a patch, None for server-side apply; an unknown media type is refused."""
    form = media_type(request)
    if form not in _PATCHES:
        raise UnsupportedMediaType("415: Unsupported Media Type", {})
    return _PATCHES[form]


def patch(body: bytes) -> Any:
    """The patch in a body."""
    _check_size(body)
    try:
        value = msgspec.json.decode(body)
        if not nesting.is_too_deep(value, body):
            return value
    except RecursionError:
        pass
    except (msgspec.DecodeError, UnicodeDecodeError) as problem:
        try:
            go_scanner.scan(body)
        except go_scanner.SyntaxProblem as error:
            raise BadRequest(f"error decoding patch: {error}") from None
        raise BadRequest(f"error decoding patch: {problem}") from None
    raise BadRequest(f"error decoding patch: {nesting.TOO_DEEP}")
