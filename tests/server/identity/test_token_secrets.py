from __future__ import annotations

import asyncio
import base64
from typing import TYPE_CHECKING, Any

from kubestage.server.identity import web_tokens
from tests.server.identity.clusters import served_cluster

if TYPE_CHECKING:
    from tests.server.identity.clusters import Cluster

ACCOUNTS = "/api/v1/namespaces/default/serviceaccounts"
SECRETS = "/api/v1/namespaces/default/secrets"
SELF = "/apis/authentication.k8s.io/v1/selfsubjectreviews"


def secret(name: str = "key", account: str = "bob") -> dict[str, Any]:
    return {
        "metadata": {"name": name, "annotations": {"kubernetes.io/service-account.name": account}},
        "type": "kubernetes.io/service-account-token",
    }


async def with_token(cluster: Cluster) -> str:
    assert (await cluster.call("POST", ACCOUNTS, {"metadata": {"name": "bob"}})).status == 201
    assert (await cluster.call("POST", SECRETS, secret())).status == 201
    data = (await cluster.call("GET", f"{SECRETS}/key")).json["data"]
    return base64.b64decode(data["token"]).decode()


def test_a_secret_gets_the_token_of_its_account() -> None:
    async def story() -> None:
        async with served_cluster() as cluster:
            token = await with_token(cluster)
            found = (await cluster.call("GET", f"{SECRETS}/key")).json
            account = (await cluster.call("GET", f"{ACCOUNTS}/bob")).json
            assert base64.b64decode(found["data"]["namespace"]) == b"default"
            assert base64.b64decode(found["data"]["ca.crt"]).startswith(b"-----BEGIN CERT")
            uid = account["metadata"]["uid"]
            assert found["metadata"]["annotations"]["kubernetes.io/service-account.uid"] == uid
            assert web_tokens.claims_of(token) == {
                "iss": "kubernetes/serviceaccount",
                "kubernetes.io/serviceaccount/namespace": "default",
                "kubernetes.io/serviceaccount/secret.name": "key",
                "kubernetes.io/serviceaccount/service-account.name": "bob",
                "kubernetes.io/serviceaccount/service-account.uid": uid,
                "sub": "system:serviceaccount:default:bob",
            }

    asyncio.run(story())


def test_that_token_is_good_while_secret_and_account_are_there() -> None:
    async def story() -> None:
        async with served_cluster() as cluster:
            bearer = {"authorization": f"Bearer {await with_token(cluster)}"}
            answer = await cluster.call("POST", SELF, {}, **bearer)
            user = answer.json["status"]["userInfo"]
            assert user["username"] == "system:serviceaccount:default:bob"
            labels = (await cluster.call("GET", f"{SECRETS}/key")).json["metadata"]["labels"]
            assert labels == {"kubernetes.io/legacy-token-last-used": "2026-05-01"}
            await cluster.call("DELETE", f"{SECRETS}/key")
            assert (await cluster.call("POST", SELF, {}, **bearer)).status == 401

    asyncio.run(story())


def test_tokens_go_with_their_account_and_need_one() -> None:
    async def story() -> None:
        async with served_cluster() as cluster:
            await with_token(cluster)
            await cluster.call("DELETE", f"{ACCOUNTS}/bob")
            assert (await cluster.call("GET", f"{SECRETS}/key")).status == 404
            assert (await cluster.call("POST", SECRETS, secret("other", "eve"))).status == 201
            assert (await cluster.call("GET", f"{SECRETS}/other")).status == 404

    asyncio.run(story())


def test_an_account_forgets_a_secret_that_is_gone() -> None:
    async def story() -> None:
        async with served_cluster() as cluster:
            await with_token(cluster)
            account = (await cluster.call("GET", f"{ACCOUNTS}/bob")).json
            account["secrets"] = [{"name": "key"}, {"name": "other"}]
            assert (await cluster.call("PUT", f"{ACCOUNTS}/bob", account)).status == 200
            await cluster.call("DELETE", f"{SECRETS}/key")
            account = (await cluster.call("GET", f"{ACCOUNTS}/bob")).json
            assert account["secrets"] == [{"name": "other"}]

    asyncio.run(story())


def test_a_server_with_a_token_of_its_own_knows_those_of_accounts_too() -> None:
    async def story() -> None:
        async with served_cluster("the-servers-own-token") as cluster:
            assert (await cluster.call("GET", ACCOUNTS)).status == 401
            administrator = {"authorization": "Bearer the-servers-own-token"}
            body = {"metadata": {"name": "bob"}}
            assert (await cluster.call("POST", ACCOUNTS, body, **administrator)).status == 201
            path = f"{ACCOUNTS}/bob/token"
            token = (await cluster.call("POST", path, {}, **administrator)).json["status"]["token"]
            bearer = {"authorization": f"Bearer {token}"}
            assert (await cluster.call("GET", ACCOUNTS, **bearer)).status == 200
            forged = {"authorization": f"Bearer {token[:-4]}AAAA"}
            assert (await cluster.call("GET", ACCOUNTS, **forged)).status == 401
            assert (await cluster.call("GET", f"/clusters/nowhere{ACCOUNTS}", **bearer)).status

    asyncio.run(story())
