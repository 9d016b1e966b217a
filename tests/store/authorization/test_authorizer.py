"""Decisions by roles and bindings, and by the pods on a node."""

from __future__ import annotations

from typing import Any

import pytest

from kubestage import Stage
from kubestage.errors import InputError
from kubestage.store.authorization import authorizer
from kubestage.store.authorization.access import Access, forbidden
from kubestage.store.authorization.authorizer import Authorizer
from kubestage.testing import make_node, make_pod

GROUP = "rbac.authorization.k8s.io"
BOB = {"username": "bob", "groups": ["dev", "system:authenticated"]}
KUBELET = {"username": "system:node:n1", "groups": ["system:nodes"]}
ONE_NAMESPACE = "can only read namespaced object of this type"
READ_ONLY = "can only read resources of this type"
OTHER_NODE = "node 'n1' cannot read 'n2', only its own Node object"
ALL_NODES = "node 'n1' cannot read all nodes, only its own Node object"
NO_SELECTOR = "can only list/watch pods with spec.nodeName field selector"
OTHER_LEASE = "can only access node lease with the same name as the requesting node"
NO_SLICES = "can only list/watch/deletecollection resourceslices with nodeName field selector"
LEASES = ("coordination.k8s.io", "leases", "", "kube-node-lease")
NO_RELATION = "no relationship found between node 'n1' and this object"


def role(name: str, namespace: str = "", **rule: list[str]) -> dict[str, Any]:
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    kind = "Role" if namespace else "ClusterRole"
    return {"apiVersion": f"{GROUP}/v1", "kind": kind, "metadata": metadata, "rules": [rule]}


def binding(called: str, to: dict[str, Any] | str, namespace_of: str = "", **subject: str) -> Any:
    kind = "ClusterRole" if isinstance(to, str) else to["kind"]
    target = to if isinstance(to, str) else to["metadata"]["name"]
    return {
        "apiVersion": f"{GROUP}/v1",
        "kind": "RoleBinding" if namespace_of else "ClusterRoleBinding",
        "metadata": {"name": called, **({"namespace": namespace_of} if namespace_of else {})},
        "roleRef": {"apiGroup": GROUP, "kind": kind, "name": target},
        "subjects": [subject],
    }


READER = role("reader", verbs=["get"], apiGroups=[""], resources=["pods"])


def authorizing(*objects: Any) -> Authorizer:
    store = Stage().store
    for each in objects:
        store.create(each)
    return Authorizer(store)


@pytest.mark.parametrize(
    ("subject", "source"),
    [
        ({"kind": "User", "name": "bob"}, 'User "bob"'),
        ({"kind": "Group", "name": "dev"}, 'Group "dev"'),
    ],
)
def test_a_binding_to_a_role_of_the_cluster(subject: dict[str, str], source: str) -> None:
    found = authorizing(READER, binding("b", READER, apiGroup=GROUP, **subject))
    decision = found.decide(BOB, Access("get", "", "pods", "", "anywhere"))
    reason = f'RBAC: allowed by ClusterRoleBinding "b" of ClusterRole "reader" to {source}'
    assert decision == (True, reason)
    assert not found.allows(BOB, Access("delete", "", "pods", "", "anywhere"))


def test_a_binding_in_a_namespace_holds_there() -> None:
    one = binding("b", READER, "default", kind="ServiceAccount", name="robot", namespace="ci")
    found = authorizing(READER, one)
    robot = {"username": "system:serviceaccount:ci:robot", "groups": []}
    decision = found.decide(robot, Access("get", "", "pods", "", "default"))
    assert decision.reason == (
        'RBAC: allowed by RoleBinding "b/default" of ClusterRole "reader" to ServiceAccount '
        '"robot/ci"'
    )
    assert found.decide(robot, Access("get", "", "pods", "", "other")) == (False, "")
    assert not found.allows(robot, Access("get", "", "pods"))


def test_a_role_that_is_missing_is_the_reason() -> None:
    found = authorizing(binding("b", "gone", kind="User", name="bob", apiGroup=GROUP))
    decision = found.decide(BOB, Access("get", "", "pods"))
    assert decision == (False, f'RBAC: clusterrole.{GROUP} "gone" not found')


