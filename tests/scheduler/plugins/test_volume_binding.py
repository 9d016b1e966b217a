from __future__ import annotations

from typing import Any

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

from kubestage.scheduler.cycle_state import CycleState
from kubestage.scheduler.plugins.volume_binding import VolumeBinding
from kubestage.scheduler.status import SUCCESS, error, unresolvable
from tests.reference import volume_binding as twin
from tests.scheduler.plugins import clusters, storage_clusters, storages
from tests.scheduler.plugins.storages import HOST, SELECTED, ZONE

OUT_OF_REACH = unresolvable("node(s) didn't match PersistentVolume's node affinity")
NOT_FOUND = unresolvable("node(s) didn't find available persistent volumes to bind")
NO_ROOM = unresolvable("node(s) did not have enough free storage")
GONE = unresolvable("node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)")
STATIC = storages.storage_class("waiting", "kubernetes.io/no-provisioner")


def on_nodes(objects: Any, *nodes: Any, pod: Any = None) -> Any:
    plugin = VolumeBinding({}, clusters.handle(objects))
    over = clusters.columns(nodes or [clusters.node("n", labels={ZONE: "a", HOST: "n"})])
    verdicts = clusters.verdicts(plugin, pod or storages.using("p", "c"), over)
    return verdicts if nodes else verdicts[0]


def written(objects: Any, node_name: str = "n", pod: Any = None) -> tuple[list[Any], list[Any]]:
    """The volumes and claims that are changed when the pod is bound to a node."""
    handle = clusters.handle(objects)
    before = [*handle.lister.list("v1", "PersistentVolume")]
    before += handle.lister.list("v1", "PersistentVolumeClaim")
    plugin, state = VolumeBinding({}, handle), CycleState()
    pod = pod or storages.using("p", "c")
    over = clusters.columns([clusters.node("n", labels={HOST: "n"})])
    assert plugin.pre_filter(state, pod, over)[0] == SUCCESS
    assert not np.any(plugin.filter(state, pod, over, slice(None)))
    assert plugin.reserve(state, pod, node_name) == SUCCESS
    assert plugin.pre_bind(state, pod, node_name) == SUCCESS
    kinds = ("PersistentVolume", "PersistentVolumeClaim")
    volumes, claims = (
        [each for each in handle.lister.list("v1", kind) if each not in before] for kind in kinds
    )
    return volumes, claims


@hypothesis.given(storage_clusters.objects(), storage_clusters.nodes(), storage_clusters.pods())
def test_claims_are_judged_as_by_the_twin(objects: Any, nodes: Any, pod: Any) -> None:
    handle, over = clusters.handle(objects), clusters.columns(nodes)
    plugin = VolumeBinding({}, handle)
    expected = twin.pre_filter(handle.lister, pod)
    assert plugin.pre_filter(CycleState(), pod, over) == (expected, None)
    if expected.is_success:
        plans = [twin.filter_node(handle.lister, pod, info.view) for info in over.infos]
        assert clusters.verdicts(plugin, pod, over) == [plan.status for plan in plans]


@hypothesis.settings(max_examples=300)
@hypothesis.given(
    storage_clusters.orderly_objects(),
    storage_clusters.nodes(),
    st.lists(st.sampled_from(["c0", "c1", "c2", "c3"]), min_size=1, max_size=4),
)
def test_volumes_are_found_as_by_the_twin(objects: Any, nodes: Any, claims: list[str]) -> None:
    handle, over = clusters.handle(objects), clusters.columns(nodes)
    plugin, state, pod = VolumeBinding({}, handle), CycleState(), storages.using("p", *claims)
    assert plugin.pre_filter(state, pod, over) == (SUCCESS, None)
    plans = [twin.filter_node(handle.lister, pod, info.view) for info in over.infos]
    assert clusters.verdicts(plugin, pod, over) == [plan.status for plan in plans]
    plugin.filter(state, pod, over, slice(None))
    found = state["VolumeBinding"].search
    for row, plan in enumerate(plans):
        if plan.status.is_success:
            chosen = [(claim.name, volume.name) for claim, volume in found.bindings(row)]
            assert chosen == plan.bindings
            assert [claim.name for claim in found.provisions(row)] == plan.provisions


def test_a_bound_volume_must_be_within_reach() -> None:
    volume = storages.volume("v", terms=[storages.within(ZONE, "a"), storages.within(ZONE, "b")])
    nodes = [clusters.node(name, labels={ZONE: name}) for name in "abc"]
    verdicts = on_nodes([storages.bound_claim("c", "v"), volume], *nodes)
    assert verdicts == [SUCCESS, SUCCESS, OUT_OF_REACH]


def test_what_a_volume_says_of_node_names_is_not_looked_at() -> None:
    named = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["other"]}]}
    objects = [storages.bound_claim("c", "v"), storages.volume("v", terms=[named])]
    assert on_nodes(objects) == SUCCESS


def test_a_volume_that_is_gone_is_told() -> None:
    assert on_nodes([storages.bound_claim("c", "v")]) == GONE


