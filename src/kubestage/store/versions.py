"""Reading the resourceVersions that callers send."""

from __future__ import annotations

from typing import Final

from kubestage.errors import BadRequest, MalformedValue, ResourceVersionTooLarge
from kubestage.golang import integers
from kubestage.objects.validation import field

_LARGEST: Final = 2**64 - 1


class NotAVersion(MalformedValue):
    """A text that is no resourceVersion."""


def parse(text: str) -> int:
    """The number a resourceVersion stands for; empty stands for 0."""
    if not text:
        return 0
    if not (text.isascii() and text.isdigit()):
        raise NotAVersion(f"strconv.ParseUint: parsing {field.quote(text)}: invalid syntax")
    number = integers.parse(text)
    if number > _LARGEST:
        raise NotAVersion(f"strconv.ParseUint: parsing {field.quote(text)}: value out of range")
    return number


def parse_option(text: str) -> int:
    """As `parse`, with the words that name the request's option."""
    try:
        return parse(text)
    except NotAVersion as error:
        raise NotAVersion(f"resourceVersion: Invalid value: {field.quote(text)}: {error}") from None


def parse_request(text: str, words: str = "") -> int:
    """As `parse_option`; BadRequest, in these words, for a text that is no version."""
    try:
        return parse_option(text)
    except NotAVersion as error:
        raise BadRequest(f"{words}{error}") from None


def too_large(requested: int, current: int) -> ResourceVersionTooLarge:
    """The refusal of a version that the store has not reached."""
    cause = {"reason": "ResourceVersionTooLarge", "message": "Too large resource version"}
    return ResourceVersionTooLarge(
        f"Timeout: Too large resource version: {requested}, current: {current}",
        {"causes": [cause], "retryAfterSeconds": 1},
    )
