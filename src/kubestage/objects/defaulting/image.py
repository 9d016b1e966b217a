"""Which pull policy an image reference implies: ``Always`` for the tag ``latest``, typed or not.

The grammar is that of the container registries' reference syntax; a reference that breaks it has
no tag, so it is pulled ``IfNotPresent`` and left to validation.
"""

from __future__ import annotations

import functools
import re
from typing import Final

_COMPONENT: Final = r"[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*"
_LABEL: Final = r"(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])"
_HOST: Final = rf"(?:{_LABEL}(?:\.{_LABEL})*|\[[a-fA-F0-9:]+\])(?::[0-9]+)?"
_DIGEST: Final = r"[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}"
_DOMAIN: Final = re.compile(_HOST)
_REFERENCE: Final = re.compile(
    rf"({_COMPONENT}(?:/{_COMPONENT})*)(?::(\w[\w.-]{{0,127}}))?(?:@({_DIGEST}))?", re.ASCII
)
_IDENTIFIER: Final = re.compile(r"[a-f0-9]{64}")
_DIGEST_LENGTHS: Final = {"sha256": 64, "sha384": 96, "sha512": 128}
_MAX_NAME_LENGTH: Final = 255


@functools.lru_cache(maxsize=1 << 12)
def pull_policy(image: str) -> str:
    """``Always`` or ``IfNotPresent``."""
    return "Always" if tag(image) == "latest" else "IfNotPresent"


def tag(image: str) -> str:
    """The tag of a reference; empty if there is only a digest, or the reference is malformed."""
    if _IDENTIFIER.fullmatch(image):
        return ""
    domain, remainder = _split_domain(image)
    match = _REFERENCE.fullmatch(remainder)
    if match is None or not _DOMAIN.fullmatch(domain) or len(match[1]) > _MAX_NAME_LENGTH:
        return ""
    digest = match[3]
    if digest is None:
        return match[2] or "latest"
    return (match[2] or "") if _is_digest(digest) else ""


def _split_domain(image: str) -> tuple[str, str]:
    first, slash, rest = image.partition("/")
    is_domain = first == "localhost" or "." in first or ":" in first or first != first.lower()
    if slash and is_domain:
        domain, remainder = first, rest
    else:
        domain, remainder = "docker.io", image
    if domain in ("docker.io", "index.docker.io") and "/" not in remainder:
        remainder = f"library/{remainder}"
    return domain, remainder


def _is_digest(text: str) -> bool:
    algorithm, _, digits = text.partition(":")
    return _DIGEST_LENGTHS.get(algorithm) == len(digits) and digits == digits.lower()