def test_a_volume_out_of_reach_is_told_before_one_that_is_gone() -> None:
    far = storages.volume("far", terms=[storages.within(ZONE, "z")])
    objects = [storages.bound_claim("c", "far"), far, storages.bound_claim("d", "gone")]
    assert on_nodes(objects, pod=storages.using("p", "c", "d")) == OUT_OF_REACH
    assert on_nodes(objects, pod=storages.using("p", "d", "c")) == GONE


def test_all_reasons_are_told() -> None:
    objects = [storages.bound_claim("b", "gone"), storages.claim("c"), STATIC]
    reasons = (*NOT_FOUND.reasons, *GONE.reasons)
    assert on_nodes(objects, pod=storages.using("p", "b", "c")) == unresolvable(*reasons)


@pytest.mark.parametrize(
    ("volume", "verdict"),
    [
        ({}, SUCCESS),
        ({"size": "4Gi"}, NOT_FOUND),
        ({"class_name": "other"}, NOT_FOUND),
        ({"volumeMode": "Block"}, NOT_FOUND),
        ({"accessModes": ["ReadOnlyMany"]}, NOT_FOUND),
        ({"accessModes": ["ReadOnlyMany", "ReadWriteOnce"]}, SUCCESS),
        ({"phase": "Released"}, NOT_FOUND),
        ({"deleted": True}, NOT_FOUND),
        ({"volumeAttributesClassName": "gold"}, NOT_FOUND),
        ({"terms": [storages.within(ZONE, "b")]}, NOT_FOUND),
        ({"terms": [{"matchExpressions": [{"key": ZONE, "operator": "Huh"}]}]}, NOT_FOUND),
        ({"claimRef": storages.reference("d")}, NOT_FOUND),
        ({"claimRef": storages.reference("c")}, SUCCESS),
        ({"claimRef": storages.reference("c", "uid-c")}, SUCCESS),
        ({"claimRef": storages.reference("c", "another")}, NOT_FOUND),
        ({"claimRef": storages.reference("c"), "phase": "Bound"}, SUCCESS),
        ({"claimRef": storages.reference("c"), "accessModes": ["ReadOnlyMany"]}, SUCCESS),
        ({"claimRef": storages.reference("c"), "size": "4Gi"}, NOT_FOUND),
        ({"claimRef": storages.reference("c"), "terms": [storages.within(ZONE, "b")]}, NOT_FOUND),
    ],
)
def test_a_volume_must_fulfil_all_that_the_claim_asks(volume: Any, verdict: Any) -> None:
    assert on_nodes([storages.claim("c"), STATIC, storages.volume("v", **volume)]) == verdict


@pytest.mark.parametrize(("grade", "verdict"), [("fast", SUCCESS), ("slow", NOT_FOUND)])
def test_a_claim_may_select_volumes_by_label(grade: str, verdict: Any) -> None:
    claim = storages.claim("c", selector={"matchLabels": {"grade": "fast"}})
    assert on_nodes([claim, STATIC, storages.volume("v", labels={"grade": grade})]) == verdict


def test_a_malformed_selector_is_an_error() -> None:
    huh = {"matchExpressions": [{"key": "x", "operator": "Huh"}]}
    objects = [storages.claim("c", selector=huh), STATIC, storages.volume("v")]
    told = (
        "error creating internal label selector for claim: default/c: "
        '"Huh" is not a valid label selector operator'
    )
    assert on_nodes(objects) == error(told)


def test_a_volume_meant_for_the_claim_is_taken_or_none_is() -> None:
    meant = storages.volume("meant", claimRef=storages.reference("c"), terms=[
        storages.within(ZONE, "b")
    ])  # fmt: skip
    objects = [storages.claim("c"), STATIC, meant, storages.volume("free")]
    assert on_nodes(objects) == NOT_FOUND


def test_the_smallest_volume_is_taken_for_the_smallest_claim() -> None:
    volumes = [storages.volume(f"v{size}", size=f"{size}Gi") for size in (30, 8, 12)]
    claims = [storages.claim("c", size="6Gi"), storages.claim("d", size="5Gi")]
    changed, _ = written([STATIC, *volumes, *claims], pod=storages.using("p", "c", "d"))
    bound = {each["metadata"]["name"]: each["spec"]["claimRef"]["name"] for each in changed}
    assert bound == {"v8": "d", "v12": "c"}


def test_no_volume_is_given_out_twice() -> None:
    objects = [STATIC, storages.volume("v"), storages.claim("c"), storages.claim("d")]
    assert on_nodes(objects, pod=storages.using("p", "c", "d")) == NOT_FOUND


