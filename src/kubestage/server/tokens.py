"""Tokens of service accounts, created on request and for the volumes of pods."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Final

from kubestage.errors import BadRequest, Conflict
from kubestage.objects import gvk, timestamps
from kubestage.objects.validation import field, status
from kubestage.server import bodies, negotiation, options, transient
from kubestage.server.identity.issuer import ISSUER
from kubestage.server.response import warning_headers
from kubestage.store.admission import node_restriction
from kubestage.store.collection import key_of
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.server.context import RequestContext
    from kubestage.server.live import Live
    from kubestage.server.response import Response

_API_VERSION: Final = "authentication.k8s.io/v1"
_KIND: Final = {"apiVersion": _API_VERSION, "kind": "TokenRequest"}
_HOUR_S: Final = 3600
_SHORTEST_S: Final = 600
_LONGEST_S: Final = 1 << 32
# What the volumes of pods request: such a token is good for longer, as clients may not reload it.
_EXTENDED_S: Final = 3607
_EXTENSION_S: Final = 365 * 24 * _HOUR_S
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
    namespace = target.namespace or "default"
    with context.acting():
        node_restriction.check_token(live.store, target.kind, target.name, namespace, spec)
    answer = _granted(live, token_request, target.name, namespace)
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
    spec = {**spec, "audiences": spec.get("audiences") or [ISSUER]}
    _check_duration(spec["expirationSeconds"])
    bound = _bound_to(live, spec.get("boundObjectRef"), name, namespace)
    now_s = live.stage.clock.unix_ns // SECOND_NS
    metadata = {**metadata, "name": name, "namespace": namespace, "uid": uid}
    metadata["creationTimestamp"] = timestamps.format_time(now_s * SECOND_NS)
    lasts_s = spec["expirationSeconds"]
    private = {"namespace": namespace, **bound, "serviceaccount": {"name": name, "uid": uid}}
    if "pod" in bound and lasts_s == _EXTENDED_S and spec["audiences"] == [ISSUER]:
        private["warnafter"] = now_s + lasts_s
    claims = {
        "aud": spec["audiences"],
        "exp": now_s + (_EXTENSION_S if "warnafter" in private else lasts_s),
        "iat": now_s,
        "iss": ISSUER,
        "jti": str(uuid.uuid4()),
        "kubernetes.io": private,
        "nbf": now_s,
        "sub": f"system:serviceaccount:{namespace}:{name}",
    }
    granted = {
        "token": live.issuer.sign(claims),
        "expirationTimestamp": timestamps.format_time((now_s + lasts_s) * SECOND_NS),
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
    bound = {kind.lower(): {"name": name, "uid": uid}}
    node_name = found["spec"].get("nodeName") if kind == "Pod" else None
    return {"node": _node(live, node_name), **bound} if node_name else bound


def _node(live: Live, name: str) -> Json:
    """The claim of the node that a pod runs on."""
    node = live.store.read(gvk.NODE).get(key_of(None, name))
    return {"name": name} if node is None else {"name": name, "uid": node["metadata"]["uid"]}
