"""The key that signs the tokens of service accounts, and that others check them with."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Final, Self

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, utils

from kubestage.errors import InputError
from kubestage.server.identity.web_tokens import ALGORITHM, base64_url
from kubestage.server.security import secret_files

if TYPE_CHECKING:
    import pathlib

    from kubestage.aliases import Json

_HASH: Final = ec.ECDSA(hashes.SHA256())
# The two numbers of a signature, and of a point of the curve.
_NUMBER_BYTES: Final = 32


class SigningKey:
    """A pair of keys on the curve P-256; `key_id` is the name of its public half."""

    def __init__(self, key: ec.EllipticCurvePrivateKey) -> None:
        self._key = key
        self._public = key.public_key()
        encoded = self._public.public_bytes(
            serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
        )
        self.key_id = base64_url(hashlib.sha256(encoded).digest())

    @classmethod
    def new(cls) -> Self:
        """Another pair than any before."""
        return cls(ec.generate_private_key(ec.SECP256R1()))

    @classmethod
    def kept_in(cls, path: pathlib.Path) -> Self:
        """The pair in a file, made if there is none."""
        if path.exists():
            return cls(_read(path))
        key = ec.generate_private_key(ec.SECP256R1())
        text = key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        secret_files.write(path, text.decode())
        return cls(key)

    def sign(self, text: bytes) -> bytes:
        """The signature of a text, as JSON web signatures have it."""
        first, second = utils.decode_dss_signature(self._key.sign(text, _HASH))
        return _number(first) + _number(second)

    def verifies(self, text: bytes, signature: bytes) -> bool:
        """Whether a signature is this key's for this text."""
        if len(signature) != 2 * _NUMBER_BYTES:
            return False
        first = int.from_bytes(signature[:_NUMBER_BYTES])
        second = int.from_bytes(signature[_NUMBER_BYTES:])
        try:
            self._public.verify(utils.encode_dss_signature(first, second), text, _HASH)
        except InvalidSignature:
            return False
        return True

    def json_web_key(self) -> Json:
        """The public half, as RFC 7517 writes it."""
        point = self._public.public_numbers()
        return {
            "use": "sig",
            "kty": "EC",
            "kid": self.key_id,
            "crv": "P-256",
            "alg": ALGORITHM,
            "x": base64_url(_number(point.x)),
            "y": base64_url(_number(point.y)),
        }


def _number(value: int) -> bytes:
    return value.to_bytes(_NUMBER_BYTES)


def _read(path: pathlib.Path) -> ec.EllipticCurvePrivateKey:
    try:
        found = serialization.load_pem_private_key(path.read_bytes(), password=None)
    except (ValueError, TypeError):
        found = None
    if isinstance(found, ec.EllipticCurvePrivateKey) and isinstance(found.curve, ec.SECP256R1):
        return found
    fix = "delete it: a new one is made, and tokens that were signed before are void"
    raise InputError("holds no private key on the curve P-256", file=str(path), fix=fix)
