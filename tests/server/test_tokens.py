from __future__ import annotations

import asyncio
from typing import Any

import pytest

from kubestage.stage import Stage
from tests.server import calling

ACCOUNTS = "/api/v1/namespaces/default/serviceaccounts"
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

    def call(self, method: str, path: str, body: Any = None) -> Any:
        """One request to a server of its own, which ends with it."""

        async def story() -> Any:
            app = calling.application(self.stage)
            answer = await calling.call(app, method, path, body)
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
