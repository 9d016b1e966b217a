"""Requests that are refused or answered late on purpose, for those who test their clients.

A rule names requests by verb, kind, namespace and name, and how many of them it meets. What a
client is answered is what the real API server would answer in such a case.
"""

from __future__ import annotations

import contextlib
import dataclasses
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from kubestage import errors
from kubestage.objects.validation import status
from kubestage.server import bodies, options

if TYPE_CHECKING:
    from kubestage.objects.kinds import Kind
    from kubestage.server.context import RequestContext

VERBS: Final = (
    "get", "list", "watch", "create", "update", "patch", "delete", "deletecollection",
)  # fmt: skip
WRITES: Final = frozenset({"create", "update", "patch", "delete", "deletecollection"})
CODES: Final = (401, 403, 404, 409, 410, 429, 500, 503, 504)
_RETRY_S: Final = 1
_BUSY: Final = "Too many requests, please try again later."
_METHODS: Final = {"POST": "create", "PUT": "update", "PATCH": "patch"}


class RequestSubject(NamedTuple):
    """What a request is about."""

    verb: str
    kind: Kind
    namespace: str | None
    name: str


@dataclasses.dataclass(slots=True, eq=False)
class FaultRule:
    """Which requests are met, how many of them, and what becomes of them.

    What is empty or None matches everything. `code` 0 lets a request pass, after `delay_s`.
    """

    verbs: frozenset[str] = frozenset()
    kind: tuple[str, str] | None = None
    """Group and plural."""
    namespace: str | None = None
    name: str | None = None
    left: int | None = None
    """How many requests are yet to be met; None: all."""
    code: int = 0
    message: str = ""
    delay_s: float = 0.0
    met: int = 0
    """How many requests were met."""

    def matches(self, subject: RequestSubject) -> bool:
        """Whether a request is one of those that are meant."""
        if self.left == 0 or (self.verbs and subject.verb not in self.verbs):
            return False
        if self.kind is not None and self.kind != (subject.kind.group, subject.kind.plural):
            return False
        if self.namespace is not None and self.namespace != subject.namespace:
            return False
        return self.name is None or self.name == subject.name

    def meet(self) -> None:
        """Count a request."""
        self.met += 1
        if self.left is not None:
            self.left -= 1

    def error(self, subject: RequestSubject) -> errors.ApiError | None:
        """What a request is answered; None if it is only late."""
        return error_of(self.code, subject, self.message) if self.code else None


class RequestFaults:
    """All rules; the first that matches a request is the one that it meets."""

    def __init__(self) -> None:
        self.rules: list[FaultRule] = []

    def meet(self, subject: RequestSubject) -> FaultRule | None:
        """The rule that a request meets; it is counted there."""
        for rule in self.rules:
            if rule.matches(subject):
                rule.meet()
                return rule
        return None


def subject_of(context: RequestContext) -> RequestSubject:
    """What a request over HTTP is about."""
    target = context.target
    name = target.name
    verb = _verb(context)
    if verb == "create" and not name:
        name = _name_in_body(context)
    return RequestSubject(verb, target.kind, target.namespace, name)


def _verb(context: RequestContext) -> str:
    target, request = context.target, context.request
    if request.method == "DELETE":
        return "delete" if target.name else "deletecollection"
    if request.method in _METHODS:
        return _METHODS[request.method]
    if target.is_watch or options.boolean(request, "watch"):
        return "watch"
    return "get" if target.name else "list"


def _name_in_body(context: RequestContext) -> str:
    """The name of an object that is to be created; nothing if the body is not sound."""
    kind = context.target.kind
    with contextlib.suppress(errors.KubestageError, msgspec.DecodeError, UnicodeDecodeError):
        body = bodies.json_or_dict(context.request, kind.api_version, kind.kind)
        obj = msgspec.json.decode(body) if isinstance(body, bytes) else body
        metadata = obj.get("metadata") if isinstance(obj, dict) else None
        if isinstance(metadata, dict):
            return str(metadata.get("name") or metadata.get("generateName") or "")
    return ""


def error_of(code: int, subject: RequestSubject, message: str = "") -> errors.ApiError:
    """The error of a code, in the words that the API server has for such a request."""
    kind, name = subject.kind, subject.name
    details = {"name": name, "group": kind.group, "kind": kind.plural}
    details = {key: value for key, value in details.items() if value}
    found: errors.ApiError
    if code == errors.Conflict.code:
        is_new = subject.verb == "create"
        found = status.already_exists(kind, name) if is_new else status.conflict(kind, name)
    elif code == errors.NotFound.code:
        found = status.not_found(kind, name)
    elif code == errors.Forbidden.code:
        found = status.forbidden(kind, name, "a fault of this test")
    elif code == errors.Unauthorized.code:
        found = errors.Unauthorized("Unauthorized")
    elif code == errors.Expired.code:
        found = errors.Expired("The resourceVersion for the provided list is too old.")
    elif code == errors.TooManyRequests.code:
        found = errors.TooManyRequests(_BUSY, {"retryAfterSeconds": _RETRY_S})
    elif code == errors.ServiceUnavailable.code:
        words = "the server is currently unable to handle the request"
        found = errors.ServiceUnavailable(words, {"retryAfterSeconds": _RETRY_S})
    elif code == errors.GatewayTimeout.code:
        words = f"the server was unable to return a response in the time allotted ({subject.verb})"
        found = errors.GatewayTimeout(words, details)
    else:
        found = internal_error(message or "a fault of this test")
    if message and code != errors.ApiError.code:
        found = type(found)(message, found.details)
    return found


def internal_error(cause: str) -> errors.ApiError:
    """An error inside the server, as apimachinery's NewInternalError words it."""
    return errors.ApiError(f"Internal error occurred: {cause}", {"causes": [{"message": cause}]})
