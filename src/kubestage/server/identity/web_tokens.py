"""JSON web tokens in their compact form: written, and read with and without their signature."""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING, Final

import msgspec

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.server.identity.signing_key import SigningKey

ALGORITHM: Final = "ES256"
_PARTS: Final = 3


def signed(key: SigningKey, claims: Json) -> str:
    """A token with some claims."""
    head = {"alg": ALGORITHM, "kid": key.key_id}
    text = f"{_part(head)}.{_part(claims)}"
    return f"{text}.{base64_url(key.sign(text.encode()))}"


def claims_of(token: str) -> Json | None:
    """What a token claims, unchecked; None if it is no token."""
    parts = token.split(".")
    if len(parts) != _PARTS:
        return None
    try:
        found = msgspec.json.decode(_decoded(parts[1]))
    except (ValueError, binascii.Error):
        return None
    return found if isinstance(found, dict) else None


def is_signed_by(key: SigningKey, token: str) -> bool:
    """Whether a token has the signature of a key."""
    text, _, signature = token.rpartition(".")
    try:
        return key.verifies(text.encode(), _decoded(signature))
    except (ValueError, binascii.Error):
        return False


def base64_url(data: bytes) -> str:
    """Bytes in the letters that web tokens use."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _part(value: Json) -> str:
    return base64_url(msgspec.json.encode(value))


def _decoded(text: str) -> bytes:
    return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
