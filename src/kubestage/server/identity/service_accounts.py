"""Whose token it is: the claims of a token, compared with the accounts and objects that exist."""

from __future__ import annotations

import base64
import hmac
from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.golang import quote
from kubestage.objects import timestamps
from kubestage.server.identity.issuer import ISSUER, LEGACY_ISSUER
from kubestage.store.collection import key_of
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.aliases import Json
    from kubestage.server.live import Live

INVALID: Final = "invalid bearer token"
_SECRET: Final = ("v1", "Secret")
_LEEWAY_S: Final = 60
_VOID: Final = "service account token has been invalidated"
_LEGACY_VOID: Final = "Token has been invalidated"
_EXTRA: Final = "authentication.kubernetes.io"
_LAST_USED: Final = "kubernetes.io/legacy-token-last-used"
_INVALID_SINCE: Final = "kubernetes.io/legacy-token-invalid-since"
_PREFIX: Final = "kubernetes.io/serviceaccount"
_BOUND: Final = {"secret": ("Secret", True), "pod": ("Pod", True), "node": ("Node", False)}


class TokenOwner(NamedTuple):
    """The account of a token, as a user, and for whom the token is good."""

    user: Json
    audiences: list[str]


def owner(live: Live, token: str, audiences: Sequence[str] = ()) -> TokenOwner | str:
    """The owner of a token that says it was signed here, or why it is void."""
    claims = live.issuer.claims(token)
    if claims is None:
        return "go-jose/go-jose: error in cryptographic primitive"
    expected = audiences or [ISSUER]
    held = claims.get("aud") or [ISSUER]
    shared = [each for each in held if each in expected]
    if not shared:
        return (
            f"token audiences {_listed(held)} is invalid for the target audiences "
            f"{_listed(expected)}"
        )
    problem = (
        _legacy_problem(live, claims, token)
        if claims["iss"] == LEGACY_ISSUER
        else _problem(live, claims)
    )
    return problem or TokenOwner(_user(claims), shared)


def groups_of(namespace: str) -> list[str]:
    """The groups of every account of a namespace."""
    return ["system:serviceaccounts", f"system:serviceaccounts:{namespace}"]


def _user(claims: Json) -> Json:
    if claims["iss"] == LEGACY_ISSUER:
        namespace, uid = claims[f"{_PREFIX}/namespace"], claims[f"{_PREFIX}/service-account.uid"]
        extra = {}
    else:
        private = claims["kubernetes.io"]
        namespace, uid = private["namespace"], private["serviceaccount"]["uid"]
        extra = _extra(claims, private)
    groups = [*groups_of(namespace), "system:authenticated"]
    user = {"username": claims["sub"], "uid": uid, "groups": groups}
    return {**user, "extra": extra} if extra else user


def _extra(claims: Json, private: Json) -> Json:
    extra = {f"{_EXTRA}/credential-id": [f"JTI={claims['jti']}"]}
    for part in ("node", "pod"):
        reference = private.get(part)
        if reference is not None:
            extra[f"{_EXTRA}/{part}-name"] = [reference["name"]]
            if reference.get("uid"):
                extra[f"{_EXTRA}/{part}-uid"] = [reference["uid"]]
    return dict(sorted(extra.items()))


def _problem(live: Live, claims: Json) -> str:
    """Why a token is void whose signature is good; empty if it is not."""
    now_s = live.stage.clock.unix_ns // SECOND_NS
    if now_s > claims["exp"] + _LEEWAY_S:
        return "service account token has expired"
    if now_s < claims["nbf"] - _LEEWAY_S:
        return "service account token is not valid yet"
    private = claims["kubernetes.io"]
    namespace, account = private["namespace"], private["serviceaccount"]
    problem = _account_problem(live, namespace, account["name"], account["uid"])
    if problem:
        return problem
    for part, (kind, is_namespaced) in _BOUND.items():
        reference = private.get(part)
        if reference is None or (part == "node" and "pod" in private):
            continue
        found = _find(live, kind, namespace if is_namespaced else None, reference["name"])
        if found is None or _is_deleted(live, found):
            return _VOID
        uid = found["metadata"]["uid"]
        if uid != reference["uid"]:
            return (
                f"{part} UID ({uid}) does not match service account {part} ref claim "
                f"({reference['uid']})"
            )
    return ""


def _account_problem(live: Live, namespace: str, name: str, uid: str) -> str:
    account = _find(live, "ServiceAccount", namespace, name)
    if account is None:
        return f'serviceaccounts "{name}" not found'
    known = account["metadata"]["uid"]
    if known != uid:
        return f"service account UID ({known}) does not match claim ({uid})"
    if _is_deleted(live, account):
        return f"service account {namespace}/{name} has been deleted"
    return ""


def _legacy_problem(live: Live, claims: Json, token: str) -> str:
    """As above, for a token that a Secret holds. That it was used is noted on the Secret."""
    namespace = claims[f"{_PREFIX}/namespace"]
    secret = _find(live, "Secret", namespace, claims[f"{_PREFIX}/secret.name"])
    if secret is None or "deletionTimestamp" in secret["metadata"]:
        return _LEGACY_VOID
    held = (secret.get("data") or {}).get("token") or ""
    if not hmac.compare_digest(base64.b64encode(token.encode()), held.encode()):
        return "Token does not match server's copy"
    name, uid = claims[f"{_PREFIX}/service-account.name"], claims[f"{_PREFIX}/service-account.uid"]
    problem = _account_problem(live, namespace, name, uid)
    if problem:
        return problem
    _note_use(live, secret)
    if (secret["metadata"].get("labels") or {}).get(_INVALID_SINCE):
        return (
            f"the token in secret {namespace}/{secret['metadata']['name']} for service account "
            f"{namespace}/{name} has been marked invalid. Use tokens from the TokenRequest API or "
            "manually created secret-based tokens, or remove the "
            f"'{_INVALID_SINCE}' label from the secret to temporarily allow use of this token"
        )
    return ""


def _note_use(live: Live, secret: Json) -> None:
    today = timestamps.format_time(live.stage.clock.unix_ns)[:10]
    metadata = secret["metadata"]
    if live.read_only or (metadata.get("labels") or {}).get(_LAST_USED) == today:
        return
    change = {"metadata": {"labels": {_LAST_USED: today}}}
    live.store.patch(
        _SECRET,
        metadata["name"],
        change,
        metadata["namespace"],
        manager="kube-apiserver",
    )


def _find(live: Live, kind: str, namespace: str | None, name: str) -> Json | None:
    return live.store.read(("v1", kind)).get(key_of(namespace, name))


def _is_deleted(live: Live, obj: Json) -> bool:
    """Whether an object was to be gone a while ago."""
    ends = obj["metadata"].get("deletionTimestamp")
    if ends is None:
        return False
    return timestamps.parse_time(ends) < live.stage.clock.unix_ns - _LEEWAY_S * SECOND_NS


def _listed(texts: Sequence[str]) -> str:
    return "[" + " ".join(quote.quote(each) for each in texts) + "]"
