"""Advice about secrets for TLS, in the words of Go's reader of certificates and keys."""

from __future__ import annotations

import base64
import binascii
import re
from typing import Any, Final

_find_blocks: Final = re.compile(
    rb"-----BEGIN ([^\n-]*)-----\s*\n(.*?)-----END \1-----", re.DOTALL
).findall


def secret(obj: dict[str, Any]) -> list[str]:
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
