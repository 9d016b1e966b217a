"""What others need to check tokens of service accounts: OpenID Connect discovery, and the keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.server import dispatch, routing
from kubestage.server.identity.issuer import ISSUER
from kubestage.server.identity.web_tokens import ALGORITHM
from kubestage.server.response import JSON, Response

if TYPE_CHECKING:
    from kubestage.server.live import Live
    from kubestage.server.request import Request

CONFIGURATION: Final = "/.well-known/openid-configuration"
KEYS: Final = "/openid/v1/jwks"
_KEY_SET: Final = b"application/jwk-set+json"
_CACHED: Final = [(b"cache-control", b"public, max-age=3600")]


async def handle(live: Live, request: Request) -> Response:
    """The document that a path names."""
    path = request.path.rstrip("/")
    if path not in (CONFIGURATION, KEYS):
        raise routing.no_such_page()
    if request.method not in ("GET", "HEAD"):
        raise dispatch.not_allowed()
    if path == KEYS:
        keys = {"keys": [live.issuer.key.json_web_key()]}
        return Response(200, msgspec.json.encode(keys), _KEY_SET, _CACHED)
    return Response(200, msgspec.json.encode(_configuration(live, request)), JSON, _CACHED)


def _configuration(live: Live, request: Request) -> dict[str, object]:
    scheme = "http" if live.issuer.is_open else "https"
    return {
        "issuer": ISSUER,
        "jwks_uri": f"{scheme}://{request.header(b'host') or 'localhost'}{KEYS}",
        "response_types_supported": ["id_token"],
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": [ALGORITHM],
    }