def test_a_change_counts_once_it_is_noticed() -> None:
    store = Stage().store
    store.create(READER)
    found = Authorizer(store)
    assert not found.allows(BOB, Access("get", "", "pods"))
    store.create(binding("b", READER, kind="User", name="bob", apiGroup=GROUP))
    found.roles.forget()
    assert found.allows(BOB, Access("get", "", "pods"))


def test_masters_may_do_everything_in_any_mode() -> None:
    root = {"username": "root", "groups": ["system:masters"]}
    denying = Authorizer(Stage().store, ("AlwaysDeny",))
    assert denying.decide(root, Access("delete", "", "nodes")) == (True, "")
    assert denying.decide(BOB, Access("get", "", "pods")) == (False, "Everything is forbidden.")
    assert Authorizer(Stage().store, ("AlwaysAllow",)).allows(BOB, Access("delete", "", "nodes"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Rbac", 'no mode "Rbac": did you mean RBAC?'),
        ("ABAC", 'no mode "ABAC"'),
        ("wrong", "there are AlwaysAllow, AlwaysDeny, Node, RBAC"),
    ],
)
def test_modes_that_there_are_not(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        authorizer.modes_of([text], "--authorization-mode")
    assert message.partition(": ")[0] in str(caught.value)
    with pytest.raises(InputError, match="twice"):
        authorizer.modes_of(["RBAC", "RBAC"], "--authorization-mode")


@pytest.mark.parametrize(
    ("access", "message"),
    [
        (
            Access("list", "apps", "deployments", "", "ns"),
            (
                'deployments.apps is forbidden: User "bob" cannot list resource "deployments" in '
                'API group "apps" in the namespace "ns"'
            ),
        ),
        (
            Access("get", "", "nodes", "proxy", "", "n1"),
            (
                'nodes "n1" is forbidden: User "bob" cannot get resource "nodes/proxy" in API '
                'group "" at the cluster scope'
            ),
        ),
        (Access("get", path="/metrics"), 'forbidden: User "bob" cannot get path "/metrics"'),
    ],
)
def test_a_refusal(access: Access, message: str) -> None:
    assert forbidden(BOB, access).message == message
    assert forbidden(BOB, access, "because").message == f"{message}: because"


def test_the_rules_of_a_user() -> None:
    found = authorizing(READER, binding("b", READER, kind="User", name="bob", apiGroup=GROUP))
    status = found.shown(BOB, "default")
    assert status == {
        "resourceRules": [{"verbs": ["get"], "apiGroups": [""], "resources": ["pods"]}],
        "nonResourceRules": [],
        "incomplete": False,
    }
    assert found.shown(KUBELET, "default") == {
        "resourceRules": [],
        "nonResourceRules": [],
        "evaluationError": "node authorizer does not support user rule resolution",
        "incomplete": True,
    }


PROJECTED = {"sources": [{"configMap": {"name": "c"}}]}


def pod_with(**spec: Any) -> Any:
    pod = make_pod("p", node_name="n1")
    pod["spec"] |= spec
    return pod


@pytest.mark.parametrize(
    ("pod", "access", "reason"),
    [
        (
            pod_with(volumes=[{"name": "v", "secret": {"secretName": "s"}}]),
            Access("get", "", "secrets", "", "default", "s"),
            None,
        ),
        (
            pod_with(volumes=[{"name": "v", "secret": {"secretName": "s"}}]),
            Access("get", "", "secrets", "", "default", "other"),
            NO_RELATION,
        ),
        (
            pod_with(imagePullSecrets=[{"name": "s"}]),
            Access("watch", "", "secrets", "", "default", "s"),
            None,
        ),
        (
            pod_with(volumes=[{"name": "v", "configMap": {"name": "c"}}]),
            Access("get", "", "configmaps", "", "default", "c"),
            None,
        ),
        (
            pod_with(volumes=[{"name": "v", "projected": PROJECTED}]),
            Access("list", "", "configmaps", "", "default", "c"),
            None,
        ),
        (
            pod_with(volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": "d"}}]),
            Access("get", "", "persistentvolumeclaims", "", "default", "d"),
            None,
        ),
        (None, Access("get", "", "secrets", "", "", "s"), ONE_NAMESPACE),
        (None, Access("list", "", "secrets", "", "default"), "No Object name found"),
        (None, Access("update", "", "secrets", "", "default", "s"), READ_ONLY),
        (None, Access("get", "", "nodes", "", "", "n1"), None),
        (None, Access("get", "", "nodes", "", "", "n2"), OTHER_NODE),
        (None, Access("list", "", "nodes"), ALL_NODES),
        (None, Access("delete", "", "nodes", "", "", "n1"), ""),
        (None, Access("patch", "", "nodes", "status", "", "n1"), None),
        (None, Access("list", "", "pods"), NO_SELECTOR),
        (None, Access("watch", "", "pods", fields=(("spec.nodeName", "=", "n1"),)), None),
        (None, Access("watch", "", "pods", fields=(("spec.nodeName", "!=", "n1"),)), NO_SELECTOR),
        (None, Access("create", "", "pods", "eviction", "default", "p"), None),
        (None, Access("update", *LEASES, "n1"), None),
        (None, Access("update", *LEASES, "n2"), OTHER_LEASE),
        (None, Access("list", "resource.k8s.io", "resourceslices"), NO_SLICES),
        (None, Access("get", "storage.k8s.io", "csinodes", "", "", "n1"), None),
        (None, Access("create", "", "serviceaccounts", "token", "default", "default"), NO_RELATION),
        (
            pod_with(serviceAccountName="robot"),
            Access("create", "", "serviceaccounts", "token", "default", "robot"),
            None,
        ),
        (None, Access("get", "apps", "deployments", "", "default", "d"), ""),
    ],
)  # fmt: skip
def test_what_a_kubelet_may_do(pod: Any, access: Access, reason: str | None) -> None:
    found = authorizing(make_node("n1"), *([] if pod is None else [pod]))
    decision = found.decide(KUBELET, access)
    assert decision == ((True, "") if reason is None else (False, reason))


def test_secrets_of_volumes_that_pods_of_the_node_have() -> None:
    claim = {
        "apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "d"},
        "spec": {"accessModes": ["ReadWriteOnce"], "volumeName": "v",
                 "resources": {"requests": {"storage": "1Gi"}}},
    }  # fmt: skip
    volume = {
        "apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "v"},
        "spec": {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"],
                 "claimRef": {"namespace": "default", "name": "d"},
                 "csi": {"driver": "x.example.com", "volumeHandle": "v",
                         "nodeStageSecretRef": {"name": "key", "namespace": "storage"}}},
    }  # fmt: skip
    wanted = Access("get", "", "secrets", "", "storage", "key")
    without = authorizing(make_node("n1"), claim, volume)
    assert without.decide(KUBELET, wanted) == (False, NO_RELATION)
    pod = pod_with(volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": "d"}}])
    found = authorizing(make_node("n1"), claim, volume, pod)
    assert found.allows(KUBELET, wanted)
    assert found.allows(KUBELET, Access("get", "", "persistentvolumes", "", "", "v"))


def test_a_mirror_pod_gives_access_to_nothing() -> None:
    pod = pod_with(volumes=[{"name": "v", "secret": {"secretName": "s"}}])
    pod["metadata"]["annotations"] = {"kubernetes.io/config.mirror": "x"}
    found = authorizing(make_node("n1"), pod)
    assert not found.allows(KUBELET, Access("get", "", "secrets", "", "default", "s"))


def test_a_kubelet_without_a_node_and_one_without_the_group() -> None:
    found = authorizing()
    nameless = {"username": "system:node:", "groups": ["system:nodes"]}
    assert found.decide(nameless, Access("get", "", "nodes", "", "", "n1")) == (
        False,
        'unknown node for user "system:node:"',
    )
    ungrouped = {"username": "system:node:n1", "groups": []}
    assert not found.allows(ungrouped, Access("get", "", "nodes", "", "", "n1"))
