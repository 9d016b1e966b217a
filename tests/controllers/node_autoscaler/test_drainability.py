from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.controllers.lister import Lister
from kubestage.controllers.node_autoscaler.budgets import Budgets
from kubestage.controllers.node_autoscaler.drainability import Drainability, Moves
from kubestage.controllers.node_autoscaler.settings import NodeAutoscalerSettings
from kubestage.objects.views import pod as pod_views
from kubestage.stage import Stage
from kubestage.testing import (
    make_daemon_set,
    make_pod,
    make_pod_disruption_budget,
    make_replica_set,
    make_stateful_set,
)

if TYPE_CHECKING:
    from kubestage.aliases import Json

_PREFIX = "cluster-autoscaler.kubernetes.io"
_NOW_NS = 1_800_000_000 * 1_000_000_000


def _moves(
    *pods: Json, owners: tuple[Json, ...] = (), budgets: tuple[Json, ...] = (), **flags: Any
) -> Moves:
    stage = Stage()
    stage.apply(owners)
    rules = Drainability(NodeAutoscalerSettings(**flags), Lister(stage.store))
    return rules.moves(map(pod_views.of, pods), Budgets(budgets), _NOW_NS)


def _owned(owner: Json | None = None, **parts: Any) -> Json:
    owner = owner or make_replica_set("web", replicas=2)
    owner = {**owner, "metadata": {**owner["metadata"], "uid": "u1"}}
    return make_pod("p", labels={"app": "web"}, owner=owner, **parts)


_WEB = make_replica_set("web", replicas=2)


def test_a_pod_of_a_replica_set_is_moved() -> None:
    assert [pod.name for pod in _moves(_owned(), owners=(_WEB,)).pods] == ["p"]


@pytest.mark.parametrize(
    ("pod", "obstacle"),
    [
        (make_pod("lone"), "default/lone is not replicated"),
        (
            _owned(),
            (
                "replication controller for default/p is not available, "
                'err: replicaset.apps "web" not found'
            ),
        ),
        (
            _owned(make_stateful_set("db")),
            'statefulset for default/p is not available: err: statefulset.apps "db" not found',
        ),
        (
            _owned(make_daemon_set("agent")),
            'daemonset for default/p is not present, err: daemonset.apps "agent" not found',
        ),
    ],
)
def test_a_pod_that_nobody_replaces_keeps_its_node(pod: Json, obstacle: str) -> None:
    assert _moves(pod).obstacle == obstacle


def _of_kind(api_version: str, kind: str) -> Json:
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": "own"}}


_DAEMON = {f"{_PREFIX}/daemonset-pod": "true"}


@pytest.mark.parametrize(
    ("owner", "annotations", "obstacle"),
    [
        # A ReplicaSet and a Job of any group are looked up, a StatefulSet only if it is of apps.
        (_of_kind("other.io/v1", "ReplicaSet"), {}, 'replicaset.apps "own" not found'),
        (_of_kind("other.io/v1", "Job"), {}, 'job.batch "own" not found'),
        (_of_kind("apps/v1beta2", "StatefulSet"), {}, 'statefulset.apps "own" not found'),
        (_of_kind("other.io/v1", "StatefulSet"), {}, ""),
        # A pod that counts as one of a DaemonSet has no other controller that is looked up,
        (_of_kind("apps/v1", "ReplicaSet"), _DAEMON, ""),
        (_of_kind("batch/v1", "Job"), _DAEMON, ""),
        (_of_kind("apps/v1", "DaemonSet"), _DAEMON, 'daemonset.apps "own" not found'),
        (_of_kind("other.io/v1", "DaemonSet"), {}, ""),
        # but for a ReplicationController.
        (_of_kind("v1", "ReplicationController"), _DAEMON, 'replicationcontroller "own" not found'),
    ],
)
def test_which_controllers_are_looked_up(owner: Json, annotations: Json, obstacle: str) -> None:
    found = _moves(_owned(owner, annotations=annotations)).obstacle
    assert found.endswith(obstacle)
    assert bool(found) == bool(obstacle)


@pytest.mark.parametrize("created", [None, "2020-01-01T00:00:00Z"])
def test_a_system_pod_of_which_it_is_not_known_since_when_it_runs_keeps_its_node(
    created: str | None,
) -> None:
    pod = make_pod("dns", namespace="kube-system", owner=_of_kind("apps/v1", "ReplicaSet"))
    pod["metadata"] |= {"creationTimestamp": created}
    pod["metadata"]["ownerReferences"][0]["uid"] = "u1"
    owner = make_replica_set("own", replicas=1, namespace="kube-system")
    found = _moves(pod, owners=(owner,))
    assert found.blocking_reason == ("" if created else "UnmovableKubeSystemPod")


