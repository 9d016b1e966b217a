"""Metrics and usage of a staged cluster's components."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage.cluster import profiles
from kubestage.cluster.access import Selection
from kubestage.cluster.components import COMPONENTS, is_master
from kubestage.cluster.usage import CONTROL_PLANE
from kubestage.errors import InputError
from kubestage.metrics.families import Histogram
from tests.cluster import stages
from tests.cluster.stages import POD, Heard

if TYPE_CHECKING:
    from kubestage.cluster.staged import StagedCluster
    from kubestage.stage import Stage

SCHEDULED = "scheduler_schedule_attempts_total"


def busy() -> tuple[Stage, StagedCluster]:
    stage, cluster = stages.alive(profiles.GCE_100)
    cluster.watch(Selection(POD), Heard().see)
    for index in range(5):
        cluster.call(stages.create(stages.deployment(f"web-{index}", 4)), Heard().answer)
    stage.run("30s")
    return stage, cluster


def values(cluster: StagedCluster, component: str, name: str) -> dict[tuple[str, ...], float]:
    (family,) = (each for each in cluster.families(component) if each.name == name)
    found = {}
    for suffix, pairs, value in family.samples():
        found[(suffix, *(text for _, text in pairs))] = value
    return found


def test_every_component_has_metrics_under_names_of_their_own() -> None:
    _, cluster = busy()
    for component in COMPONENTS:
        names = [family.name for family in cluster.families(component)]
        assert names
        assert len(names) == len(set(names))


def test_the_api_servers_histograms_have_upstreams_labels_and_bounds() -> None:
    _, cluster = busy()
    families = {each.name: each for each in cluster.families("apiserver")}
    duration = families["apiserver_request_duration_seconds"]
    sli = families["apiserver_request_sli_duration_seconds"]
    etcd = families["etcd_request_duration_seconds"]
    assert isinstance(duration, Histogram)
    assert isinstance(sli, Histogram)
    assert isinstance(etcd, Histogram)
    assert duration.labels == (
        "verb", "dry_run", "group", "version", "resource", "subresource", "scope", "component",
    )  # fmt: skip
    assert sli.labels == tuple(label for label in duration.labels if label != "dry_run")
    assert (duration.bounds[0], duration.bounds[-1], len(duration.bounds)) == (0.005, 60, 23)
    assert (sli.bounds[0], sli.bounds[-1], len(sli.bounds)) == (0.05, 60, 21)
    assert etcd.labels == ("operation", "group", "resource")
    bound = ("POST", "", "v1", "pods", "binding", "resource", "apiserver")
    assert sum(sli.distributions[bound].counts) == 20


def test_all_histograms_of_requests_hold_as_many_as_the_counter() -> None:
    _, cluster = busy()
    families = {each.name: each for each in cluster.families("apiserver")}
    total = sum(value for _, _, value in families["apiserver_request_total"].samples())
    for name in (
        "apiserver_request_duration_seconds",
        "apiserver_request_sli_duration_seconds",
        "etcd_request_duration_seconds",
    ):
        counts = [value for suffix, _, value in families[name].samples() if suffix == "_count"]
        assert sum(counts) == total > 100


def test_watches_and_what_they_were_told_are_counted() -> None:
    stage, cluster = busy()
    watches = values(cluster, "apiserver", "apiserver_longrunning_requests")
    assert watches == {("", "apiserver", "", "pods", "cluster", "", "WATCH", "v1"): 1}
    events = values(cluster, "apiserver", "apiserver_watch_events_total")
    assert events["", "", "pods", "v1"] >= 60
    watch = cluster.watch(Selection(POD, namespace="default"), Heard().see)
    stage.run("1s")
    watch.stop()
    assert values(cluster, "apiserver", "apiserver_longrunning_requests") == watches
    more = values(cluster, "apiserver", "apiserver_watch_events_total")
    assert more["", "", "pods", "v1"] == events["", "", "pods", "v1"] + 20


def test_stored_objects_are_counted_by_resource() -> None:
    _, cluster = busy()
    objects = values(cluster, "apiserver", "apiserver_storage_objects")
    assert objects["", "pods"] == 20
    assert objects["", "deployments.apps"] == 5
    name = "apiserver_watch_cache_resource_version"
    versions = set(values(cluster, "apiserver", name).values())
    assert versions == set(values(cluster, "etcd", "etcd_debugging_mvcc_current_revision").values())


def test_the_schedulers_metrics_are_those_of_the_stages_scheduler() -> None:
    _, cluster = busy()
    assert sum(values(cluster, "scheduler", SCHEDULED).values()) >= 20
    stage, bare = stages.empty()
    stage.run("1s")
    assert all(not each.name.startswith("scheduler_") for each in bare.families("scheduler"))


def test_the_control_plane_uses_more_when_it_has_more_to_do() -> None:
    stage, cluster = stages.alive(profiles.GCE_100)
    stage.run("60s")
    idle = {each.name: each for each in cluster.usage()}
    for index in range(10):
        cluster.call(stages.create(stages.deployment(f"web-{index}", 10)), Heard().answer)
    stage.run("20s")
    at_work = {each.name: each for each in cluster.usage()}
    assert [name.split("-master/")[0] for name in idle] == [
        "kube-apiserver", "kube-controller-manager", "etcd-server", "kube-scheduler",
    ]  # fmt: skip
    for name, before in idle.items():
        assert at_work[name].cpu_cores > before.cpu_cores > 0
        assert at_work[name].memory_bytes > before.memory_bytes > 0
    pods = [name for name in at_work if name.startswith("web-")]
    assert len(pods) == 100


def test_cpu_seconds_never_go_back() -> None:
    stage, cluster = busy()
    for component in CONTROL_PLANE:
        name = "process_cpu_seconds_total"
        before = values(cluster, component, name)
        stage.run("10s")
        assert values(cluster, component, name)[("",)] > before[("",)]


def test_the_control_plane_is_on_the_node_that_is_called_so() -> None:
    stage, cluster = stages.alive()
    assert cluster.components.master == "master"
    stage.load([stages.node("test-master")])
    assert cluster.components.master == "test-master"
    assert cluster.usage()[0].name == "kube-apiserver-test-master/kube-apiserver"
    stage, cluster = stages.empty()
    labelled = stages.node("first")
    labelled["metadata"]["labels"] = {"node-role.kubernetes.io/control-plane": ""}
    stage.load([labelled])
    assert cluster.components.master == "first"


@pytest.mark.parametrize(
    ("name", "is_one"),
    [("kubernetes-master", True), ("a-master-xyz", True), ("mastery", False), ("node", False)],
)
def test_masters_are_known_by_their_names(name: str, is_one: bool) -> None:
    assert is_master(name) is is_one


def test_a_component_that_there_is_not_is_an_error_that_lists_those_that_there_are() -> None:
    _, cluster = stages.empty()
    with pytest.raises(InputError, match="controller-manager"):
        cluster.families("kube-proxy")


def test_usage_is_that_of_the_time_since_the_last_look() -> None:
    stage, cluster = busy()
    assert cluster.usage()[0].cpu_cores > 0.06
    stage.run("60s")
    cluster.usage()
    stage.run("60s")
    assert cluster.usage()[0].cpu_cores < 0.052, "only Leases are renewed"


def test_the_scheduler_holds_pods_and_others_hold_everything() -> None:
    stage, cluster = stages.empty()
    before = {each.name: each.memory_bytes for each in cluster.usage()}
    for index in range(10):
        name = {"name": f"config-{index}"}
        stage.store.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": name})
    after = {each.name: each.memory_bytes for each in cluster.usage()}
    grown = [name.partition("-master")[0] for name in before if after[name] > before[name]]
    assert grown == ["kube-apiserver", "kube-controller-manager", "etcd-server"]


def test_a_write_in_etcd_is_two_operations_on_its_disk() -> None:
    _, cluster = busy()
    families = {each.name: each for each in cluster.families("etcd")}
    writes = [each for each in cluster.api.endpoints if each.is_mutating]
    count = sum(sum(each.etcd_duration.counts) for each in writes)
    for name in ("etcd_disk_wal_fsync", "etcd_disk_backend_commit"):
        histogram = families[f"{name}_duration_seconds"]
        assert isinstance(histogram, Histogram)
        told = histogram.distribution()
        assert sum(told.counts) == count
        assert 0 < told.total / count < 0.01


def test_system_containers_are_those_outside_of_the_namespaces_of_loads() -> None:
    stage, cluster = stages.alive()
    for name, where in (("own", "test-abc-1"), ("dns", "kube-system")):
        cluster.call(stages.create(stages.pod(name), where), Heard().answer)
    stage.run("30s")
    started = "container_start_time_seconds"
    found = {labels[3] for labels in values(cluster, "system-containers", started)}
    assert {"own", "dns"} <= {labels[3] for labels in values(cluster, "cadvisor", started)}
    assert "dns" in found
    assert "own" not in found
    assert "kube-apiserver-master" in found
