"""Exports of kube-scheduler-simulator become one step in which all of it is there."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubestage.errors import InputError
from kubestage.scenario import kss_export
from kubestage.scheduler import config
from tests.scenario import kss_samples as samples

if TYPE_CHECKING:
    from kubestage.aliases import Json


def _creations(exported: Json) -> dict[str, Json]:
    """What a Scenario creates, by the event's id."""
    events = kss_export.scenario(exported)["spec"]["events"]
    return {each["id"]: each["createOperation"] for each in events if "createOperation" in each}


def _shop(**lists: Any) -> Json:
    return (
        samples.export(
            namespaces=[samples.namespace("shop")], nodes=[samples.node("n1"), samples.node("n2")]
        )
        | lists
    )


def test_an_export_is_known_by_its_keys() -> None:
    assert kss_export.is_export(samples.export())
    assert kss_export.is_export({"nodes": None})
    assert kss_export.is_export({"schedulerConfig": {}})


@pytest.mark.parametrize(
    "other",
    [
        {},
        [],
        None,
        "pods",
        {"kind": "Pod", "pods": []},
        {"apiVersion": "v1", "nodes": []},
        {"nodes": 3},
        {"pods": {}},
        {"schedulerConfig": []},
        {"spec": {}},
    ],
)
def test_nothing_else_is_an_export(other: Any) -> None:
    assert not kss_export.is_export(other)


def test_everything_is_created_in_one_step_in_the_order_of_the_simulator() -> None:
    exported = _shop(
        pods=[samples.pod("web")],
        pvs=[samples.volume("pv1")],
        pvcs=[samples.claim("data")],
        storageClasses=[samples.storage_class()],
        priorityClasses=[{"metadata": samples.metadata("high"), "value": 10}],
    )
    scenario = kss_export.scenario(exported, "saved")
    events = scenario["spec"]["events"]
    assert scenario["metadata"]["name"] == "saved"
    assert "stepDuration" not in scenario["spec"]
    assert {each["step"] for each in events} == {0}
    assert [each["id"] for each in events] == [
        "namespace/shop",
        "priorityclass/high",
        "storageclass/disks",
        "persistentvolumeclaim/shop/data",
        "node/n1",
        "node/n2",
        "pod/shop/web",
        "persistentvolume/pv1",
        "done",
    ]


def test_items_have_the_kind_of_their_list() -> None:
    made = _creations(_shop(storageClasses=[samples.storage_class()]))
    kinds = {
        name: (each["object"]["apiVersion"], each["object"]["kind"]) for name, each in made.items()
    }
    assert kinds["node/n1"] == ("v1", "Node")
    assert kinds["storageclass/disks"] == ("storage.k8s.io/v1", "StorageClass")


def test_null_lists_and_missing_keys_are_empty_lists() -> None:
    assert _creations(dict.fromkeys(kss_export.KEYS)) == {}
    assert list(_creations({"nodes": [samples.node("n1")]})) == ["node/n1"]


def test_the_input_is_left_alone() -> None:
    exported = _shop(
        pods=[samples.pod("web", meta={"ownerReferences": [{"kind": "ReplicaSet"}]})],
        pvcs=[samples.claim("data", "pv1")],
        pvs=[samples.volume("pv1", "data")],
    )
    before = copy.deepcopy(exported)
    kss_export.scenario(exported)
    kss_export.configuration(exported)
    assert exported == before


def test_what_a_cluster_stored_is_put_there_as_it_was() -> None:
    made = _creations(_shop(pods=[samples.bound(samples.pod("web"), "n1")]))
    web = made["pod/shop/web"]
    assert web["asRecorded"] is True
    assert web["object"]["metadata"]["uid"] == "uid-of-web"
    assert web["object"]["status"]["phase"] == "Running"
    assert "managedFields" not in web["object"]["metadata"]
    assert "resourceVersion" not in web["object"]["metadata"]


def test_a_pod_that_was_never_in_a_cluster_is_asked_for_anew() -> None:
    written = {"metadata": {"name": "web", "namespace": "shop"}, "spec": samples.pod("web")["spec"]}
    assert "asRecorded" not in _creations(_shop(pods=[written]))["pod/shop/web"]


def test_a_written_pod_with_a_node_and_a_status_is_put_there_as_it_was() -> None:
    web = samples.bound(samples.pod("web"), "n1")
    del web["metadata"]["uid"]
    assert _creations(_shop(pods=[web]))["pod/shop/web"]["asRecorded"] is True


def test_a_volume_that_lost_its_claim_is_not_given_to_another() -> None:
    lost = samples.volume("pv1", "data")
    lost["status"]["phase"] = "Released"
    lost["spec"]["claimRef"]["uid"] = "of-one-before"
    made = _creations(_shop(pvcs=[samples.claim("data")], pvs=[lost]))
    assert made["persistentvolume/pv1"]["object"]["spec"]["claimRef"]["uid"] == "of-one-before"


