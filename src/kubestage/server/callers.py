"""The user of a request: by its token, else the administrator; or whom that user impersonates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.server.identity import service_accounts
from kubestage.server.security import refusals

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.server.live import Live
    from kubestage.server.request import Request

ADMINISTRATOR: Final = {
    "username": "admin",
    "uid": "admin",
    "groups": ["system:masters", "system:authenticated"],
}
_ACCOUNT: Final = "system:serviceaccount:"
_ANONYMOUS: Final = "system:anonymous"
_KNOWN, _UNKNOWN = "system:authenticated", "system:unauthenticated"
_EXTRA: Final = b"impersonate-extra-"


def client_of(live: Live, request: Request) -> Json:
    """The UserInfo of a request's user; refused if its token was ours and is void.

    ``kubectl --as`` sets another user than the one of the token.
    """
    if request.user is None:
        request.user = _client_of(live, request)
    return request.user


def bearer(authorization: bytes) -> str:
    """The token of an ``Authorization`` header, or nothing."""
    scheme, _, token = authorization.partition(b" ")
    return token.strip().decode("latin-1") if scheme.lower() == b"bearer" else ""


def is_implied(name: str, group: str) -> bool:
    """Whether a user that is impersonated is in a group without its being named."""
    implied = [_KNOWN, _UNKNOWN]
    if name.startswith(_ACCOUNT) and name.count(":") == _ACCOUNT.count(":") + 1:
        implied += service_accounts.groups_of(name.split(":")[2])
    return group in implied


def _client_of(live: Live, request: Request) -> Json:
    user = authenticated(live, request)
    name = request.headers.get(b"impersonate-user")
    return user if name is None else _impersonated(request, name.decode("latin-1")) or user


def authenticated(live: Live, request: Request) -> Json:
    """The user by the token, whomever it impersonates.

    A token that is not ours means nothing: the guard has let it in.
    """
    authorization = request.headers.get(b"authorization")
    token = bearer(authorization) if authorization is not None else ""
    if not token or not live.issuer.is_ours(token):
        return ADMINISTRATOR
    owner = service_accounts.owner(live, token)
    if isinstance(owner, str):
        raise refusals.unauthorized()
    return owner.user


def _impersonated(request: Request, name: str) -> Json | None:
    if not name:
        return None
    groups = _listed(request.header(b"impersonate-group"))
    if not groups and name.startswith(_ACCOUNT) and name.count(":") == _ACCOUNT.count(":") + 1:
        groups = service_accounts.groups_of(name.split(":")[2])
    implied = _UNKNOWN if name == _ANONYMOUS else _KNOWN
    if implied not in groups and _UNKNOWN not in groups:
        groups.append(implied)
    extra = {
        key.removeprefix(_EXTRA).decode("latin-1"): _listed(value.decode("latin-1"))
        for key, value in request.headers.items()
        if key.startswith(_EXTRA)
    }
    user = {"username": name, "uid": request.header(b"impersonate-uid"), "groups": groups}
    return {**user, "extra": extra} if extra else user


def _listed(text: str) -> list[str]:
    return [each.strip() for each in text.split(",") if each.strip()]