@pytest.mark.parametrize(
    ("parts", "obstacle"),
    [
        (
            {"annotations": {f"{_PREFIX}/safe-to-evict": "false"}},
            "pod annotated as not safe to evict present: p",
        ),
        (
            {"volumes": [{"name": "data", "emptyDir": {}}]},
            "pod with local storage present: p",
        ),
        (
            {"volumes": [{"name": "data", "hostPath": {"path": "/data"}}]},
            "pod with local storage present: p",
        ),
        ({"volumes": [{"name": "data", "emptyDir": {"medium": "Memory"}}]}, ""),
        (
            {
                "volumes": [{"name": "data", "emptyDir": {}}],
                "annotations": {f"{_PREFIX}/safe-to-evict-local-volumes": "data,other"},
            },
            "",
        ),
        (
            {
                "volumes": [{"name": "data", "emptyDir": {}}],
                "annotations": {f"{_PREFIX}/safe-to-evict": "true"},
            },
            "",
        ),
    ],
)
def test_what_pods_say_of_themselves_decides(parts: Json, obstacle: str) -> None:
    assert _moves(_owned(**parts), owners=(_WEB,)).obstacle == obstacle


def test_a_pod_that_is_safe_to_evict_needs_no_owner() -> None:
    found = _moves(make_pod("lone", annotations={f"{_PREFIX}/safe-to-evict": "true"}))
    assert ([pod.name for pod in found.pods], found.obstacle) == (["lone"], "")


def test_a_pod_that_is_to_complete_is_waited_for() -> None:
    pod = _owned(annotations={f"{_PREFIX}/safe-to-evict": "on-completion"})
    found = _moves(pod, owners=(_WEB,))
    assert ([each.name for each in found.awaited], found.pods) == (["p"], [])


def test_daemons_go_with_their_node_and_mirrors_are_not_seen() -> None:
    agent = make_daemon_set("agent")
    mirror = make_pod("mirror", annotations={"kubernetes.io/config.mirror": "x"})
    found = _moves(_owned(agent), mirror, owners=(agent,))
    assert ([pod.name for pod in found.daemons], found.pods, found.obstacle) == (["p"], [], "")


def _system_pod(created: str) -> Json:
    pod = _owned(namespace="kube-system")
    pod["metadata"]["creationTimestamp"] = created
    return pod


def test_a_system_pod_keeps_its_node_for_an_hour_unless_it_has_a_budget() -> None:
    owner = make_replica_set("web", namespace="kube-system", replicas=2)
    young, old = _system_pod("2027-01-15T07:30:00Z"), _system_pod("2027-01-15T06:30:00Z")
    found = _moves(young, owners=(owner,))
    assert found.obstacle == (
        "non-daemonset, non-mirrored, non-pdb-assigned kube-system pod present: p"
    )
    assert not _moves(old, owners=(owner,)).obstacle
    assert not _moves(young, owners=(owner,), skip_nodes_with_system_pods=False).obstacle
    budget = make_pod_disruption_budget("web", namespace="kube-system")
    budget["status"] = {"disruptionsAllowed": 1}
    assert not _moves(young, owners=(owner,), budgets=(budget,)).obstacle


def test_a_spent_budget_keeps_a_node() -> None:
    budget = make_pod_disruption_budget("web")
    budget["status"] = {"disruptionsAllowed": 0}
    found = _moves(_owned(), owners=(_WEB,), budgets=(budget,))
    assert found.obstacle == "not enough pod disruption budget to move default/p"


def test_a_budget_of_another_namespace_says_nothing() -> None:
    budget = make_pod_disruption_budget("web", namespace="other")
    budget["status"] = {"disruptionsAllowed": 0}
    assert not _moves(_owned(), owners=(_WEB,), budgets=(budget,)).obstacle


def test_so_many_replicas_must_be_wanted() -> None:
    found = _moves(_owned(), owners=(_WEB,), min_replica_count=3)
    assert found.obstacle == (
        "replication controller for default/p has too few replicas spec: 2 min: 3"
    )


def test_pods_of_custom_controllers_move_if_told_to() -> None:
    custom = {**_WEB, "apiVersion": "example.com/v1", "kind": "Fleet"}
    assert _moves(_owned(custom)).obstacle == "default/p is not replicated"
    assert not _moves(_owned(custom), skip_nodes_with_custom_controller_pods=False).obstacle


def test_local_storage_may_be_left_out_of_account() -> None:
    pod = _owned(volumes=[{"name": "data", "emptyDir": {}}])
    assert not _moves(pod, owners=(_WEB,), skip_nodes_with_local_storage=False).obstacle


def test_a_pod_that_should_have_been_gone_long_since_is_not_seen() -> None:
    pod = make_pod("stuck")
    pod["metadata"]["deletionTimestamp"] = "2027-01-15T07:00:00Z"
    assert _moves(pod) == Moves()


def test_budgets_tell_whether_all_may_go_at_once() -> None:
    budget = make_pod_disruption_budget("web")
    budget["status"] = {"disruptionsAllowed": 2}
    budgets = Budgets([budget])
    pods = [pod_views.of(_owned()) for _ in range(3)]
    assert budgets.allow_at_once(pods[:2])
    assert not budgets.allow_at_once(pods)
    budgets.spend(pods[:1])
    assert not budgets.is_spent(pods[1])
    budgets.spend(pods[1:2])
    assert budgets.is_spent(pods[2])