def test_the_claim_of_an_ephemeral_volume_keeps_its_pod() -> None:
    owner = {"apiVersion": "v1", "kind": "Pod", "name": "web", "uid": "uid-of-web"}
    scratch = samples.claim("web-scratch", ownerReferences=[owner])
    made = _creations(_shop(pvcs=[scratch]))["persistentvolumeclaim/shop/web-scratch"]
    assert made["object"]["metadata"]["ownerReferences"] == [owner]


def test_without_a_scheduler_configuration_there_is_none() -> None:
    assert kss_export.configuration(samples.export()) is None
    assert kss_export.configuration({"schedulerConfig": {}}) is None


def test_the_scheduler_configuration_can_be_loaded() -> None:
    plugins = {"preEnqueue": {}, "multiPoint": {"enabled": [{"name": "NodeName"}]}}
    args = {"kind": "VolumeBindingArgs", "apiVersion": samples.CONFIG, "bindTimeoutSeconds": 9}
    exported = samples.export(
        schedulerConfig={
            "parallelism": 16,
            "leaderElection": {
                "leaderElect": False,
                "leaseDuration": "0s",
                "renewDeadline": "0s",
                "retryPeriod": "0s",
                "resourceLock": "",
                "resourceName": "",
                "resourceNamespace": "",
            },
            "clientConnection": {"kubeconfig": "", "contentType": "", "qps": 0, "burst": 0},
            "percentageOfNodesToScore": 0,
            "extenders": None,
            "profiles": [
                {
                    "schedulerName": "mine",
                    "plugins": plugins,
                    "pluginConfig": [{"name": "VolumeBinding", "args": args}],
                }
            ],
        }
    )
    given_to_us = kss_export.configuration(exported)
    assert given_to_us is not None
    assert given_to_us["percentageOfNodesToScore"] == 0
    assert config.from_dict(given_to_us).profiles[0].scheduler_name == "mine"


def test_a_configuration_without_a_head_has_the_version_of_its_plugins() -> None:
    older = "kubescheduler.config.k8s.io/v1beta3"
    profile = {"pluginConfig": [{"name": "X"}, {"name": "Y", "args": {"apiVersion": older}}]}
    found = kss_export.configuration({"schedulerConfig": {"profiles": [profile]}})
    assert found is not None
    assert (found["apiVersion"], found["kind"]) == (older, "KubeSchedulerConfiguration")
    stated = {"apiVersion": samples.CONFIG, "profiles": [profile]}
    assert (kss_export.configuration({"schedulerConfig": stated}) or {})[
        "apiVersion"
    ] == samples.CONFIG


@pytest.mark.parametrize(
    ("wrong", "path", "problem"),
    [
        ({"pods": {}}, "pods", "not a list"),
        ({"pods": [3]}, "pods[0]", "not a Pod"),
        ({"nodes": [{}]}, "nodes[0].metadata.name", "name is missing"),
        (
            {"pods": [{"metadata": {"name": "a", "namespace": "b"}}] * 2},
            "pods[1].metadata.name",
            r"is pods\[0\] too",
        ),
        ({"nodes": [{"metadata": {"name": 3}}]}, "nodes[0].metadata.name", "name is missing"),
        ({"pods": [{"kind": "Node"}]}, "pods[0].kind", "kind is 'Node'"),
        ({"pods": [], "deployments": []}, "deployments", "not part of an export"),
    ],
)
def test_what_is_wrong_is_told_with_its_path(wrong: Json, path: str, problem: str) -> None:
    with pytest.raises(InputError, match=problem) as caught:
        kss_export.scenario(wrong)
    assert caught.value.path == path


def test_a_configuration_that_is_none_is_told() -> None:
    with pytest.raises(InputError) as caught:
        kss_export.configuration({"schedulerConfig": "default"})
    assert caught.value.path == "schedulerConfig"


_NAMES = st.sampled_from(
    ["spec", "status", "claimRef", "phase", "name", "ownerReferences", "finalizers", "annotations"]
)
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(["", "Bound", "data", "Never"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_NAMES, inner, max_size=4),
    max_leaves=12,
)
_OBJECTS = st.dictionaries(_NAMES, _VALUES, max_size=4)
_ITEMS = st.builds(lambda obj, meta: {**obj, "metadata": {**meta, "name": "x"}}, _OBJECTS, _OBJECTS)


@given(key=st.sampled_from(sorted(kss_export.KEYS)), items=st.lists(_ITEMS | _VALUES, max_size=3))
def test_whatever_is_handed_in_ends_in_a_scenario_or_in_words(key: str, items: list[Any]) -> None:
    exported = {"pvcs": [{"metadata": {"name": "data"}}], key: items}
    told = ""
    try:
        events = kss_export.scenario(exported)["spec"]["events"]
        kss_export.configuration(exported)
    except InputError as error:
        told, events = str(error), []
    assert bool(told) != bool(events)
