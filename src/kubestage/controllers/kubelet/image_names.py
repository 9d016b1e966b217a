"""Names of images: which are well-formed, and which no node can pull."""

from __future__ import annotations

import fnmatch
import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

_HOST: Final = r"(?:[A-Za-z0-9]|[A-Za-z0-9][A-Za-z0-9-]*[A-Za-z0-9])"
_DOMAIN: Final = rf"(?:{_HOST}(?:\.{_HOST})*|\[[A-Fa-f0-9:]+\])(?::[0-9]+)?"
_PART: Final = r"[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*"
_TAG: Final = r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}"
_DIGEST: Final = r"[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9A-Fa-f]{32,}"
_REFERENCE: Final = re.compile(
    rf"(?P<name>(?:{_DOMAIN}/)?{_PART}(?:/{_PART})*)(?::{_TAG})?(?:@{_DIGEST})?"
)
_BARE_DIGEST: Final = re.compile(r"[a-f0-9]{64}")
_LONGEST_NAME: Final = 255


def problem(image: str) -> str:
    """Why no runtime can read the name of an image; nothing if it can."""
    reason = _reason(image)
    if not reason:
        return ""
    parsed = f'couldn\'t parse image name "{image}": {reason}'
    return f'Failed to apply default image tag "{image}": {parsed}'


def _reason(image: str) -> str:
    if _BARE_DIGEST.fullmatch(image):
        return f"invalid repository name ({image}), cannot specify 64-byte hexadecimal strings"
    found = _REFERENCE.fullmatch(image)
    if found is None:
        is_capital = image != image.lower() and _REFERENCE.fullmatch(image.lower()) is not None
        lower = "invalid reference format: repository name ({}) must be lowercase"
        return lower.format(_repository(image)) if is_capital else "invalid reference format"
    if len(found["name"]) > _LONGEST_NAME:
        return f"repository name must not be more than {_LONGEST_NAME} characters"
    return ""


def _repository(image: str) -> str:
    """The name of an image without host, tag and digest."""
    name = image.partition("@")[0]
    host, slash, rest = name.partition("/")
    if slash and ("." in host or ":" in host or host == "localhost"):
        name = rest
    else:
        name = name if slash else f"library/{name}"
    before, _, after = name.rpartition(":")
    return name if not before or "/" in after else before


def pull_error(image: str, unpullable: Iterable[str]) -> str:
    """With what the pull of an image fails if a pattern says that it does; else nothing."""
    if not any(fnmatch.fnmatchcase(image, pattern) for pattern in unpullable):
        return ""
    return (
        f'rpc error: code = NotFound desc = failed to pull and unpack image "{image}": '
        f'failed to resolve reference "{image}": {image}: not found'
    )
