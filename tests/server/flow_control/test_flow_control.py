from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from tests.server.identity.clusters import served_cluster

if TYPE_CHECKING:
    from tests.server.identity.clusters import Cluster

API = "/apis/flowcontrol.apiserver.k8s.io/v1"
SCHEMAS, LEVELS = f"{API}/flowschemas", f"{API}/prioritylevelconfigurations"


def level(name: str, shares: int = 1) -> dict[str, Any]:
    limited = {"nominalConcurrencyShares": shares, "limitResponse": {"type": "Reject"}}
    return {"metadata": {"name": name}, "spec": {"type": "Limited", "limited": limited}}


def schema(name: str, precedence: int, level: str, *rules: Any) -> dict[str, Any]:
    return {
        "metadata": {"name": name},
        "spec": {
            "matchingPrecedence": precedence,
            "priorityLevelConfiguration": {"name": level},
            "rules": list(rules),
        },
    }


def user(name: str) -> dict[str, Any]:
    return {"kind": "User", "user": {"name": name}}


def group(name: str) -> dict[str, Any]:
    return {"kind": "Group", "group": {"name": name}}


def account(namespace: str, name: str) -> dict[str, Any]:
    return {"kind": "ServiceAccount", "serviceAccount": {"namespace": namespace, "name": name}}


def everything(*subjects: Any) -> dict[str, Any]:
    resources = {
        "verbs": ["*"], "apiGroups": ["*"], "resources": ["*"], "namespaces": ["*"],
        "clusterScope": True,
    }  # fmt: skip
    paths = {"verbs": ["*"], "nonResourceURLs": ["*"]}
    return {"subjects": list(subjects), "resourceRules": [resources], "nonResourceRules": [paths]}


def about(resource: str, *subjects: Any, **fields: Any) -> dict[str, Any]:
    rule = {"verbs": ["list"], "apiGroups": [""], "resources": [resource], **fields}
    return {"subjects": list(subjects), "resourceRules": [rule]}


async def made(cluster: Cluster, path: str, body: Any) -> str:
    answer = await cluster.call("POST", path, body)
    assert answer.status == 201, answer.json
    uid: str = answer.json["metadata"]["uid"]
    return uid


async def uids(cluster: Cluster, path: str, **headers: str) -> tuple[str, str]:
    """The schema and the level that a response reports."""
    answer = await cluster.call("GET", path, **headers)
    schemas = answer.header("x-kubernetes-pf-flowschema-uid")
    levels = answer.header("x-kubernetes-pf-prioritylevel-uid")
    return (schemas or [""])[0], (levels or [""])[0]


def as_user(name: str, *groups: str) -> dict[str, str]:
    return {"impersonate-user": name, "impersonate-group": ",".join(groups)}


def test_every_response_names_the_first_schema_that_matches() -> None:
    async def story() -> None:
        async with served_cluster() as cluster:
            assert await uids(cluster, "/version") == ("", "")
            first, second = [await made(cluster, LEVELS, level(each)) for each in ("a", "b")]
            rest = await made(
                cluster,
                SCHEMAS,
                schema("rest", 9000, "a", everything(group("system:authenticated"))),
            )
            assert await uids(cluster, "/version") == (rest, first)
            bob = await made(cluster, SCHEMAS, schema("bob", 1000, "b", everything(user("bob"))))
            assert await uids(cluster, "/version", **as_user("bob")) == (bob, second)
            assert await uids(cluster, "/api/v1/nodes", **as_user("eve")) == (rest, first)
            early = await made(cluster, SCHEMAS, schema("a", 1000, "a", everything(user("bob"))))
            assert await uids(cluster, "/version", **as_user("bob")) == (early, first)
            await cluster.call("DELETE", f"{LEVELS}/a")
            assert await uids(cluster, "/version", **as_user("bob")) == (bob, second)
            assert await uids(cluster, "/version", **as_user("eve")) == ("", "")

    asyncio.run(story())


def test_rules_are_about_resources_namespaces_and_paths() -> None:
    async def story() -> None:
        async with served_cluster() as cluster:
            await made(cluster, LEVELS, level("a"))
            masters = group("system:masters")
            pods = about("pods", masters, namespaces=["default"])
            pods_uid = await made(cluster, SCHEMAS, schema("pods", 10, "a", pods))
            nodes = about("nodes", masters, clusterScope=True)
            nodes_uid = await made(cluster, SCHEMAS, schema("nodes", 20, "a", nodes))
            paths = {
                "subjects": [masters],
                "nonResourceRules": [
                    {"verbs": ["get"], "nonResourceURLs": ["/healthz", "/apis/*"]}
                ],
            }
            paths_uid = await made(cluster, SCHEMAS, schema("paths", 30, "a", paths))

            async def found(path: str) -> str:
                return (await uids(cluster, path))[0]

            assert await found("/api/v1/namespaces/default/pods") == pods_uid
            assert await found("/api/v1/namespaces/kube-system/pods") == ""
            assert await found("/api/v1/pods") == ""
            assert await found("/api/v1/nodes") == nodes_uid
            assert await found("/api/v1/nodes/x") == ""
            assert await found("/healthz") == await found("/healthz/ping") == paths_uid
            assert await found("/apis/apps") == paths_uid
            assert await found("/livez") == ""

    asyncio.run(story())


def test_accounts_are_matched_one_by_one_or_by_namespace() -> None:
    async def story() -> None:
        async with served_cluster() as cluster:
            await made(cluster, LEVELS, level("a"))
            one = await made(
                cluster, SCHEMAS, schema("one", 10, "a", everything(account("x", "bob")))
            )
            every = await made(
                cluster, SCHEMAS, schema("all", 20, "a", everything(account("x", "*")))
            )
            for name, expected in (("x:bob", one), ("x:eve", every), ("xy:eve", "")):
                caller = as_user(f"system:serviceaccount:{name}")
                assert (await uids(cluster, "/version", **caller))[0] == expected

    asyncio.run(story())


def test_a_schema_reports_whether_its_level_exists() -> None:
    async def story() -> None:
        async with served_cluster() as cluster:
            await made(cluster, SCHEMAS, schema("s", 1000, "later", everything(user("bob"))))

            async def condition() -> Any:
                (found,) = (await cluster.call("GET", f"{SCHEMAS}/s")).json["status"]["conditions"]
                return found

            dangling = await condition()
            assert (dangling["type"], dangling["status"]) == ("Dangling", "True")
            assert (dangling["reason"], dangling["message"]) == (
                "NotFound",
                (
                    "This FlowSchema references the PriorityLevelConfiguration object named "
                    '"later" but there is no such object'
                ),
            )
            await made(cluster, LEVELS, level("later"))
            found = await condition()
            assert (found["status"], found["reason"]) == ("False", "Found")

    asyncio.run(story())


def test_metrics_have_seats_and_requests() -> None:
    async def story() -> None:
        async with served_cluster() as cluster:
            for name, shares in (("a", 30), ("b", 10)):
                await made(cluster, LEVELS, level(name, shares))
            await made(cluster, SCHEMAS, schema("s", 1000, "a", everything(user("bob"))))
            for _ in range(3):
                await cluster.call("GET", "/version", **as_user("bob"))
            text = (await cluster.call("GET", "/metrics")).body.decode()
            seats = "apiserver_flowcontrol_nominal_limit_seats"
            assert f'{seats}{{priority_level="a"}} 450' in text
            assert f'{seats}{{priority_level="b"}} 150' in text
            requests = "apiserver_flowcontrol_dispatched_requests_total"
            assert f'{requests}{{flow_schema="s",priority_level="a"}} 3' in text

    asyncio.run(story())