@pytest.mark.parametrize(
    ("terms", "verdict"),
    [
        ([[(ZONE, ["a"])]], SUCCESS),
        ([[(ZONE, ["b"])]], NOT_FOUND),
        ([[(ZONE, ["b"])], [(ZONE, ["a", "c"])]], SUCCESS),
        ([[(ZONE, ["a"]), (HOST, ["m"])]], NOT_FOUND),
        ([[]], NOT_FOUND),
    ],
)
def test_a_volume_is_made_only_where_the_class_allows(terms: Any, verdict: Any) -> None:
    allowed = [
        {"matchLabelExpressions": [{"key": key, "values": values} for key, values in term]}
        for term in terms
    ]
    found = storages.storage_class("waiting", allowedTopologies=allowed)
    assert on_nodes([storages.claim("c"), found]) == verdict


@pytest.mark.parametrize(
    ("pool", "verdict"),
    [
        ({"capacity": "5Gi", "nodeTopology": {}}, SUCCESS),
        ({"capacity": "4Gi", "nodeTopology": {}}, NO_ROOM),
        ({"capacity": "9Gi", "maximumVolumeSize": "4Gi", "nodeTopology": {}}, NO_ROOM),
        ({"capacity": "1Gi", "maximumVolumeSize": "5Gi", "nodeTopology": {}}, SUCCESS),
        ({"nodeTopology": {}}, NO_ROOM),
        ({"capacity": "9Gi"}, NO_ROOM),
        ({"capacity": "9Gi", "nodeTopology": {"matchLabels": {ZONE: "a"}}}, SUCCESS),
        ({"capacity": "9Gi", "nodeTopology": {"matchLabels": {ZONE: "b"}}}, NO_ROOM),
        ({"capacity": "9Gi", "nodeTopology": {}, "class_name": "other"}, NO_ROOM),
    ],
)
def test_a_volume_is_made_only_where_the_driver_has_room(pool: Any, verdict: Any) -> None:
    objects = [storages.claim("c"), storages.storage_class("waiting"), storages.csi_driver()]
    assert on_nodes([*objects, storages.capacity("pool", **pool)]) == verdict


def test_the_first_claim_that_cannot_be_met_decides() -> None:
    elsewhere = [{"matchLabelExpressions": [{"key": ZONE, "values": ["b"]}]}]
    objects = [
        storages.storage_class("zonal", allowedTopologies=elsewhere),
        storages.storage_class("full"),
        storages.csi_driver(),
        storages.claim("small", "zonal", "1Gi"),
        storages.claim("large", "full", "9Gi"),
    ]
    pod = storages.using("p", "large", "small")
    assert on_nodes(objects, pod=pod) == NOT_FOUND
    assert on_nodes(objects, pod=storages.using("p", "large")) == NO_ROOM


def test_a_driver_that_does_not_tell_of_its_capacity_is_not_held_to_it() -> None:
    objects = [storages.claim("c"), storages.storage_class("waiting")]
    assert on_nodes([*objects, storages.csi_driver(capacity=False)]) == SUCCESS
    assert on_nodes(objects) == SUCCESS


def test_a_claim_for_which_a_node_was_chosen_stays_there() -> None:
    objects = [
        storages.claim("c", annotations={SELECTED: "b"}),
        storages.storage_class("waiting"),
        storages.volume("v"),
    ]
    assert on_nodes(objects, clusters.node("a"), clusters.node("b")) == [NOT_FOUND, SUCCESS]


def test_storage_is_not_scored() -> None:
    plugin = VolumeBinding({}, clusters.handle())
    over = clusters.columns([clusters.node("n")])
    assert clusters.scores(plugin, storages.using("p", "c"), over) is None


@pytest.mark.parametrize("migrated", [True, False])
def test_volumes_of_old_drivers_are_placed_by_those_that_took_over(migrated: bool) -> None:
    old = storages.volume(
        "v", awsElasticBlockStore={"volumeID": "vol-1"}, terms=[storages.within(ZONE, "a")]
    )
    plugins = "kubernetes.io/gce-pd,kubernetes.io/aws-ebs" if migrated else ""
    annotations = {"storage.alpha.kubernetes.io/migrated-plugins": plugins}
    objects = [storages.bound_claim("c", "v"), old, storages.csi_node("m", annotations)]
    nodes = [
        clusters.node("m", labels={"topology.ebs.csi.aws.com/zone": "a"}),
        clusters.node("n", labels={"topology.ebs.csi.aws.com/zone": "a"}),
    ]
    expected = [SUCCESS if migrated else OUT_OF_REACH, OUT_OF_REACH]
    assert on_nodes(objects, *nodes) == expected


def test_a_volume_that_cannot_be_told_in_new_words_is_an_error() -> None:
    old = storages.volume("v", awsElasticBlockStore={"volumeID": "aws://z/x"})
    annotations = {"storage.alpha.kubernetes.io/migrated-plugins": "kubernetes.io/aws-ebs"}
    objects = [storages.bound_claim("c", "v"), old, storages.csi_node("m", annotations)]
    told = (
        "could not translate pv: failed to translate Kubernetes ID to EBS Volume ID "
        "Invalid format for AWS volume (aws://z/x)"
    )
    verdicts = on_nodes(objects, clusters.node("m"), clusters.node("n"))
    assert verdicts == [error(told), SUCCESS]
