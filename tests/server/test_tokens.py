from __future__ import annotations

import asyncio
import base64
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils

from kubestage.errors import InputError
from kubestage.server.identity import web_tokens
from kubestage.server.identity.issuer import Issuer
from kubestage.stage import Stage
from tests.server import calling

if TYPE_CHECKING:
    import pathlib

ACCOUNTS = "/api/v1/namespaces/default/serviceaccounts"
SELF = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
REVIEWS = "/apis/authentication.k8s.io/v1/tokenreviews"
ISSUER = "https://kubernetes.default.svc.cluster.local"


class Cluster:
    """A served stage with the account bob, and a pod that runs as it."""

    def __init__(self) -> None:
        self.stage = Stage(start="2026-05-01T00:00:00Z")
        account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "bob"}}
        self.account = self.stage.store.create(account)
        container = {"name": "c", "image": "i"}
        spec = {"serviceAccountName": "bob", "containers": [container]}
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": spec}
        self.pod = self.stage.store.create(pod)
        self.issuer = Issuer()

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """One request to a server of its own, which ends with it."""

        async def story() -> Any:
            app = calling.application(self.stage)
            app.live.issuer = self.issuer
            answer = await calling.call(app, method, path, body, headers)
            app.live.durability.close()
            return answer

        return asyncio.run(story())

    def ask(self, body: Any = None, name: str = "bob") -> Any:
        return self.call("POST", f"{ACCOUNTS}/{name}/token", body or {})

    def review(self, token: str, **spec: Any) -> Any:
        answer = self.call("POST", REVIEWS, {"spec": {"token": token, **spec}})
        assert answer.status == 201
        return answer.json["status"]


def test_a_token_lasts_for_an_hour_of_virtual_time() -> None:
    cluster = Cluster()
    answer = cluster.ask()
    assert answer.status == 201
    assert answer.json["status"]["expirationTimestamp"] == "2026-05-01T01:00:00Z"
    assert answer.json["spec"] == {
        "audiences": [ISSUER],
        "expirationSeconds": 3600,
        "boundObjectRef": None,
    }
    assert answer.json["metadata"]["uid"] == cluster.account["metadata"]["uid"]


def test_a_token_is_known_again_until_it_expires() -> None:
    cluster = Cluster()
    token = cluster.ask({"spec": {"expirationSeconds": 600}}).json["status"]["token"]
    known = cluster.review(token)
    assert known["authenticated"] is True
    assert known["user"]["username"] == "system:serviceaccount:default:bob"
    assert known["audiences"] == [ISSUER]
    assert cluster.review(token, audiences=["moon"]).get("authenticated") is None
    cluster.stage.run("10m")
    assert cluster.review(token)["authenticated"] is True, "clocks may differ by a minute"
    cluster.stage.run("61s")
    assert "expired" in cluster.review(token)["error"]


def test_a_token_of_an_account_that_is_gone_is_void() -> None:
    cluster = Cluster()
    token = cluster.ask().json["status"]["token"]
    cluster.call("DELETE", f"{ACCOUNTS}/bob")
    assert cluster.review(token)["user"] == {}


@pytest.mark.parametrize("token", ["x", "a.b.c", "", "ä.ö.ü"])
def test_what_is_not_ours_is_nobodys(token: str) -> None:
    cluster = Cluster()
    if token:
        assert cluster.review(token)["user"] == {}
    good = cluster.ask().json["status"]["token"]
    head, payload, signature = good.split(".")
    assert cluster.review(f"{head}.{payload}x.{signature}")["user"] == {}


@pytest.mark.parametrize(
    ("seconds", "problem"),
    [
        (599, "may not specify a duration less than 10 minutes"),
        (2**32 + 1, "may not specify a duration larger than 2^32 seconds"),
    ],
)
def test_a_token_lasts_neither_too_short_nor_too_long(seconds: int, problem: str) -> None:
    refused = Cluster().ask({"spec": {"expirationSeconds": seconds}})
    assert refused.status == 422
    assert refused.json["message"] == (
        'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: '
        f"Invalid value: {seconds}: {problem}"
    )


def test_a_token_is_bound_to_what_is_there() -> None:
    cluster = Cluster()

    def bound(**reference: str) -> Any:
        known = {"apiVersion": "v1", "kind": "Pod", "name": "p", **reference}
        return cluster.ask({"spec": {"boundObjectRef": known}})

    assert bound().status == 201
    assert bound(uid=cluster.pod["metadata"]["uid"]).status == 201
    assert bound(uid="other").status == 409
    assert bound(name="gone").status == 404
    refused = bound(kind="ConfigMap")
    assert refused.json["message"] == "cannot bind token to object of type /v1, Kind=ConfigMap"


def test_a_pod_of_another_account_is_not_to_be_bound_to() -> None:
    cluster = Cluster()
    account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "eve"}}
    cluster.stage.store.create(account)
    reference = {"apiVersion": "v1", "kind": "Pod", "name": "p"}
    refused = cluster.ask({"spec": {"boundObjectRef": reference}}, "eve")
    assert refused.status == 400
    assert "different serviceaccount name" in refused.json["message"]


def test_a_request_names_the_account_of_its_path_or_none() -> None:
    cluster = Cluster()
    assert cluster.ask({"metadata": {"name": "bob"}}).status == 201
    assert cluster.ask({"metadata": {"name": "eve"}}).status == 422
    assert cluster.ask({"metadata": {"uid": "other"}}).status == 409
    assert cluster.ask({"metadata": {"namespace": "other"}}).status == 400
    assert cluster.ask(name="nobody").status == 404


