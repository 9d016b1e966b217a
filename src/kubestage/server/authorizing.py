"""Whether the user of a request may do what it is about, as the cluster's authorizer decides it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.server import callers
from kubestage.server.flow_control import request_info
from kubestage.store.authorization import access
from kubestage.store.authorization.access import Access, Decision
from kubestage.store.authorization.authorizer import Authorizer
from kubestage.store.authorization.roles import KINDS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kubestage.aliases import Json
    from kubestage.server.flow_control.request_info import RequestInfo
    from kubestage.server.live import Live
    from kubestage.server.request import Request
    from kubestage.store.log import Change

_ALWAYS: Final = ("/healthz", "/livez", "/readyz")
_AUTHENTICATION: Final = "authentication.k8s.io"
_ACCOUNT: Final = "system:serviceaccount:"
# Who opens a stream into a pod by a WebSocket must be allowed to create it, too.
_STREAMS: Final = ("attach", "exec", "portforward")
_SIGNS: Final = ("!=", "==", "=")


class Authorization:
    """Keeps the authorizer of a cluster up to date, from `start` to `close`."""

    def __init__(self, live: Live, modes: Sequence[str]) -> None:
        self._live = live
        self._authorizer = Authorizer(live.store, modes)

    def start(self) -> None:
        """Decide about requests from now on."""
        self._live.authorizer = self._authorizer
        self._live.store.subscribe(self.on_change, KINDS)

    def close(self) -> None:
        """Decide no more."""
        self._live.authorizer = None
        self._live.store.unsubscribe(self.on_change)

    def on_change(self, _change: Change) -> None:
        """A role or a binding is another one."""
        self._authorizer.roles.forget()


def check(live: Live, request: Request, *, is_stream: bool = False) -> None:
    """Refuse a request whose user may not do it; also one for a user whom the client may not be."""
    user = callers.client_of(live, request)
    authorizer = live.authorizer
    if authorizer is None:
        return
    if b"impersonate-user" in request.headers:
        client = callers.authenticated(live, request)
        for requested in _impersonations(user):
            _demand(authorizer, client, requested)
    if access.PRIVILEGED in user["groups"] or request.path.rstrip("/") in _ALWAYS:
        return
    requested = of_request(request)
    _demand(authorizer, user, requested)
    if is_stream and requested.subresource in _STREAMS:
        _demand(authorizer, user, requested._replace(verb="create"))


def answer(live: Live, question: Json) -> tuple[bool, str]:
    """Whether a user may do something, as an expression asks it."""
    if live.authorizer is None:
        return True, ""
    requested = _named(question)
    decision = live.authorizer.decide(question["user"], requested)
    return decision.allowed, decision.reason


def review(live: Live, user: Json, spec: Json) -> Decision:
    """The decision about what a review asks."""
    if live.authorizer is None:
        return Decision(True)
    return live.authorizer.decide(user, _of_review(spec))


def of_request(request: Request) -> Access:
    """What a request is about."""
    info = request_info.of(request)
    if not info.is_resource:
        return Access(info.verb, path=info.path)
    resource, _, subresource = info.resource.partition("/")
    fields = tuple(_fields(request.parameter("fieldSelector")))
    name = info.name or _selected_name(info, fields)
    return Access(info.verb, info.group, resource, subresource, info.namespace, name, fields=fields)


def _of_review(spec: Json) -> Access:
    other = spec.get("nonResourceAttributes")
    if other is not None:
        return Access(other.get("verb") or "", path=other.get("path") or "")
    return _named(spec["resourceAttributes"])


def _named(parts: Json) -> Access:
    """What fields of these names ask for."""

    def part(name: str) -> str:
        return parts.get(name) or ""

    return Access(
        part("verb"),
        part("group"),
        part("resource"),
        part("subresource"),
        part("namespace"),
        part("name"),
        part("path"),
    )


def _demand(authorizer: Authorizer, user: Json, requested: Access) -> None:
    decision = authorizer.decide(user, requested)
    if not decision.allowed:
        raise access.forbidden(user, requested, decision.reason)


def _impersonations(user: Json) -> Iterator[Access]:
    """What a client must be allowed to be, to act as a user."""
    name: str = user["username"]
    if name.startswith(_ACCOUNT) and name.count(":") == _ACCOUNT.count(":") + 1:
        namespace, _, account = name.removeprefix(_ACCOUNT).partition(":")
        yield Access("impersonate", "", "serviceaccounts", "", namespace, account)
    else:
        yield Access("impersonate", "", "users", "", "", name)
    for group in user.get("groups", ()):
        if not callers.is_implied(name, group):
            yield Access("impersonate", "", "groups", "", "", group)
    if user.get("uid"):
        yield Access("impersonate", _AUTHENTICATION, "uids", "", "", user["uid"])
    for key, values in (user.get("extra") or {}).items():
        for value in values:
            yield Access("impersonate", _AUTHENTICATION, "userextras", key, "", value)


def _selected_name(info: RequestInfo, fields: tuple[tuple[str, str, str], ...]) -> str:
    """The one object that a list or watch is limited to by its name."""
    if info.verb not in ("list", "watch", "deletecollection"):
        return ""
    names = [value for field, sign, value in fields if field == "metadata.name" and sign != "!="]
    return names[0] if names else ""


def _fields(selector: str) -> Iterator[tuple[str, str, str]]:
    for term in selector.split(","):
        for sign in _SIGNS:
            field, has_sign, value = term.partition(sign)
            if has_sign:
                yield field.strip(), sign, value.strip()
                break
