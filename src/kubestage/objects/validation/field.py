"""A broken rule as a value: which field, what is wrong, how the API words it.

Paths are plain strings built by the caller (``spec.containers[0].name``); values are JSON.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.golang.quote import quote as quote

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.aliases import Json


class ErrorType(enum.Enum):
    """The machine-readable reason (value) and its wording (text)."""

    NOT_FOUND = ("FieldValueNotFound", "Not found")
    REQUIRED = ("FieldValueRequired", "Required value")
    DUPLICATE = ("FieldValueDuplicate", "Duplicate value")
    INVALID = ("FieldValueInvalid", "Invalid value")
    NOT_SUPPORTED = ("FieldValueNotSupported", "Unsupported value")
    FORBIDDEN = ("FieldValueForbidden", "Forbidden")
    TOO_LONG = ("FieldValueTooLong", "Too long")
    TOO_SHORT = ("FieldValueTooShort", "Too short")
    TOO_MANY = ("FieldValueTooMany", "Too many")
    TOO_FEW = ("FieldValueTooFew", "Too few")
    INTERNAL = ("InternalError", "Internal error")
    TYPE_INVALID = ("FieldValueTypeInvalid", "Invalid value")

    def __init__(self, reason: str, text: str) -> None:
        self.reason = reason
        self.text = text


class _Omitted:
    """Marks an error whose message shows no value."""

    def __repr__(self) -> str:
        return "OMITTED"


OMITTED: Final = _Omitted()

HTML: Final = str.maketrans(
    {
        "<": "\\u003c",
        ">": "\\u003e",
        "&": "\\u0026",
        "\u2028": "\\u2028",
        "\u2029": "\\u2029",
    }
)
"""What Go escapes in JSON, as it could end a script block; Python does not."""

_VALUELESS: Final = frozenset(
    {
        ErrorType.REQUIRED,
        ErrorType.FORBIDDEN,
        ErrorType.TOO_LONG,
        ErrorType.TOO_SHORT,
        ErrorType.INTERNAL,
    }
)


class Rendered(msgspec.Struct, frozen=True):
    """A bad value whose text in the message is not its plain JSON (fields with Go names)."""

    text: str


class FieldError(msgspec.Struct, frozen=True):
    """One broken rule."""

    type: ErrorType
    field: str
    value: Any = OMITTED
    detail: str = ""

    @property
    def body(self) -> str:
        """The message without its field."""
        text = self.type.text
        if self.type not in _VALUELESS and self.value is not OMITTED:
            text = f"{text}: {self._shown}"
        return f"{text}: {self.detail}" if self.detail else text

    @property
    def _shown(self) -> str:
        value = self.value
        if isinstance(value, Rendered):
            return value.text
        # Values of enumerations have a type of their own, and such strings are shown as JSON.
        is_plain = isinstance(value, str) and self.type is not ErrorType.NOT_SUPPORTED
        return quote(value) if is_plain else json_text(value)

    @property
    def cause(self) -> Json:
        """The entry of a Status' ``details.causes``."""
        return {"reason": self.type.reason, "message": self.body, "field": self.field}

    def __str__(self) -> str:
        return f"{self.field}: {self.body}"


def json_text(value: Any) -> str:
    """One line of JSON, escaped as Go escapes it."""
    return msgspec.json.encode(value).decode().translate(HTML)


def invalid(field: str, value: Any, detail: str) -> FieldError:
    """A malformed value."""
    return FieldError(ErrorType.INVALID, field, value, detail)


def required(field: str, detail: str = "") -> FieldError:
    """A value that must be set and is not."""
    return FieldError(ErrorType.REQUIRED, field, "", detail)


def duplicate(field: str, value: Any) -> FieldError:
    """A value that must be unique and is not."""
    return FieldError(ErrorType.DUPLICATE, field, value)


def not_found(field: str, value: Any) -> FieldError:
    """A name that refers to nothing."""
    return FieldError(ErrorType.NOT_FOUND, field, value)


def not_supported(field: str, value: Any, valid: Iterable[str]) -> FieldError:
    """A value outside its enumeration; `valid` in the order in which upstream lists it."""
    choices = ", ".join(quote(choice) for choice in valid)
    return FieldError(
        ErrorType.NOT_SUPPORTED, field, value, f"supported values: {choices}" if choices else ""
    )


def forbidden(field: str, detail: str) -> FieldError:
    """A well-formed value that is not allowed here."""
    return FieldError(ErrorType.FORBIDDEN, field, "", detail)


def internal(field: str, detail: str) -> FieldError:
    """A failure that is not the user's."""
    return FieldError(ErrorType.INTERNAL, field, None, detail)


def _byte_or_item(count: int, unit: str) -> str:
    return f"{count} {unit}" if count == 1 else f"{count} {unit}s"


def too_long(field: str, limit: int) -> FieldError:
    """Text longer than `limit` bytes; the value is not repeated."""
    detail = (
        f"may not be more than {_byte_or_item(limit, 'byte')}"
        if limit >= 0
        else ("value is too long")
    )
    return FieldError(ErrorType.TOO_LONG, field, "<value omitted>", detail)


def too_many(field: str, actual: int, limit: int) -> FieldError:
    """A list with more than `limit` items."""
    detail = (
        f"must have at most {_byte_or_item(limit, 'item')}"
        if limit >= 0
        else ("has too many items")
    )
    return FieldError(ErrorType.TOO_MANY, field, actual if actual >= 0 else OMITTED, detail)


def invalids(field: str, value: Any, details: Iterable[str]) -> list[FieldError]:
    """One error per thing that is wrong with a value."""
    return [FieldError(ErrorType.INVALID, field, value, detail) for detail in details]
