"""What a server proves identities with: made when first needed, and kept if there is a home."""

from __future__ import annotations

import functools
import hmac
from typing import TYPE_CHECKING, Final

from kubestage import lazy
from kubestage.server.identity import web_tokens

# NOTE: few servers ever sign anything, and cryptography takes a while to load.
with lazy.imports():
    from kubestage.server.identity import authority, signing_key

if TYPE_CHECKING:
    import pathlib

    from kubestage.aliases import Json
    from kubestage.server.identity.authority import CertificateAuthority
    from kubestage.server.identity.signing_key import SigningKey

ISSUER: Final = "https://kubernetes.default.svc.cluster.local"
"""Who signs the tokens of service accounts; also their audience by default."""
LEGACY_ISSUER: Final = "kubernetes/serviceaccount"
"""Who signs the tokens in Secrets."""
_MOST_VERIFIED: Final = 4096


class Issuer:
    """The keys and the token of a server.

    `home` is the folder of what has to be there again when the server is started again.
    """

    def __init__(self, home: pathlib.Path | None = None, token: str | None = None) -> None:
        self._home = home
        self._token = None if token is None else token.encode()
        # What is known to be signed here, so that a signature is checked once.
        self._verified: dict[str, Json] = {}

    @functools.cached_property
    def key(self) -> SigningKey:
        """The key of tokens."""
        if self._home is None:
            return signing_key.SigningKey.new()
        return signing_key.SigningKey.kept_in(self._home / "service-account.key")

    @functools.cached_property
    def authority(self) -> CertificateAuthority:
        """What signs certificates."""
        if self._home is None:
            return authority.CertificateAuthority.new()
        return authority.CertificateAuthority.kept_in(self._home / "pki")

    @property
    def is_open(self) -> bool:
        """Whether clients need no token."""
        return self._token is None

    def is_administrator(self, token: str) -> bool:
        """Whether this is the token of the server itself."""
        return self._token is not None and hmac.compare_digest(token.encode(), self._token)

    def sign(self, claims: Json) -> str:
        """A token with these claims."""
        return web_tokens.signed(self.key, claims)

    def is_ours(self, token: str) -> bool:
        """Whether a token says that it was signed here."""
        return token in self._verified or _issuer_of(token) in (ISSUER, LEGACY_ISSUER)

    def claims(self, token: str) -> Json | None:
        """The claims of a token that was signed here; None if it was not."""
        known = self._verified.get(token)
        if known is not None:
            return known
        found = web_tokens.claims_of(token)
        if found is None or not web_tokens.is_signed_by(self.key, token):
            return None
        if len(self._verified) >= _MOST_VERIFIED:
            self._verified.clear()
        self._verified[token] = found
        return found


def _issuer_of(token: str) -> str:
    return str((web_tokens.claims_of(token) or {}).get("iss") or "")
