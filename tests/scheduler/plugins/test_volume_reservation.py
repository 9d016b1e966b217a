"""VolumeBinding from the choice of a node on: assume, write, give back."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from kubestage import errors
from kubestage.scheduler.cache import Cache
from kubestage.scheduler.cycle_state import CycleState
from kubestage.scheduler.handle import Handle
from kubestage.scheduler.nominator import Nominator
from kubestage.scheduler.plugins.volume_binding import VolumeBinding
from kubestage.scheduler.replay.cluster import ReplayCluster
from kubestage.scheduler.status import SUCCESS, error
from tests.scheduler.plugins import clusters, storages
from tests.scheduler.plugins.storages import BOUND, SELECTED

STATIC = storages.storage_class("waiting", "kubernetes.io/no-provisioner")
DYNAMIC = storages.storage_class("waiting")


class Refusing(ReplayCluster):
    """A cluster that lets nobody change some of its objects."""

    refused = "d"

    def update(self, obj: Any, subresource: str = "") -> Any:
        if obj["metadata"]["name"] == self.refused:
            raise errors.Conflict("the object has been modified")
        return super().update(obj, subresource)


def refusing(objects: Any) -> Handle:
    cluster = Refusing(objects, Cache())
    return Handle(cluster, cluster, Nominator(), random.Random(0), Cache())


def chosen(plugin: VolumeBinding, pod: Any) -> tuple[CycleState, list[str]]:
    """The state of an attempt that may take either node, and those that are open to it."""
    state, over = CycleState(), clusters.columns([clusters.node("m"), clusters.node("n")])
    assert plugin.pre_filter(state, pod, over)[0] == SUCCESS
    codes = plugin.filter(state, pod, over, slice(None))
    assert codes is not None
    return state, [over.names[row] for row in np.flatnonzero(codes == 0)]


def found(handle: Handle, kind: str, name: str) -> Any:
    namespace = "default" if kind == "PersistentVolumeClaim" else ""
    obj = handle.lister.get("v1", kind, name, namespace)
    assert obj is not None
    return obj


def test_a_chosen_volume_refers_to_its_claim() -> None:
    handle = clusters.handle([STATIC, storages.claim("c"), storages.volume("v")])
    plugin, pod = VolumeBinding({}, handle), storages.using("p", "c")
    state, _ = chosen(plugin, pod)
    assert plugin.reserve(state, pod, "n") == SUCCESS
    assert "claimRef" not in found(handle, "PersistentVolume", "v")["spec"]
    assert plugin.pre_bind(state, pod, "n") == SUCCESS
    volume = found(handle, "PersistentVolume", "v")
    assert volume["spec"]["claimRef"] == {
        "apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": "default",
        "name": "c", "uid": "uid-c",
    }  # fmt: skip
    assert volume["metadata"]["annotations"] == {"pv.kubernetes.io/bound-by-controller": "yes"}
    assert "annotations" not in found(handle, "PersistentVolumeClaim", "c")["metadata"]


def test_a_volume_that_a_person_meant_for_the_claim_is_not_the_controllers() -> None:
    meant = storages.volume("v", claimRef=storages.reference("c"))
    handle = clusters.handle([STATIC, storages.claim("c"), meant])
    plugin, pod = VolumeBinding({}, handle), storages.using("p", "c")
    state, _ = chosen(plugin, pod)
    plugin.reserve(state, pod, "n")
    plugin.pre_bind(state, pod, "n")
    volume = found(handle, "PersistentVolume", "v")
    assert volume["spec"]["claimRef"]["uid"] == "uid-c"
    assert "annotations" not in volume["metadata"]


def test_a_claim_to_make_a_volume_for_names_the_node() -> None:
    handle = clusters.handle([DYNAMIC, storages.claim("c", annotations={"x": "y"})])
    plugin, pod = VolumeBinding({}, handle), storages.using("p", "c")
    state, _ = chosen(plugin, pod)
    plugin.reserve(state, pod, "n")
    plugin.pre_bind(state, pod, "n")
    claim = found(handle, "PersistentVolumeClaim", "c")
    assert claim["metadata"]["annotations"] == {"x": "y", SELECTED: "n"}


def test_a_claim_keeps_its_version_so_that_a_change_in_between_is_noticed() -> None:
    claim = storages.claim("c")
    claim["metadata"]["resourceVersion"] = "7"
    handle = clusters.handle([STATIC, claim, storages.volume("v")])
    plugin, pod = VolumeBinding({}, handle), storages.using("p", "c")
    state, _ = chosen(plugin, pod)
    plugin.reserve(state, pod, "n")
    plugin.pre_bind(state, pod, "n")
    assert found(handle, "PersistentVolume", "v")["spec"]["claimRef"]["resourceVersion"] == "7"


def test_a_reserved_volume_is_not_given_to_the_next_pod() -> None:
    objects = [STATIC, storages.claim("c"), storages.claim("d"), storages.volume("v")]
    plugin = VolumeBinding({}, clusters.handle(objects))
    first, second = storages.using("p", "c"), storages.using("q", "d")
    state, _ = chosen(plugin, first)
    plugin.reserve(state, first, "n")
    assert chosen(plugin, second)[1] == []
    plugin.unreserve(state, first, "n")
    assert chosen(plugin, second)[1] == ["m", "n"]


def test_a_node_reserved_for_a_claim_binds_the_next_pod_that_shares_it() -> None:
    plugin = VolumeBinding({}, clusters.handle([DYNAMIC, storages.claim("c")]))
    first, second = storages.using("p", "c"), storages.using("q", "c")
    state, _ = chosen(plugin, first)
    plugin.reserve(state, first, "n")
    assert chosen(plugin, second)[1] == ["n"]
    plugin.unreserve(state, first, "n")
    assert chosen(plugin, second)[1] == ["m", "n"]


def test_a_newer_version_of_an_object_outdates_what_was_assumed() -> None:
    handle = clusters.handle([DYNAMIC, storages.claim("c")])
    plugin, pod = VolumeBinding({}, handle), storages.using("p", "c")
    state, _ = chosen(plugin, pod)
    plugin.reserve(state, pod, "n")
    handle.client.update(storages.claim("c", annotations={SELECTED: "m"}))
    assert chosen(plugin, storages.using("q", "c"))[1] == ["m"]
    plugin.unreserve(state, pod, "n")
    assert chosen(plugin, storages.using("q", "c"))[1] == ["m"]


def test_what_is_written_is_assumed_no_more() -> None:
    claim = storages.claim("c")
    claim["metadata"]["resourceVersion"] = "7"
    handle = clusters.handle([DYNAMIC, claim])
    plugin, pod = VolumeBinding({}, handle), storages.using("p", "c")
    state, _ = chosen(plugin, pod)
    plugin.reserve(state, pod, "n")
    assert chosen(plugin, storages.using("q", "c"))[1] == ["n"]
    assert plugin.pre_bind(state, pod, "n") == SUCCESS
    handle.client.update(claim)
    assert chosen(plugin, storages.using("q", "c"))[1] == ["m", "n"]


def test_giving_back_leaves_what_is_assumed_of_a_newer_version() -> None:
    older, newer = storages.claim("c"), storages.claim("c")
    older["metadata"]["resourceVersion"], newer["metadata"]["resourceVersion"] = "1", "2"
    handle = clusters.handle([DYNAMIC, older])
    plugin = VolumeBinding({}, handle)
    first, second = storages.using("p", "c"), storages.using("q", "c")
    state, _ = chosen(plugin, first)
    plugin.reserve(state, first, "n")
    handle.client.update(newer)
    later, _ = chosen(plugin, second)
    plugin.reserve(later, second, "m")
    plugin.unreserve(state, first, "n")
    assert chosen(plugin, first)[1] == ["m"]


def test_what_the_api_refuses_is_an_error_and_given_back() -> None:
    objects = [STATIC, storages.claim("b"), storages.claim("d", size="6Gi")]
    volumes = [storages.volume("v"), storages.volume("d", size="20Gi")]
    handle = refusing([*objects, *volumes])
    plugin, pod = VolumeBinding({}, handle), storages.using("p", "b", "d")
    state, _ = chosen(plugin, pod)
    plugin.reserve(state, pod, "n")
    assert plugin.pre_bind(state, pod, "n") == error("the object has been modified")
    assert found(handle, "PersistentVolume", "v")["spec"]["claimRef"]["name"] == "b"
    assert chosen(plugin, storages.using("q", "d"))[1] == ["m", "n"]


def test_bound_claims_and_pods_without_claims_need_nothing() -> None:
    objects = [storages.bound_claim("c", "v"), storages.volume("v", claimRef=BOUND)]
    handle = clusters.handle(objects)
    before = found(handle, "PersistentVolume", "v")
    plugin = VolumeBinding({}, handle)
    for pod in (storages.using("p", "c"), clusters.pod()):
        state, over = CycleState(), clusters.columns([clusters.node("n")])
        if plugin.pre_filter(state, pod, over)[0].is_success:
            plugin.filter(state, pod, over, slice(None))
        assert plugin.reserve(state, pod, "n") == SUCCESS
        assert plugin.pre_bind(state, pod, "n") == SUCCESS
        plugin.unreserve(state, pod, "n")
    assert found(handle, "PersistentVolume", "v") is before


def test_pods_tried_on_and_off_a_node_move_no_volumes() -> None:
    objects = [STATIC, storages.claim("c"), storages.volume("v")]
    plugin, pod = VolumeBinding({}, clusters.handle(objects)), storages.using("p", "c")
    state, _ = chosen(plugin, pod)
    assert state.clone()["VolumeBinding"] is state["VolumeBinding"]