def bearer(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}


def test_a_request_with_a_token_is_that_accounts() -> None:
    cluster = Cluster()
    reference = {"apiVersion": "v1", "kind": "Pod", "name": "p"}
    token = cluster.ask({"spec": {"boundObjectRef": reference}}).json["status"]["token"]
    answer = cluster.call("POST", SELF, {}, **bearer(token))
    assert answer.status == 201
    user = answer.json["status"]["userInfo"]
    uid, pod = cluster.account["metadata"]["uid"], cluster.pod["metadata"]
    (credential,) = user["extra"].pop("authentication.kubernetes.io/credential-id")
    assert credential.startswith("JTI=")
    assert user == {
        "username": "system:serviceaccount:default:bob",
        "uid": uid,
        "groups": [
            "system:serviceaccounts",
            "system:serviceaccounts:default",
            "system:authenticated",
        ],
        "extra": {
            "authentication.kubernetes.io/pod-name": ["p"],
            "authentication.kubernetes.io/pod-uid": [pod["uid"]],
        },
    }
    impersonating = cluster.call("POST", SELF, {}, **bearer(token), **{"impersonate-user": "eve"})
    assert impersonating.json["status"]["userInfo"]["username"] == "eve"


def test_a_request_with_a_void_token_is_unauthorized() -> None:
    cluster = Cluster()
    reference = {"apiVersion": "v1", "kind": "Pod", "name": "p"}
    token = cluster.ask({"spec": {"boundObjectRef": reference}}).json["status"]["token"]
    other = cluster.ask({"spec": {"audiences": ["vault"]}}).json["status"]["token"]
    assert cluster.call("GET", "/api/v1/nodes", **bearer(other)).status == 401
    assert cluster.review(other, audiences=["vault", "x"])["audiences"] == ["vault"]
    assert cluster.call("GET", "/api/v1/nodes", **bearer(token)).status == 200
    cluster.call("DELETE", "/api/v1/namespaces/default/pods/p", {"gracePeriodSeconds": 0})
    refused = cluster.call("GET", "/api/v1/nodes", **bearer(token))
    assert (refused.status, refused.json["message"]) == (401, "Unauthorized")
    assert cluster.review(token)["error"] == (
        "[invalid bearer token, service account token has been invalidated]"
    )
    # What is not from here means nothing: this server needs no token.
    assert cluster.call("GET", "/api/v1/nodes", **bearer("opaque")).status == 200


def test_the_tokens_of_volumes_warn_before_they_expire() -> None:
    cluster = Cluster()
    reference = {"apiVersion": "v1", "kind": "Pod", "name": "p"}
    spec = {"expirationSeconds": 3607, "boundObjectRef": reference}
    granted = cluster.ask({"spec": spec}).json["status"]
    claims = web_tokens.claims_of(granted["token"])
    assert claims is not None
    assert claims["kubernetes.io"]["warnafter"] == claims["iat"] + 3607
    assert claims["exp"] == claims["iat"] + 365 * 24 * 3600
    assert granted["expirationTimestamp"] == "2026-05-01T01:00:07Z"


def test_others_can_check_tokens_with_the_published_keys() -> None:
    cluster = Cluster()
    configuration = cluster.call("GET", "/.well-known/openid-configuration", host="here:1").json
    assert configuration == {
        "issuer": ISSUER,
        "jwks_uri": "http://here:1/openid/v1/jwks",
        "response_types_supported": ["id_token"],
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": ["ES256"],
    }
    answer = cluster.call("GET", "/openid/v1/jwks")
    assert answer.header("content-type") == ["application/jwk-set+json"]
    (key,) = answer.json["keys"]
    numbers = (_decoded(key[name]) for name in ("x", "y"))
    x, y = (int.from_bytes(each) for each in numbers)
    public = ec.EllipticCurvePublicNumbers(x, y, ec.SECP256R1()).public_key()
    token = cluster.ask().json["status"]["token"]
    text, _, signature = token.rpartition(".")
    assert msgspec.json.decode(_decoded(text.partition(".")[0])) == {
        "alg": "ES256",
        "kid": key["kid"],
    }
    raw = _decoded(signature)
    first, second = int.from_bytes(raw[:32]), int.from_bytes(raw[32:])
    encoded = utils.encode_dss_signature(first, second)
    public.verify(encoded, text.encode(), ec.ECDSA(hashes.SHA256()))


def test_a_key_is_kept_in_the_home_of_the_server(tmp_path: pathlib.Path) -> None:
    key = Issuer(tmp_path).key
    assert Issuer(tmp_path).key.key_id == key.key_id
    (tmp_path / "service-account.key").write_text("junk")
    with pytest.raises(InputError, match="holds no private key"):
        Issuer(tmp_path).key  # noqa: B018


def test_the_token_of_the_server_is_the_administrators() -> None:
    cluster = Cluster()
    cluster.issuer = Issuer(token="the-servers-own-token")
    known = cluster.review("the-servers-own-token")
    assert known["authenticated"] is True
    assert known["user"]["username"] == "admin"
    assert cluster.review("another-token") == {"user": {}, "error": "invalid bearer token"}


def _decoded(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
