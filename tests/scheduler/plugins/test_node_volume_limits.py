from __future__ import annotations

from typing import Any

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

from kubestage.scheduler.cycle_state import CycleState
from kubestage.scheduler.plugins.node_volume_limits import NodeVolumeLimits
from kubestage.scheduler.status import SKIP, SUCCESS, error, unresolvable, unschedulable
from tests.reference import node_volume_limits as twin
from tests.scheduler.plugins import clusters, storage_clusters, storages

EXCEEDED = unschedulable("node(s) exceed max volume count")
EPHEMERAL = {"name": "mine", "ephemeral": {"volumeClaimTemplate": {"spec": {}}}}
EBS = "ebs.csi.aws.com"
USING_C1 = storages.using("p", "c1")


def bound(number: int, **parts: Any) -> list[Any]:
    """A claim and its volume."""
    return [
        storages.bound_claim(f"c{number}", f"v{number}"),
        storages.volume(f"v{number}", **parts),
    ]


def inline(volume_id: str) -> Any:
    return {"name": volume_id, "awsElasticBlockStore": {"volumeID": volume_id}}


def on_node(objects: Any, pod: Any, *there: Any) -> Any:
    over = clusters.columns([clusters.node("n")], {"n": list(there)})
    plugin = NodeVolumeLimits({}, clusters.handle(objects))
    (verdict,) = clusters.verdicts(plugin, pod, over)
    return verdict


@hypothesis.given(
    storage_clusters.objects(), storage_clusters.nodes(), storage_clusters.pods(), st.data()
)
def test_nodes_are_judged_as_by_the_twin(objects: Any, nodes: Any, pod: Any, data: Any) -> None:
    handle, over = clusters.handle(objects), clusters.columns(nodes)
    for number in range(3):
        row = data.draw(st.integers(0, len(nodes) - 1))
        over.add_pod(row, data.draw(storage_clusters.pods(f"pod-{number}")))
    expected = [
        twin.filter_node(handle.lister, pod, info.name, info.pods.values()) for info in over.infos
    ]
    assert clusters.verdicts(NodeVolumeLimits({}, handle), pod, over) == expected


@pytest.mark.parametrize(
    ("pod", "answer"),
    [
        (clusters.pod(), SKIP),
        (storages.using("p", more=[{"name": "v", "emptyDir": {}}]), SKIP),
        (storages.using("p", more=[EPHEMERAL]), SUCCESS),
        (storages.using("p", "c"), SUCCESS),
        (storages.using("p", more=[inline("vol-1")]), SUCCESS),
        (storages.using("p", more=[{"name": "v", "vsphereVolume": {"volumePath": "p"}}]), SUCCESS),
    ],
)
def test_only_pods_with_volumes_to_attach_are_looked_at(pod: Any, answer: Any) -> None:
    over = clusters.columns([clusters.node("n")])
    plugin = NodeVolumeLimits({}, clusters.handle())
    assert plugin.pre_filter(CycleState(), pod, over) == (answer, None)


@pytest.mark.parametrize(("limit", "verdict"), [(1, EXCEEDED), (2, SUCCESS), (None, SUCCESS)])
def test_a_driver_attaches_so_many_volumes(limit: int | None, verdict: Any) -> None:
    objects = [*bound(0), *bound(1), storages.csi_node("n", disk=limit)]
    assert on_node(objects, storages.using("p", "c1"), storages.using("a", "c0")) == verdict


def test_room_is_there_as_soon_as_a_pod_is_taken_off_for_trial() -> None:
    nodes = [clusters.node(f"n{row}") for row in range(20)]
    objects = [*bound(0), *bound(1), *(storages.csi_node(f"n{row}", disk=1) for row in range(20))]
    over = clusters.columns(nodes, {f"n{row}": [storages.using("a", "c0")] for row in range(20)})
    plugin, state, pod = NodeVolumeLimits({}, clusters.handle(objects)), CycleState(), USING_C1
    assert plugin.pre_filter(state, pod, over) == (SUCCESS, None)
    trial = over.take(range(20))
    codes = plugin.filter(state, pod, trial, slice(0, 20))
    assert codes is not None
    assert codes.all()
    trial.remove_pod(3, "a")
    codes = plugin.filter(state, pod, trial, slice(0, 20))
    assert codes is not None
    assert np.flatnonzero(codes == 0).tolist() == [3]
    trial.add_pod(3, storages.using("b", "c0"))
    codes = plugin.filter(state, pod, trial, slice(0, 20))
    assert codes is not None
    assert codes.all()


