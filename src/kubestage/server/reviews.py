"""Reviews of who a user is and what they may do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.errors import BadRequest
from kubestage.objects.validation import access_reviews, status
from kubestage.server import (
    authorizing,
    bodies,
    callers,
    dispatch,
    negotiation,
    options,
    routing,
    transient,
)
from kubestage.server.identity import service_accounts
from kubestage.server.identity.issuer import ISSUER
from kubestage.server.response import warning_headers
from kubestage.store.authorization.authorizer import Authorizer

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.aliases import Json
    from kubestage.server.live import Live
    from kubestage.server.request import Request
    from kubestage.server.response import Response

_AUTHORIZATION: Final = "authorization.k8s.io/v1"
_AUTHENTICATION: Final = "authentication.k8s.io/v1"
_LOCAL: Final = "localsubjectaccessreviews"
_KINDS: Final = {
    _LOCAL: (_AUTHORIZATION, "LocalSubjectAccessReview"),
    "selfsubjectaccessreviews": (_AUTHORIZATION, "SelfSubjectAccessReview"),
    "selfsubjectrulesreviews": (_AUTHORIZATION, "SelfSubjectRulesReview"),
    "subjectaccessreviews": (_AUTHORIZATION, "SubjectAccessReview"),
    "selfsubjectreviews": (_AUTHENTICATION, "SelfSubjectReview"),
    "tokenreviews": (_AUTHENTICATION, "TokenReview"),
}
_ANYBODY: Final = ("AlwaysAllow",)


async def handle(live: Live, request: Request) -> Response:
    """Answer a review; nothing of it is kept."""
    api_version, kind, namespace = _addressed(request.path)
    if request.method != "POST":
        raise dispatch.not_allowed()
    form = negotiation.negotiate(request.header(b"accept"), converts=False)
    write_options = options.write_options(request, "CreateOptions")
    decoded = bodies.decoded(request, api_version, kind, write_options.field_validation)
    prepared = transient.prepared(decoded.object, namespace)
    review = transient.tracked(live, prepared, write_options.manager)
    answer = _ANSWERS[kind](live, request, review)
    return transient.respond(answer, form, warning_headers(decoded.warnings))


def _addressed(path: str) -> tuple[str, str, str]:
    """Version, kind and namespace that a path names."""
    _, _, group, version, *rest = path.rstrip("/").split("/")
    namespace = ""
    if len(rest) == 3 and rest[0] == "namespaces" and rest[2] == _LOCAL:
        namespace, rest = rest[1], rest[2:]
    found = _KINDS.get(rest[0]) if len(rest) == 1 else None
    if found is None or found[0] != f"{group}/{version}" or (rest[0] == _LOCAL) != bool(namespace):
        raise routing.no_such_path()
    return *found, namespace


def _access(live: Live, request: Request, review: Json) -> Json:
    problems = access_reviews.validate(review)
    if problems:
        # The real server has lost the kind by then.
        raise status.invalid({"apiVersion": _AUTHORIZATION}, problems)
    spec = review["spec"]
    user = callers.client_of(live, request)
    if review["kind"] != "SelfSubjectAccessReview":
        user = {"username": spec.get("user") or "", "groups": spec.get("groups") or []}
    decision = authorizing.review(live, user, spec)
    reason = {"reason": decision.reason} if decision.reason else {}
    return {**review, "status": {"allowed": decision.allowed, **reason}}


def _rules(live: Live, request: Request, review: Json) -> Json:
    namespace = review["spec"].get("namespace")
    if not namespace:
        raise BadRequest("no namespace on request")
    authorizer = live.authorizer or Authorizer(live.store, _ANYBODY)
    user = callers.client_of(live, request)
    return {**_new(review), "status": authorizer.shown(user, namespace)}


def _self(live: Live, request: Request, review: Json) -> Json:
    metadata = {"creationTimestamp": live.stage.now}
    return {
        **_new(review),
        "metadata": metadata,
        "status": {"userInfo": callers.client_of(live, request)},
    }


def _token(live: Live, _request: Request, review: Json) -> Json:
    spec = review["spec"]
    if not spec.get("token"):
        raise BadRequest("token is required for TokenReview in authentication")
    return {**review, "status": _token_status(live, spec["token"], spec.get("audiences") or [])}


def _token_status(live: Live, token: str, audiences: list[str]) -> Json:
    """Whose token it is, if it is the server's own or one of its accounts, and still good."""
    if live.issuer.is_administrator(token):
        known = {"authenticated": True, "audiences": audiences or [ISSUER]}
        return {**known, "user": callers.ADMINISTRATOR}
    if not live.issuer.is_ours(token):
        return {"user": {}, "error": service_accounts.INVALID}
    owner = service_accounts.owner(live, token, audiences)
    if isinstance(owner, str):
        return {"user": {}, "error": f"[{service_accounts.INVALID}, {owner}]"}
    return {"authenticated": True, "user": owner.user, "audiences": owner.audiences}


def _new(review: Json) -> Json:
    return {"kind": review["kind"], "apiVersion": review["apiVersion"], "metadata": {}}


_ANSWERS: Final[dict[str, Callable[[Live, Request, Json], Json]]] = {
    "LocalSubjectAccessReview": _access,
    "SelfSubjectAccessReview": _access,
    "SubjectAccessReview": _access,
    "SelfSubjectRulesReview": _rules,
    "SelfSubjectReview": _self,
    "TokenReview": _token,
}
