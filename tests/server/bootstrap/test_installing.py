"""What a served cluster has before its first client comes."""

from __future__ import annotations

import ipaddress
import json
from typing import TYPE_CHECKING, Any

import pytest

from kubestage.controllers import registry
from kubestage.controllers.lazy_controller import Placeholder
from kubestage.objects import decode
from kubestage.objects.validation import rules
from kubestage.runs.observer import Observer
from kubestage.server import snapshot_import, snapshots
from kubestage.server.bootstrap import identity, installing, membership
from kubestage.server.launch import cluster
from kubestage.server.launch.endpoint import HOST_OF_NODES, placeholder_certificate
from kubestage.server.launch.options import ServeOptions
from kubestage.stage import Stage
from kubestage.store.bootstrap import Bootstrap
from kubestage.testing import make_node, make_pod
from tests.scenario import building
from tests.scenario.building import create, done, scenario
from tests.server.live_stage import SCENARIOS, served
from tests.server.test_pacing import tell

if TYPE_CHECKING:
    import pathlib

SERVER = Bootstrap(address="172.18.0.1", port=6443, certificate="PEM")
ACCOUNT = ("v1", "ServiceAccount")
CONFIG_MAP = ("v1", "ConfigMap")
ENDPOINTS = ("v1", "Endpoints")
IP_ADDRESS = ("networking.k8s.io/v1", "IPAddress")
NAMESPACE = ("v1", "Namespace")
SERVICE = ("v1", "Service")
SLICE = ("discovery.k8s.io/v1", "EndpointSlice")
CLUSTER_ROLE = ("rbac.authorization.k8s.io/v1", "ClusterRole")
NAMESPACES = ("default", "kube-node-lease", "kube-public", "kube-system")


@pytest.fixture
def stage() -> Stage:
    made = Stage(implicit_namespaces=False)
    made.add_controllers()
    installing.install(made, SERVER)
    made.run("1s")
    return made


def everything(stage: Stage) -> dict[str, Any]:
    return {
        f"{each.kind.kind} {key}": obj["metadata"]["uid"]
        for each in stage.store.collections()
        for key, obj in each.objects.items()
    }


def test_clients_find_the_api_server(stage: Stage) -> None:
    spec = stage.store.get(SERVICE, "kubernetes")["spec"]
    assert spec["clusterIP"] == "10.96.0.1"
    assert [(each["port"], each["targetPort"]) for each in spec["ports"]] == [(443, 6443)]
    subset = stage.store.get(ENDPOINTS, "kubernetes")["subsets"][0]
    assert subset["addresses"] == [{"ip": "172.18.0.1"}]
    endpoint = stage.store.get(SLICE, "kubernetes")
    assert endpoint["endpoints"][0]["addresses"] == ["172.18.0.1"]
    assert endpoint["ports"][0]["port"] == subset["ports"][0]["port"] == 6443


def test_namespaces_have_an_account_and_a_certificate(stage: Stage) -> None:
    stage.store.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "late"}})
    stage.run("1s")
    for namespace in (*NAMESPACES, "late"):
        assert stage.store.get(ACCOUNT, "default", namespace)
        assert stage.store.get(CONFIG_MAP, "kube-root-ca.crt", namespace)["data"] == {
            "ca.crt": "PEM"
        }


def test_an_account_that_is_deleted_comes_back_but_not_in_a_namespace_that_ends(
    stage: Stage,
) -> None:
    before = stage.store.get(ACCOUNT, "default")["metadata"]["uid"]
    stage.store.delete(ACCOUNT, "default")
    stage.run("1s")
    assert stage.store.get(ACCOUNT, "default")["metadata"]["uid"] != before
    stage.store.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "short"}})
    stage.run("1s")
    stage.store.delete(NAMESPACE, "short")
    stage.run("1m")
    assert "short" not in stage.store.read(NAMESPACE)
    assert not [key for key in stage.store.read(ACCOUNT) if key.startswith("short/")]


def test_what_the_api_server_keeps_comes_back_and_roles_do_not(stage: Stage) -> None:
    store = stage.store
    level = ("flowcontrol.apiserver.k8s.io/v1", "PriorityLevelConfiguration")
    store.delete(SERVICE, "kubernetes")
    store.delete(SLICE, "kubernetes")
    assert "10.96.0.1" not in store.read(IP_ADDRESS)
    store.delete(level, "workload-low")
    store.delete(CLUSTER_ROLE, "system:heapster")
    stage.run("9s")
    assert "default/kubernetes" not in store.read(SERVICE)
    stage.run("2s")
    assert store.get(SERVICE, "kubernetes")["spec"]["clusterIP"] == "10.96.0.1"
    assert store.get(SLICE, "kubernetes")
    assert store.get(IP_ADDRESS, "10.96.0.1")
    stage.run("1m")
    assert store.get(level, "workload-low")
    assert "system:heapster" not in store.read(CLUSTER_ROLE)
    store.delete(NAMESPACE, "kube-node-lease")
    stage.run("2m")
    assert store.get(ACCOUNT, "default", "kube-node-lease")