def test_a_volume_that_several_pods_share_counts_once() -> None:
    objects = [*bound(0), storages.csi_node("n", disk=1)]
    there = [storages.using("a", "c0"), storages.using("b", "c0")]
    assert on_node(objects, storages.using("p", "c0"), *there) == SUCCESS


def test_each_driver_has_its_own_limit() -> None:
    other = {"driver": "other.example.com", "volumeHandle": "x"}
    objects = [*bound(0), *bound(1, csi=other), storages.csi_node("n", disk=1, other=1)]
    assert on_node(objects, storages.using("p", "c1"), storages.using("a", "c0")) == SUCCESS


def test_attached_volumes_count_though_no_pod_uses_them() -> None:
    objects = [*bound(0), *bound(1), storages.csi_node("n", disk=1)]
    there = storages.attachment("a", "n", "v0")
    elsewhere = storages.attachment("a", "m", "v0")
    pod = storages.using("p", "c1")
    assert on_node([*objects, there], pod) == EXCEEDED
    assert on_node([*objects, elsewhere], pod) == SUCCESS


def test_an_attached_volume_of_a_running_pod_counts_once() -> None:
    objects = [*bound(0), *bound(1), storages.csi_node("n", disk=2)]
    attached = storages.attachment("a", "n", "v0")
    pod, there = storages.using("p", "c1"), storages.using("a", "c0")
    assert on_node([*objects, attached], pod, there) == SUCCESS


def test_an_attached_volume_counts_again_for_the_pod_that_is_new() -> None:
    objects = [*bound(0), storages.csi_node("n", disk=1), storages.attachment("a", "n", "v0")]
    assert on_node(objects, storages.using("p", "c0")) == EXCEEDED


@pytest.mark.parametrize("volume", ["missing", None])
def test_an_attachment_without_a_volume_does_not_count(volume: str | None) -> None:
    objects = [*bound(0), storages.csi_node("n", disk=1), storages.attachment("a", "n", volume)]
    assert on_node(objects, storages.using("p", "c0")) == SUCCESS


def test_a_volume_still_to_be_made_counts() -> None:
    objects = [storages.storage_class("waiting"), storages.claim("c0"), storages.claim("c1")]
    limited = [*objects, storages.csi_node("n", disk=1)]
    there = storages.using("a", "c0")
    assert on_node(limited, storages.using("p", "c1"), there) == EXCEEDED
    assert on_node(limited, storages.using("p", "c0"), there) == SUCCESS


def test_a_claim_whose_volume_is_gone_counts_by_its_class() -> None:
    objects = [storages.storage_class("waiting"), storages.bound_claim("c0", "gone"), *bound(1)]
    limited = [*objects, storages.csi_node("n", disk=1)]
    assert on_node(limited, storages.using("p", "c1"), storages.using("a", "c0")) == EXCEEDED


@pytest.mark.parametrize(("counts", "verdict"), [(True, EXCEEDED), (False, SUCCESS)])
def test_volumes_of_old_drivers_count_for_those_that_took_over(counts: bool, verdict: Any) -> None:
    csi = storages.csi_node("n")
    limited = storages.with_limit(csi, EBS if counts else "other", 1)
    old = storages.volume("v", awsElasticBlockStore={"volumeID": "aws://zone/vol-2"})
    objects = [limited, storages.bound_claim("c", "v"), old]
    pod = storages.using("p", more=[inline("vol-1")])
    assert on_node(objects, pod, storages.using("a", "c")) == verdict
    same = storages.using("a", more=[inline("vol-1")])
    assert on_node(objects, pod, same) == SUCCESS


