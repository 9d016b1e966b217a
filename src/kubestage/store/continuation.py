"""Continue tokens: where the next page of a list begins, and at which version.

The token has the form that the API server gives it, so that clients which peek inside (against
all advice) still understand it.
"""

from __future__ import annotations

import base64
import posixpath
from typing import Any, Final

import msgspec

from kubestage.errors import BadRequest, Expired

_ALPHABET: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
_FORM: Final = "meta.k8s.io/v1"
LATEST: Final = -1
"""The version of a token that goes on with whatever is there now."""

_TOO_OLD: Final = (
    "The provided continue parameter is too old to display a consistent list result. "
    "You can start a new list without the continue parameter, or use the continue token in "
    "this response to retrieve the remainder of the results. Continuing with the provided "
    "token results in an inconsistent list - objects that were created, modified, or deleted "
    "between the time the first chunk was returned and now may show up in the list."
)


class ContinueToken(msgspec.Struct, frozen=True):
    """The version of the whole list, and the key (within the list) that the page begins at."""

    revision: int
    start: str


class ContinueExpired(Expired):
    """A token too old for a consistent list; `token` goes on with the present state."""

    def __init__(self, start: str) -> None:
        super().__init__(_TOO_OLD)
        self.token = encode(ContinueToken(LATEST, start))

    @property
    def status(self) -> dict[str, Any]:
        """The Status, which carries the new token as a list would."""
        return {**super().status, "metadata": {"continue": self.token}}


def encode(token: ContinueToken) -> str:
    """The opaque text of a token."""
    body = {"v": _FORM, "rv": token.revision, "start": token.start}
    return base64.urlsafe_b64encode(msgspec.json.encode(body)).rstrip(b"=").decode()


def decode(text: str) -> ContinueToken:
    """Read a token; BadRequest if it is none of ours."""
    body = _body(text)
    if body.get("v") != _FORM:
        raise _bad(f": server does not recognize this encoded version {body.get('v', '')}")
    revision, start = body.get("rv"), body.get("start")
    if not isinstance(revision, int) or revision == 0:
        raise _bad(f": incorrect encoded start resourceVersion (version {_FORM})")
    if not isinstance(start, str) or not start:
        raise _bad(f": encoded start key empty (version {_FORM})")
    rooted = start if start.startswith("/") else f"/{start}"
    if posixpath.normpath(rooted) != rooted:
        raise _bad(f": {start}")
    return ContinueToken(revision, rooted[1:])


def _body(text: str) -> dict[str, Any]:
    wrong = next((at for at, char in enumerate(text) if char not in _ALPHABET), None)
    if wrong is None and len(text) % 4 == 1:
        wrong = len(text) - 1
    if wrong is not None:
        raise _bad(f": illegal base64 data at input byte {wrong}")
    try:
        body = msgspec.json.decode(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise _bad(f": {error}") from None
    if not isinstance(body, dict):
        raise _bad(": not an object")
    return body


def _bad(detail: str) -> BadRequest:
    return BadRequest(f"invalid continue token: continue key is not valid{detail}")
