"""Tokens of service accounts: created on request, and recognized later.

They grant no access. Pods of a simulation do nothing with them; people, scripts and controllers
that request one get what they expect.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.errors import BadRequest, Conflict
from kubestage.objects import timestamps
from kubestage.objects.validation import field, status
from kubestage.server import bodies, negotiation, options, transient
from kubestage.server.response import warning_headers
from kubestage.store.collection import key_of
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.server.context import RequestContext
    from kubestage.server.live import Live
    from kubestage.server.response import Response

_ISSUER: Final = "https://kubernetes.default.svc.cluster.local"
_API_VERSION: Final = "authentication.k8s.io/v1"
_KIND: Final = {"apiVersion": _API_VERSION, "kind": "TokenRequest"}
_HEAD: Final = {"alg": "HS256", "typ": "JWT"}
_HOUR_S: Final = 3600
_SHORTEST_S: Final = 600
_LONGEST_S: Final = 1 << 32
_BINDABLE: Final = {"Pod": True, "Secret": True, "Node": False}


def create(context: RequestContext) -> Response:
    """A token for a service account, for a POST to its token subresource."""
    live, request, target = context.live, context.request, context.target
    form = negotiation.negotiate(request.header(b"accept"), converts=False)
    write_options = options.write_options(request, "CreateOptions")
    decoded = bodies.decoded(request, _API_VERSION, "TokenRequest", write_options.field_validation)
    token_request = transient.prepared(decoded.object, target.namespace or "default", ignored=())
    spec = token_request["spec"]
    if spec.get("expirationSeconds") is None:
        token_request = {**token_request, "spec": {**spec, "expirationSeconds": _HOUR_S}}
    token_request = transient.tracked(live, token_request, write_options.manager, "token")
    answer = _granted(live, token_request, target.name, target.namespace or "default")
    return transient.respond(answer, form, warning_headers(decoded.warnings))


def mounted(live: Live, pod: Json, projection: Json) -> str:
    """The token that a kubelet puts into a volume of a pod."""
    metadata, name = pod["metadata"], pod["spec"].get("serviceAccountName") or "default"
    audience = projection.get("audience")
    bound = {"kind": "Pod", "apiVersion": "v1", "name": metadata["name"], "uid": metadata["uid"]}
    spec = {
        "expirationSeconds": projection.get("expirationSeconds") or _HOUR_S,
        "audiences": [audience] if audience else [],
        "boundObjectRef": bound,
    }
    token_request = {"metadata": {}, "spec": spec}
    token: str = _granted(live, token_request, name, metadata["namespace"])["status"]["token"]
    return token


def _granted(live: Live, token_request: Json, name: str, namespace: str) -> Json:
    metadata, spec = token_request["metadata"], token_request["spec"]
    if metadata.get("name", name) != name:
        problem = "must match the service account name if specified"
        raise _invalid(name, field.invalid("metadata.name", metadata["name"], problem))
    account = live.store.get(("v1", "ServiceAccount"), name, namespace)
    uid = account["metadata"]["uid"]
    requested_uid = metadata.get("uid") or uid
    if requested_uid != uid:
        raise Conflict(
            f'Operation cannot be fulfilled on TokenRequest.authentication.k8s.io "{name}": the '
            f"UID in the token request ({requested_uid}) does not match the UID of the service "
            f"account ({uid})",
            {"name": name, "group": "authentication.k8s.io", "kind": "TokenRequest"},
        )
    spec = {**spec, "audiences": spec.get("audiences") or [_ISSUER]}
    _check_duration(spec["expirationSeconds"])
    bound = _bound_to(live, spec.get("boundObjectRef"), name, namespace)
    now_ns = live.stage.clock.unix_ns
    metadata = {**metadata, "name": name, "namespace": namespace, "uid": uid}
    metadata["creationTimestamp"] = timestamps.format_time(now_ns)
    ends_ns = now_ns + spec["expirationSeconds"] * SECOND_NS
    claims = {
        "aud": spec["audiences"],
        "exp": ends_ns // SECOND_NS,
        "iat": now_ns // SECOND_NS,
        "iss": _ISSUER,
        "kubernetes.io": {
            "namespace": namespace,
            "serviceaccount": {"name": name, "uid": uid},
            **bound,
        },
        "nbf": now_ns // SECOND_NS,
        "sub": f"system:serviceaccount:{namespace}:{name}",
    }
    granted = {
        "token": _signed(live, claims),
        "expirationTimestamp": timestamps.format_time(ends_ns),
    }
    return {**_KIND, "metadata": metadata, "spec": spec, "status": granted}


def _check_duration(seconds: int) -> None:
    path = "spec.expirationSeconds"
    if seconds < _SHORTEST_S:
        problem = "may not specify a duration less than 10 minutes"
        raise _invalid("", field.invalid(path, seconds, problem))
    if seconds > _LONGEST_S:
        problem = "may not specify a duration larger than 2^32 seconds"
        raise _invalid("", field.invalid(path, seconds, problem))


def _invalid(name: str, problem: field.FieldError) -> Exception:
    return status.invalid({**_KIND, "metadata": {"name": name}}, [problem])


def _bound_to(live: Live, reference: Json | None, account: str, namespace: str) -> Json:
    """The claim of a token that is bound to the lifetime of an object."""
    if reference is None:
        return {}
    kind, api_version = reference.get("kind") or "", reference.get("apiVersion") or ""
    group, _, version = api_version.rpartition("/")
    if group or kind not in _BINDABLE:
        what = f"{group}/{version}, Kind={kind}"
        raise BadRequest(f"cannot bind token to object of type {what}")
    name = reference.get("name") or ""
    found = live.store.get(("v1", kind), name, namespace if _BINDABLE[kind] else None)
    if kind == "Pod" and found["spec"].get("serviceAccountName") != account:
        raise BadRequest(
            f'cannot bind token for serviceaccount "{account}" to pod running with different '
            "serviceaccount name."
        )
    uid, named_uid = found["metadata"]["uid"], reference.get("uid")
    if named_uid and named_uid != uid:
        raise Conflict(
            f'Operation cannot be fulfilled on {kind} "{name}": the UID in the bound object '
            f"reference ({named_uid}) does not match the UID in record. The object might have been "
            "deleted and then recreated",
            {"name": name, "kind": kind},
        )
    return {kind.lower(): {"name": name, "uid": uid}}


def review(live: Live, token: str, audiences: list[str]) -> Json:
    """The status of a TokenReview: whose token it is, if it is one of ours and still good."""
    claims = _claims(live, token)
    if claims is None:
        return {"user": {}, "error": "[invalid bearer token, service account token is not valid]"}
    if live.stage.clock.unix_ns // SECOND_NS >= claims["exp"]:
        return {"user": {}, "error": "[invalid bearer token, service account token has expired]"}
    shared = [each for each in audiences or [_ISSUER] if each in claims["aud"]]
    if not shared:
        return {"user": {}, "error": "[invalid bearer token, token audiences are not valid]"}
    account = claims["kubernetes.io"]
    namespace, name = account["namespace"], account["serviceaccount"]["name"]
    known = live.store.read(("v1", "ServiceAccount")).get(key_of(namespace, name))
    if known is None or known["metadata"]["uid"] != account["serviceaccount"]["uid"]:
        return {"user": {}, "error": "[invalid bearer token, service account UID has changed]"}
    groups = [
        "system:serviceaccounts", f"system:serviceaccounts:{namespace}", "system:authenticated",
    ]  # fmt: skip
    user = {"username": claims["sub"], "uid": known["metadata"]["uid"], "groups": groups}
    return {"authenticated": True, "user": user, "audiences": shared}


def _signed(live: Live, claims: Json) -> str:
    text = f"{_part(_HEAD)}.{_part(claims)}"
    return f"{text}.{_signature(live, text)}"


def _signature(live: Live, text: str) -> str:
    # What differs between clusters, and stays when a server is started again.
    key = live.store.get(("v1", "Namespace"), "kube-system")["metadata"]["uid"]
    return _encoded(hmac.digest(key.encode(), text.encode(), hashlib.sha256))


def _claims(live: Live, token: str) -> Json | None:
    text, _, signature = token.rpartition(".")
    if not hmac.compare_digest(_signature(live, text).encode(), signature.encode()):
        return None
    payload = text.partition(".")[2]
    claims: Json = msgspec.json.decode(
        base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4))
    )
    return claims


def _part(value: Json) -> str:
    return _encoded(msgspec.json.encode(value))


def _encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