def test_classes_of_old_drivers_count_for_those_that_took_over() -> None:
    objects = [
        storages.storage_class("waiting", "kubernetes.io/aws-ebs"),
        storages.claim("c0"),
        storages.claim("c1"),
        storages.with_limit(storages.csi_node("n"), EBS, 1),
    ]
    assert on_node(objects, storages.using("p", "c0", "c1")) == EXCEEDED
    assert on_node(objects, storages.using("p", "c0")) == SUCCESS


def test_a_volume_that_cannot_be_told_in_new_words_is_an_error() -> None:
    objects = [storages.with_limit(storages.csi_node("n"), EBS, 1)]
    told = (
        "converting volume(aws://z/x) from inline to csi: failed to translate Kubernetes ID to EBS "
        "Volume ID Invalid format for AWS volume (aws://z/x)"
    )
    pod = storages.using("p", more=[inline("aws://z/x")])
    assert on_node(objects, pod) == error(told)
    assert on_node([], pod) == SUCCESS


def test_a_missing_claim_is_waited_for() -> None:
    told = 'looking up PVC default/c: persistentvolumeclaim "c" not found'
    assert on_node([], storages.using("p", "c")) == unresolvable(told)
    objects = [storages.csi_node("n", disk=1), *bound(0)]
    assert on_node(objects, storages.using("p", "c0"), storages.using("a", "c")) == SUCCESS


def test_an_ephemeral_claim_must_be_the_pods_own() -> None:
    pod = storages.using("p", more=[EPHEMERAL])
    told = "PVC default/p-mine was not created for pod default/p (pod is not owner)"
    assert on_node([storages.claim("p-mine", owner="q")], pod) == error(told)
    assert on_node([storages.claim("p-mine", owner="p")], pod) == SUCCESS
    objects = [storages.claim("p-mine", owner="q"), storages.csi_node("n", disk=1), *bound(0)]
    assert on_node(objects, storages.using("new", "c0"), pod) == error(told)


def hint(place: int) -> Any:
    event = NodeVolumeLimits({}, clusters.handle()).events_to_register()[place]
    assert event.hint is not None
    return event.hint


def test_any_node_that_newly_tells_of_its_drivers_helps() -> None:
    assert NodeVolumeLimits({}, clusters.handle()).events_to_register()[0].hint is None


@pytest.mark.parametrize(
    ("before", "after", "helps"), [(1, 2, True), (2, 1, False), (1, 1, False), (None, 1, True)]
)
def test_only_a_greater_limit_helps(before: int | None, after: int, helps: bool) -> None:
    old, new = storages.csi_node("n", disk=before), storages.csi_node("n", disk=after)
    assert hint(1)(storages.using("p", "c"), old, new) is helps


@pytest.mark.parametrize(
    ("gone", "helps"),
    [
        (storages.using("gone", "x", nodeName="n"), True),
        (storages.using("gone", more=[inline("vol-1")], nodeName="n"), True),
        (storages.using("gone", "x"), False),
        (clusters.pod("gone", nodeName="n"), False),
    ],
)
def test_only_a_pod_with_volumes_on_a_node_helps_by_going(gone: Any, helps: bool) -> None:
    assert hint(2)(storages.using("p", "c"), gone.raw, None) is helps


def test_only_a_claim_of_the_pod_helps() -> None:
    pod = storages.using("p", "c", more=[EPHEMERAL])
    assert hint(3)(pod, None, storages.claim("c"))
    assert hint(3)(pod, None, storages.claim("p-mine"))
    assert not hint(3)(pod, None, storages.claim("d"))


@pytest.mark.parametrize(
    ("pod", "attacher", "helps"),
    [
        (storages.using("p", "c"), "any", True),
        (storages.using("p", more=[inline("vol-1")]), EBS, True),
        (storages.using("p", more=[inline("vol-1")]), "any", False),
        (storages.using("p", more=[inline("aws://z/x")]), "any", True),
        (clusters.pod(), EBS, False),
    ],
)
def test_a_detached_volume_makes_room_for_its_driver(pod: Any, attacher: str, helps: bool) -> None:
    assert hint(4)(pod, storages.attachment("a", "n", "v", attacher), None) is helps
