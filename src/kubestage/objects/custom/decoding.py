"""From a request body to an object of any kind, as strictly as the caller requests.

As `objects.decode`, for kinds that only their definition knows as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from kubestage import lazy
from kubestage.errors import BadRequest
from kubestage.objects import decode as decode_any
from kubestage.objects import schema
from kubestage.objects.custom import rows
from kubestage.objects.decode import Decoded
from kubestage.objects.validation import field, status

# NOTE: few kinds need it.
with lazy.imports():
    from kubestage.objects.custom import object_meta

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.decode import FieldValidation
    from kubestage.objects.kinds import Kind


def decode(body: bytes | Json, kind: Kind, field_validation: FieldValidation) -> Decoded:
    """The object in `body`; BadRequest if it is none of that kind.

    Of a custom resource, unknown fields are gone and defaults are there.
    """
    if not rows.are_custom(kind):
        decoded = decode_any.decode(body, kind.api_version, kind.kind, field_validation)
        is_shaped = schema.kind_struct(kind.api_version, kind.kind) is not None
        return decoded if is_shaped else _with_metadata(decoded, kind)
    decoded = _parsed(body, kind)
    obj = decoded.object
    unknown: list[str] = []
    if obj.get("kind") == kind.kind:
        obj, unknown = rows.compiled(kind).read(obj)
    problems = [*decoded.warnings, *(f'unknown field "{path}"' for path in unknown)]
    if problems and field_validation == "Strict":
        raise BadRequest(
            f'{kind.kind} in version "{kind.version}" cannot be handled as a {kind.kind}: '
            f"strict decoding error: {', '.join(problems)}"
        )
    return Decoded(obj, tuple(problems) if field_validation == "Warn" else ())


def _with_metadata(decoded: Decoded, kind: Kind) -> Decoded:
    """An object of one of our own kinds; of its shape only the metadata is known."""
    obj = decoded.object
    try:
        metadata, _ = object_meta.read(obj.get("metadata"))
    except object_meta.MetadataError as error:
        raise BadRequest(
            f'{kind.kind} in version "{kind.version}" cannot be handled as a {kind.kind}: {error}'
        ) from None
    return Decoded({**obj, "metadata": metadata}, decoded.warnings)


def _parsed(body: bytes | Json, kind: Kind) -> Decoded:
    """The body as it stands; its version is checked, its kind is validated later."""
    try:
        content = body if isinstance(body, dict) else msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        content = None
    if not isinstance(content, dict):
        return decode_any.decode(body, kind.api_version, kind.kind, "Warn")
    named, version = content.get("kind"), content.get("apiVersion")
    if not named and named in (None, ""):
        text = body if isinstance(body, bytes) else msgspec.json.encode(body)
        shown = text.decode("utf-8", "replace")
        raise BadRequest(
            f"the object provided is unrecognized (must be of type {kind.kind}): "
            f"Object 'Kind' is missing in '{shown}' ({_summary(text)})"
        )
    if not isinstance(named, str) or not isinstance(version, str | None):
        return decode_any.decode(body, kind.api_version, kind.kind, "Warn")
    if version != kind.api_version:
        raise BadRequest(
            f"the API version in the data ({version or ''}) does not match the expected "
            f"API version ({kind.api_version})"
        )
    return decode_any.decode(body, version, named, "Warn")


def _summary(text: bytes) -> str:
    start = text[:30].decode("utf-8", "replace")
    return f"{start} ..." if len(text) > 30 else start


def check_type(kind: Kind, obj: Json) -> None:
    """Refuse an object of another kind than the request's."""
    named = obj.get("kind")
    if named not in (None, kind.kind):
        problem = field.invalid("kind", named, f"must be {kind.kind}")
        raise status.invalid(obj, [problem])