def test_an_address_that_is_used_is_recorded_again(stage: Stage) -> None:
    stage.store.delete(IP_ADDRESS, "10.96.0.1")
    stage.run("1s")
    assert stage.store.get(IP_ADDRESS, "10.96.0.1")


def test_without_controllers_there_is_what_the_api_server_makes() -> None:
    alone = Stage(implicit_namespaces=False)
    installing.install(alone, SERVER)
    alone.run("1m")
    assert not alone.store.read(ACCOUNT)
    assert list(alone.store.read(CONFIG_MAP)) == [
        "kube-system/extension-apiserver-authentication",
        "kube-system/kube-apiserver-legacy-service-account-token-tracking",
    ]
    tracking = alone.store.get(CONFIG_MAP, identity.TOKEN_TRACKING, "kube-system")
    assert tracking["data"] == {"since": "2026-01-01"}
    assert not alone.store.get(CLUSTER_ROLE, "view")["rules"]


def test_all_of_it_is_valid_and_named_as_its_own(stage: Stage) -> None:
    fresh = Stage(implicit_namespaces=False)
    known = everything(fresh)
    for collection in stage.store.collections():
        for key, obj in collection.objects.items():
            if f"{collection.kind.kind} {key}" in known:
                continue
            assert rules.validate_create(obj) == [], key
            assert not decode.decode(obj, obj["apiVersion"], obj["kind"]).warnings, key
            assert membership.is_own(obj) or collection.kind.kind == "Lease", key


def test_roles_are_made_up_of_others(stage: Stage) -> None:
    rules_of = {name: obj["rules"] for name, obj in stage.store.read(CLUSTER_ROLE).items()}
    assert rules_of["view"] == rules_of["system:aggregate-to-view"]
    assert all(each in rules_of["edit"] for each in rules_of["system:aggregate-to-edit"])
    assert all(each in rules_of["admin"] for each in rules_of["edit"])
    assert len(rules_of) > 60
    assert rules_of["cluster-admin"][0] == {"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}


def test_fields_of_roles_are_those_of_the_api_server(stage: Stage) -> None:
    for name, role in stage.store.read(CLUSTER_ROLE).items():
        (entry, *_) = role["metadata"]["managedFields"]
        assert entry["manager"] in ("kube-apiserver", "clusterrole-aggregation-controller"), name
        labels = {f"f:{each}" for each in role["metadata"]["labels"]}
        owned: set[str] = set()
        for each in role["metadata"]["managedFields"]:
            owned |= set(each["fieldsV1"].get("f:metadata", {}).get("f:labels", {}))
        assert owned == labels | {"."}, name


def test_flow_schemas_name_levels_that_are_there(stage: Stage) -> None:
    version = "flowcontrol.apiserver.k8s.io/v1"
    levels = stage.store.read((version, "PriorityLevelConfiguration"))
    schemas = stage.store.read((version, "FlowSchema"))
    named = {each["spec"]["priorityLevelConfiguration"]["name"] for each in schemas.values()}
    assert named == set(levels)
    by_precedence = sorted(schemas, key=lambda name: schemas[name]["spec"]["matchingPrecedence"])
    assert (by_precedence[0], by_precedence[-1]) == ("exempt", "catch-all")
    assert {each["status"]["conditions"][0]["status"] for each in schemas.values()} == {"False"}


def test_nothing_is_made_twice_and_another_address_is_taken_over(stage: Stage) -> None:
    before = everything(stage)
    installing.install(stage, Bootstrap(address="192.0.2.7", port=7777, certificate="PEM"))
    stage.run("1s")
    assert everything(stage) == before
    assert stage.store.get(ENDPOINTS, "kubernetes")["subsets"] == [
        {
            "addresses": [{"ip": "192.0.2.7"}],
            "ports": [{"name": "https", "port": 7777, "protocol": "TCP"}],
        }
    ]
    assert stage.store.get(SLICE, "kubernetes")["endpoints"][0]["addresses"] == ["192.0.2.7"]


def build(options: ServeOptions) -> Stage:
    observer = Observer()
    inputs = cluster.read(options, observer)
    found = cluster.open_stage(options, inputs)
    cluster.fill(found, options, inputs, SERVER, observer)
    if found.journal is not None:
        found.journal.close()
    return found.stage


def test_a_data_directory_has_them_once_also_one_of_before(tmp_path: pathlib.Path) -> None:
    options = ServeOptions(data_dir=str(tmp_path / "data"))
    inputs = cluster.read(options, Observer())
    old = cluster.open_stage(options, inputs)
    assert old.journal is not None
    old.journal.close()
    first = everything(build(options))
    assert "Service default/kubernetes" in first
    assert "ServiceAccount kube-system/default" in first
    again = everything(build(options))
    assert {name: again[name] for name in first} == first


def test_a_dump_that_has_its_own_is_served(tmp_path: pathlib.Path, stage: Stage) -> None:
    file = tmp_path / "dump.yaml"
    kinds = (SERVICE, ENDPOINTS, SLICE, ACCOUNT, CONFIG_MAP, CLUSTER_ROLE)
    items = [obj for kind in kinds for obj in stage.store.read(kind).values()]
    file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    found = everything(build(ServeOptions(in_memory=True, files=(str(file),))))
    mine = everything(stage)
    assert found["Service default/kubernetes"] == mine["Service default/kubernetes"]
    assert found["ServiceAccount default/default"] == mine["ServiceAccount default/default"]


def test_a_fork_goes_on_with_them(stage: Stage) -> None:
    fork = stage.fork()
    assert everything(fork) == everything(stage)
    fork.store.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "late"}})
    fork.run("1s")
    assert fork.store.get(ACCOUNT, "default", "late")


