"""The user of a request: the administrator, or the user that the administrator impersonates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from kubestage.aliases import Json
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


def client_of(request: Request) -> Json:
    """The UserInfo of a request's user; ``kubectl --as`` sets another one."""
    name = request.header(b"impersonate-user")
    if not name:
        return ADMINISTRATOR
    groups = _listed(request.header(b"impersonate-group"))
    if not groups and name.startswith(_ACCOUNT) and name.count(":") == _ACCOUNT.count(":") + 1:
        namespace = name.split(":")[2]
        groups = ["system:serviceaccounts", f"system:serviceaccounts:{namespace}"]
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
