"""Requests of users who may not do everything."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from kubestage.server import callers
from kubestage.server.bootstrap import installing
from kubestage.stage import Stage
from kubestage.store.bootstrap import Bootstrap
from kubestage.testing import make_node, make_pod
from tests.deadlines import HANG_S
from tests.server.clusters import PODS, Server, serving

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

RBAC = "/apis/rbac.authorization.k8s.io/v1"
GROUP = "rbac.authorization.k8s.io"
IN_DEFAULT = "/api/v1/namespaces/default"
BOB = {"impersonate-user": "bob"}
KUBELET = {"impersonate-user": "system:node:n1", "impersonate-group": "system:nodes"}
REVIEWS = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
POLICY = "/apis/admissionregistration.k8s.io/v1"


def tell(story: Callable[[Server], Awaitable[None]], *modes: str) -> None:
    async def told() -> None:
        stage = Stage()
        stage.add_controllers()
        installing.install(stage, Bootstrap(address="10.0.0.1", port=6443, certificate=""))
        stage.apply([make_node("n1"), make_node("n2")])
        stage.run("10s")
        modes_of = modes or ("Node", "RBAC")
        async with serving(stage, scheduler="none", authorization_modes=modes_of) as server:
            await story(server)

    asyncio.run(asyncio.wait_for(told(), HANG_S))


def bound(role: str, user: str = "bob", namespace: str = "") -> tuple[str, dict[str, Any]]:
    """The path and the body of a binding."""
    place = f"/namespaces/{namespace}/rolebindings" if namespace else "/clusterrolebindings"
    kind = "RoleBinding" if namespace else "ClusterRoleBinding"
    body = {
        "apiVersion": f"{GROUP}/v1", "kind": kind, "metadata": {"name": f"{user}-{role}"},
        "roleRef": {"apiGroup": GROUP, "kind": "ClusterRole", "name": role},
        "subjects": [{"apiGroup": GROUP, "kind": "User", "name": user}],
    }  # fmt: skip
    return RBAC + place, body


def test_a_user_without_a_role_is_refused_until_one_is_bound() -> None:
    async def story(server: Server) -> None:
        why = await server.refused(403, "GET", PODS, headers=BOB)
        assert why == (
            'pods is forbidden: User "bob" cannot list resource "pods" in API group "" at the '
            "cluster scope"
        )
        await server.call("POST", *bound("view", namespace="default"))
        await server.call("GET", f"{IN_DEFAULT}/pods", headers=BOB)
        await server.refused(403, "GET", PODS, headers=BOB)
        await server.refused(403, "GET", f"{IN_DEFAULT}/secrets", headers=BOB)
        await server.call("DELETE", f"{RBAC}/namespaces/default/rolebindings/bob-view")
        await server.refused(403, "GET", f"{IN_DEFAULT}/pods", headers=BOB)

    tell(story)


def test_what_everybody_may_read() -> None:
    async def story(server: Server) -> None:
        for path in ("/version", "/api", "/apis", "/openapi/v3", "/livez"):
            assert (await server.ask("GET", path, headers=BOB)).status == 200, path
        for path in ("/kubestage/v1/clock", "/metrics", "/metrics/slis"):
            assert (await server.ask("GET", path, headers=BOB)).status == 403, path
        assert (await server.ask("GET", "/metrics")).status == 200

    tell(story)


def test_with_always_allow_nobody_is_refused() -> None:
    async def story(server: Server) -> None:
        await server.call("GET", PODS, headers=BOB)
        review = {"spec": {"resourceAttributes": {"verb": "delete", "resource": "nodes"}}}
        assert (await server.call("POST", REVIEWS, review, headers=BOB))["status"]["allowed"]

    tell(story, "AlwaysAllow")


def test_reviews_say_what_requests_meet() -> None:
    async def story(server: Server) -> None:
        spec = {"resourceAttributes": {"verb": "list", "resource": "pods"}}
        answer = await server.call("POST", REVIEWS, {"spec": spec}, headers=BOB)
        assert answer["status"] == {"allowed": False}
        await server.call("POST", *bound("view"))
        answer = await server.call("POST", REVIEWS, {"spec": spec}, headers=BOB)
        reason = (
            'RBAC: allowed by ClusterRoleBinding "bob-view" of ClusterRole "view" to User "bob"'
        )
        assert answer["status"] == {"allowed": True, "reason": reason}
        rules = "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews"
        body = {"spec": {"namespace": "default"}}
        found = (await server.call("POST", rules, body, headers=BOB))["status"]
        assert any("configmaps" in each["resources"] for each in found["resourceRules"])

    tell(story)


def test_nobody_grants_what_they_may_not_do() -> None:
    async def story(server: Server) -> None:
        await server.call("POST", *bound("admin", namespace="default"))
        path, body = bound("edit", "eve", "default")
        await server.call("POST", path, body, headers=BOB)
        role = {
            "apiVersion": f"{GROUP}/v1", "kind": "Role", "metadata": {"name": "nodes"},
            "rules": [{"verbs": ["get"], "apiGroups": [""], "resources": ["nodes"]}],
        }  # fmt: skip
        roles = f"{RBAC}/namespaces/default/roles"
        why = await server.refused(403, "POST", roles, role, headers=BOB)
        assert why == (
            'roles.rbac.authorization.k8s.io "nodes" is forbidden: user "bob" '
            '(groups=["system:authenticated"]) is attempting to grant RBAC permissions not '
            'currently held:\n{APIGroups:[""], Resources:["nodes"], Verbs:["get"]}'
        )
        path, body = bound("cluster-admin", "eve", "default")
        assert "not currently held" in await server.refused(403, "POST", path, body, headers=BOB)
        await server.call("POST", roles, role)
        changed = {**role, "metadata": {"name": "nodes", "labels": {"a": "b"}}}
        why = await server.refused(403, "PUT", f"{roles}/nodes", changed, headers=BOB)
        assert "not currently held" in why

    tell(story)


def test_escalate_and_bind_are_verbs() -> None:
    async def story(server: Server) -> None:
        free = {
            "apiVersion": f"{GROUP}/v1", "kind": "ClusterRole", "metadata": {"name": "free"},
            "rules": [{"verbs": ["*"], "apiGroups": [GROUP], "resources": ["*"]}],
        }  # fmt: skip
        await server.call("POST", f"{RBAC}/clusterroles", free)
        await server.call("POST", *bound("free"))
        await server.call("POST", *bound("cluster-admin", "eve"), headers=BOB)
        await server.call("DELETE", "/api/v1/nodes/n2", headers={"impersonate-user": "eve"})

    tell(story)


def test_to_impersonate_has_to_be_allowed() -> None:
    async def story(server: Server) -> None:
        account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "robot"}}
        accounts = f"{IN_DEFAULT}/serviceaccounts"
        await server.call("POST", accounts, account)
        token = await server.call("POST", f"{accounts}/robot/token", {"spec": {}})
        sent = {"authorization": f"Bearer {token['status']['token']}"}
        why = await server.refused(403, "GET", PODS, headers=sent)
        assert '"system:serviceaccount:default:robot" cannot list resource "pods"' in why
        why = await server.refused(403, "GET", PODS, headers={**sent, **BOB})
        assert 'cannot impersonate resource "users"' in why
        await server.call("POST", *bound("cluster-admin", "system:serviceaccount:default:robot"))
        await server.refused(403, "GET", PODS, headers={**sent, **BOB})
        assert callers.is_implied("bob", "system:authenticated")

    tell(story)


def test_kubelets_change_only_their_own_node() -> None:
    async def story(server: Server) -> None:
        async def why(method: str, path: str, body: Any = None) -> str:
            kind = "application/merge-patch+json" if method == "PATCH" else "application/json"
            sent = {**KUBELET, "content-type": kind}
            return await server.refused(403, method, path, body, headers=sent)

        label = {"metadata": {"labels": {"a": "b"}}}
        assert "cannot get" not in await why("PATCH", "/api/v1/nodes/n2", label)
        assert 'node "n1" is not allowed to modify node "n2"' in await why(
            "PATCH", "/api/v1/nodes/n2", label
        )
        reserved = {"metadata": {"labels": {"kubernetes.io/x": "y"}}}
        assert "is not allowed to modify labels: kubernetes.io/x" in await why(
            "PATCH", "/api/v1/nodes/n1", reserved
        )
        tainted = {"spec": {"taints": [{"key": "a", "effect": "NoSchedule"}]}}
        assert "modify taints" in await why("PATCH", "/api/v1/nodes/n1", tainted)
        assert 'is not allowed to modify node "foo"' in await why(
            "POST", "/api/v1/nodes", make_node("foo")
        )
        await why("DELETE", "/api/v1/nodes/n1")
        assert "can only create mirror pods" in await why(
            "POST", f"{IN_DEFAULT}/pods", make_pod("p", node_name="n1")
        )
        await server.call("POST", f"{IN_DEFAULT}/pods", make_pod("there", node_name="n2"))
        await server.call("POST", f"{IN_DEFAULT}/pods", make_pod("here", node_name="n1"))
        assert "can only delete pods with spec.nodeName set to itself" in await why(
            "DELETE", f"{IN_DEFAULT}/pods/there"
        )
        eviction = {"metadata": {"name": "there"}}
        assert "can only evict pods" in await why(
            "POST", f"{IN_DEFAULT}/pods/there/eviction", eviction
        )
        assert "not bound to a pod" in await why(
            "POST", f"{IN_DEFAULT}/serviceaccounts/default/token", {"spec": {}}
        )
        await server.call("DELETE", f"{IN_DEFAULT}/pods/here", headers=KUBELET)
        sent = {**KUBELET, "content-type": "application/merge-patch+json"}
        await server.call("PATCH", "/api/v1/nodes/n1", label, headers=sent)

    tell(story)


def test_policies_ask_the_same_authorizer() -> None:
    policy = {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicy",
        "metadata": {"name": "deleters"},
        "spec": {
            "matchConstraints": {
                "resourceRules": [
                    {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"],
                     "resources": ["configmaps"]}
                ]
            },
            "validations": [
                {"expression": "authorizer.group('').resource('nodes').check('delete').allowed()",
                 "message": "only for those who may delete nodes"}
            ],
        },
    }  # fmt: skip
    binding = {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicyBinding",
        "metadata": {"name": "deleters"},
        "spec": {"policyName": "deleters", "validationActions": ["Deny"]},
    }

    async def story(server: Server) -> None:
        await server.call("POST", f"{POLICY}/validatingadmissionpolicies", policy)
        await server.call("POST", f"{POLICY}/validatingadmissionpolicybindings", binding)
        await server.call("POST", *bound("edit"))
        body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}}
        answer = await server.ask("POST", f"{IN_DEFAULT}/configmaps", body, headers=BOB)
        assert "only for those who may delete nodes" in answer.json["message"]
        await server.call("POST", f"{IN_DEFAULT}/configmaps", body)

    tell(story)


def test_controllers_act_by_tokens_of_their_own_accounts() -> None:
    """As kube-controller-manager does with --use-service-account-credentials."""

    async def story(server: Server) -> None:
        accounts, name = "/api/v1/namespaces/kube-system/serviceaccounts", "replicaset-controller"
        account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": name}}
        await server.call("POST", accounts, account)
        review = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}
        made = await server.call("POST", f"{accounts}/{name}/token", review)
        own = {"authorization": f"Bearer {made['status']['token']}"}
        await server.call("POST", f"{IN_DEFAULT}/pods", make_pod("p"), headers=own)
        await server.call("GET", "/apis/apps/v1/replicasets", headers=own)
        why = await server.refused(403, "GET", f"{IN_DEFAULT}/secrets", headers=own)
        assert f'User "system:serviceaccount:kube-system:{name}" cannot list' in why

    tell(story)