def test_exports_leave_them_out_and_imports_do_not_bring_them_twice(stage: Stage) -> None:
    stage.store.create(
        {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "builder"}}
    )
    found = snapshots.objects(stage.store)
    assert {(each["kind"], each["metadata"]["name"]) for each in found} == {
        ("ServiceAccount", "builder"),
        *(("Namespace", name) for name in NAMESPACES),
        ("PriorityClass", "system-cluster-critical"),
        ("PriorityClass", "system-node-critical"),
    }
    body = json.dumps({"apiVersion": "v1", "kind": "List", "items": list_of(stage)}).encode()
    snapshot = snapshot_import.without_own(stage.store, snapshot_import.read(body))
    assert not snapshot.events


def list_of(stage: Stage) -> list[Any]:
    return [*stage.store.read(SERVICE).values(), *stage.store.read(CLUSTER_ROLE).values()]


def test_a_scenario_is_as_without_them_and_they_come_back_when_it_has_ended() -> None:
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team"}}
    service = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "web", "namespace": "team"},
        "spec": {"ports": [{"port": 80}], "selector": {"app": "web"}},
    }
    pods = [create(make_pod(f"p{number}", cpu="10m")) for number in range(3)]
    events = [create(make_node("n1")), create(namespace), create(service, 1), *pods, done(2)]
    plain = building.run(*events, alive=True)

    async def story() -> None:
        stage = Stage()
        stage.add_scheduler()
        stage.add_controllers()
        installing.install(stage, SERVER)
        stage.run("1s")
        async with served(stage=stage) as live:
            await live.call("POST", SCENARIOS, scenario(*events))
            assert (await live.scenario())["phase"] == "Succeeded"
            assert building.summary(stage) == building.summary(plain)
            assert building.status(stage)["scenarioResult"]["timeline"].keys() == (
                building.status(plain)["scenarioResult"]["timeline"].keys()
            )
            await live.quiet()
            assert stage.store.get(SERVICE, "kubernetes")
            assert stage.store.get(ACCOUNT, "default", "team")
            assert set(stage.store.read(IP_ADDRESS)) >= {"10.96.0.1"}
            addresses = {each["spec"]["clusterIP"] for each in stage.store.read(SERVICE).values()}
            assert set(stage.store.read(IP_ADDRESS)) == addresses

    tell(story())


def test_a_simulation_has_none_of_them() -> None:
    plain = Stage()
    plain.add_controllers()
    plain.run("1m")
    assert plain.store.object_count == 6
    assert plain.controllers is not None
    asleep = {each.name for each in plain.controllers.controllers if isinstance(each, Placeholder)}
    assert asleep >= set(registry.SERVED)


def test_what_a_server_on_this_machine_publishes_is_valid() -> None:
    assert ipaddress.ip_address(HOST_OF_NODES).is_private
    assert placeholder_certificate().startswith("-----BEGIN CERTIFICATE-----\n")


STORAGE_CLASS = ("storage.k8s.io/v1", "StorageClass")


def test_claims_that_name_no_class_get_volumes(stage: Stage) -> None:
    stage.add_scheduler()
    stage.apply([make_node("n1", cpu="4")])
    pod = make_pod("web")
    claim = {"persistentVolumeClaim": {"claimName": "data"}}
    pod["spec"]["volumes"] = [{"name": "data", **claim}]
    request = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    stage.apply(
        [
            {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "data"},
             "spec": request},
            pod,
        ]
    )  # fmt: skip
    stage.run("1m")
    assert stage.store.get(("v1", "Pod"), "web")["status"]["phase"] == "Running"
    found = stage.store.get(("v1", "PersistentVolumeClaim"), "data")
    assert (found["spec"]["storageClassName"], found["status"]["phase"]) == ("standard", "Bound")


def test_a_cluster_with_classes_keeps_what_it_has() -> None:
    made = Stage(implicit_namespaces=False)
    made.add_controllers()
    own = {"apiVersion": STORAGE_CLASS[0], "kind": STORAGE_CLASS[1], "metadata": {"name": "fast"},
           "provisioner": "ebs.csi.aws.com"}  # fmt: skip
    made.apply([own])
    installing.install(made, SERVER)
    assert list(made.store.read(STORAGE_CLASS)) == ["fast"]
    own["metadata"] = {"name": "standard"}
    assert not membership.is_own(own)


def test_without_provisioners_there_is_no_class() -> None:
    made = Stage(implicit_namespaces=False)
    installing.install(made, SERVER)
    assert not made.store.read(STORAGE_CLASS)
