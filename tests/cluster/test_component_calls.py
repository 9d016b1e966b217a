"""What components change counts as the calls that it would have been."""

from __future__ import annotations

from kubestage.cluster.access import Call, Selection
from kubestage.cluster.profile import ApiSection, Profile
from tests.cluster import stages
from tests.cluster.stages import Heard


def counted(cluster: object, resource: str) -> dict[tuple[str, str], int]:
    endpoints = cluster.api.endpoints  # type: ignore[attr-defined] # a StagedCluster
    return {
        (each.name.verb, each.name.subresource): sum(each.codes.values())
        for each in endpoints
        if each.name.resource == resource and each.codes
    }


def test_the_life_of_a_pod_is_the_calls_of_those_who_see_to_it() -> None:
    stage, cluster = stages.alive()
    heard = Heard()
    cluster.call(stages.create(stages.deployment("web", 4)), heard.answer)
    stage.run("30s")
    cluster.families("apiserver")
    pods = counted(cluster, "pods")
    assert pods["POST", ""] == 4, "the controller creates them"
    assert pods["POST", "binding"] == 4, "the scheduler binds them"
    assert pods["PATCH", "status"] >= 4, "kubelets report"
    assert pods["GET", ""] == pods["PATCH", "status"], "and read before they write"
    assert counted(cluster, "replicasets")["POST", ""] == 1
    assert counted(cluster, "replicasets")["PUT", "status"] >= 1
    assert counted(cluster, "events")["POST", ""] > 4
    assert counted(cluster, "deployments")["POST", ""] == 1, "a call of a client counts once"
    cluster.call(
        Call(
            verb="delete",
            resource=stages.DEPLOYMENT,
            namespace="default",
            name="web",
            propagation="Background",
        ),
        heard.answer,
    )
    stage.run("60s")
    assert counted(cluster, "pods")["DELETE", ""] == 8, "once to end them, once when they have"
    assert counted(cluster, "deployments")["DELETE", ""] == 1
    changes = {call for call in counted(cluster, "pods") if call[0] in ("PUT", "PATCH")}
    assert changes == {("PATCH", "status")}, "the kubelet's last call is no update beside"


def test_the_job_controller_patches_pods_to_let_them_go() -> None:
    stage, cluster = stages.alive()
    job = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "count"},
        "spec": {
            "completions": 3,
            "template": {
                "spec": {
                    "restartPolicy": "Never",
                    "containers": [{"name": "main", "image": "busybox"}],
                }
            },
        },
    }
    stage.store.create(job)
    stage.run("2m")
    found = counted(cluster, "pods")
    assert found["PATCH", ""] == 3, "one finalizer each"
    assert ("PUT", "") not in found


def test_every_node_renews_its_lease_every_ten_seconds_and_reports_every_five_minutes() -> None:
    stage, cluster = stages.alive(nodes=5)
    cluster.families("apiserver")
    leases = counted(cluster, "leases").get(("PUT", ""), 0)
    nodes = counted(cluster, "nodes").get(("PATCH", "status"), 0)
    stage.run("10m")
    cluster.families("apiserver")
    cluster.families("apiserver")
    elections = 2 * 5 * 60
    assert counted(cluster, "leases")["PUT", ""] - leases == 5 * 60 + elections
    assert counted(cluster, "nodes")["PATCH", "status"] - nodes == 5 * 2


def test_the_more_nodes_there_are_the_less_is_left_for_calls() -> None:
    profile = Profile(api=ApiSection(cores=1, update="10ms", create="10ms"))
    took = []
    for nodes in (0, 500):
        stage, cluster = stages.empty(profile)
        for index in range(nodes):
            stage.store.create(stages.node(f"node-{index}"))
        stage.run("60s")
        heard = Heard()
        cluster.call(stages.create(stages.pod("a")), heard.answer)
        stage.run("1s")
        took.append(heard.answers[0].ended_ns - heard.answers[0].sent_ns)
    assert took == [10_000_000, 20_000_000], "fifty renewals a second keep half of a core busy"


def test_a_change_of_a_component_is_seen_when_its_call_has_got_a_core() -> None:
    def seen_ms(busy: int) -> float:
        stage, cluster = stages.empty(Profile(api=ApiSection(cores=1, create="10ms", patch="0s")))
        heard = Heard()
        cluster.watch(Selection(stages.POD), heard.see)
        stage.run("1s")
        for number in range(busy):
            cluster.call(stages.create(stages.pod(f"busy-{number}")), heard.answer)
        began_ns = stage.clock.now_ns
        stage.store.create(stages.pod("late"))
        stage.run("2s")
        [event] = [each for each in heard.seen if each.object["metadata"]["name"] == "late"]
        return (event.at_ns - began_ns) / 1e6

    assert seen_ms(busy=0) == 0
    assert seen_ms(busy=20) == 200
