from __future__ import annotations

from typing import Any

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

from kubestage.objects.views import pod as pod_views
from kubestage.scheduler.cycle_state import CycleState
from kubestage.scheduler.plugins.volume_restrictions import VolumeRestrictions
from kubestage.scheduler.status import SKIP, SUCCESS, unresolvable, unschedulable
from tests.reference import volume_restrictions as twin
from tests.scheduler.plugins import clusters, storage_clusters, storages

DISK_TAKEN = unschedulable(twin.DISK_TAKEN)
CLAIM_TAKEN = unschedulable(twin.CLAIM_TAKEN)
ALONE = storages.claim("c", accessModes=["ReadWriteOncePod"])


def gce(name: str, **parts: Any) -> Any:
    return {"name": "v", "gcePersistentDisk": {"pdName": name, **parts}}


def ebs(name: str, **parts: Any) -> Any:
    return {"name": "v", "awsElasticBlockStore": {"volumeID": name, **parts}}


def iscsi(name: str, **parts: Any) -> Any:
    return {"name": "v", "iscsi": {"iqn": name, "targetPortal": "t", "lun": 0, **parts}}


def rbd(*monitors: str, **parts: Any) -> Any:
    return {"name": "v", "rbd": {"monitors": list(monitors), "image": "i", "pool": "p", **parts}}


def on_node(wanted: Any, held: Any) -> Any:
    over = clusters.columns([clusters.node("n")], {"n": [storages.using("there", more=[held])]})
    plugin = VolumeRestrictions({}, clusters.handle())
    (verdict,) = clusters.verdicts(plugin, storages.using("p", more=[wanted]), over)
    return verdict


@hypothesis.given(
    storage_clusters.objects(), storage_clusters.nodes(), storage_clusters.pods(), st.data()
)
def test_nodes_are_judged_as_by_the_twin(objects: Any, nodes: Any, pod: Any, data: Any) -> None:
    handle, over = clusters.handle(objects), clusters.columns(nodes)
    everyone = [data.draw(storage_clusters.pods(f"pod-{number}")) for number in range(3)]
    for each in everyone:
        over.add_pod(data.draw(st.integers(0, len(nodes) - 1)), each)
    plugin = VolumeRestrictions({}, handle)
    expected, taken = twin.pre_filter(handle.lister, pod, everyone)
    assert plugin.pre_filter(CycleState(), pod, over) == (expected, None)
    if expected.is_success:
        verdicts = [twin.filter_node(pod, taken, info.pods.values()) for info in over.infos]
        assert clusters.verdicts(plugin, pod, over) == verdicts


@pytest.mark.parametrize(
    ("wanted", "held", "verdict"),
    [
        (gce("d"), gce("d"), DISK_TAKEN),
        (gce("d"), gce("e"), SUCCESS),
        (gce("d", readOnly=True), gce("d"), DISK_TAKEN),
        (gce("d", readOnly=True), gce("d", readOnly=True), SUCCESS),
        (ebs("d", readOnly=True), ebs("d", readOnly=True), DISK_TAKEN),
        (ebs("d"), ebs("e"), SUCCESS),
        (ebs("d"), gce("d"), SUCCESS),
        (iscsi("d"), iscsi("d", readOnly=True), DISK_TAKEN),
        (iscsi("d", readOnly=True), iscsi("d", readOnly=True), SUCCESS),
        (iscsi("d"), iscsi("e"), SUCCESS),
        (rbd("m", "n"), rbd("n", "o"), DISK_TAKEN),
        (rbd("m"), rbd("n"), SUCCESS),
        (rbd("m"), rbd("m", image="j"), SUCCESS),
        (rbd("m"), rbd("m", pool="q"), SUCCESS),
        (rbd("m", readOnly=True), rbd("m", readOnly=True), SUCCESS),
    ],
)
def test_a_disk_bears_one_user_or_many_readers(wanted: Any, held: Any, verdict: Any) -> None:
    assert on_node(wanted, held) == verdict


def test_a_disk_is_free_on_other_nodes() -> None:
    there = {"a": [storages.using("there", more=[gce("d")])]}
    over = clusters.columns([clusters.node("a"), clusters.node("b")], there)
    plugin = VolumeRestrictions({}, clusters.handle())
    verdicts = clusters.verdicts(plugin, storages.using("p", more=[gce("d")]), over)
    assert verdicts == [DISK_TAKEN, SUCCESS]


def test_a_claim_for_one_pod_is_taken_on_every_node() -> None:
    there = {"a": [storages.using("there", "c")]}
    over = clusters.columns([clusters.node("a"), clusters.node("b")], there)
    plugin = VolumeRestrictions({}, clusters.handle([ALONE]))
    verdicts = clusters.verdicts(plugin, storages.using("p", "c"), over)
    assert verdicts == [CLAIM_TAKEN, CLAIM_TAKEN]


def test_a_claim_of_the_same_name_in_another_namespace_is_another() -> None:
    raw = storages.using("there", "c").raw
    there = pod_views.of({**raw, "metadata": {**raw["metadata"], "namespace": "other"}})
    over = clusters.columns([clusters.node("n")], {"n": [there]})
    plugin = VolumeRestrictions({}, clusters.handle([ALONE]))
    assert plugin.pre_filter(CycleState(), storages.using("p", "c"), over) == (SKIP, None)


def test_a_disk_is_told_before_a_claim() -> None:
    there = {"n": [storages.using("there", "c", more=[gce("d")])]}
    over = clusters.columns([clusters.node("n")], there)
    plugin = VolumeRestrictions({}, clusters.handle([ALONE]))
    pod = storages.using("p", "c", more=[gce("d")])
    assert clusters.verdicts(plugin, pod, over) == [DISK_TAKEN]


@pytest.mark.parametrize(
    ("objects", "pod", "answer"),
    [
        ([], clusters.pod(), SKIP),
        ([ALONE], storages.using("p", "c"), SKIP),
        ([storages.claim("c")], storages.using("p", "c"), SKIP),
        ([], storages.using("p", "c"), unresolvable('persistentvolumeclaim "c" not found')),
        ([], storages.using("p", more=[rbd("m")]), SUCCESS),
    ],
)
def test_only_a_pod_with_something_to_lose_is_looked_at(
    objects: Any, pod: Any, answer: Any
) -> None:
    plugin = VolumeRestrictions({}, clusters.handle(objects))
    over = clusters.columns([clusters.node("n")])
    assert plugin.pre_filter(CycleState(), pod, over) == (answer, None)


def test_a_claim_is_free_once_its_holder_is_tried_away() -> None:
    holder, pod = storages.using("there", "c"), storages.using("p", "c")
    over = clusters.columns([clusters.node("n")], {"n": [holder]})
    plugin = VolumeRestrictions({}, clusters.handle([ALONE]))
    state, row = CycleState(), np.array([0])
    plugin.pre_filter(state, pod, over)
    trial = state.clone()
    plugin.remove_pod(trial, pod, holder, over, 0)
    assert not np.any(plugin.filter(trial, pod, over, row))
    plugin.add_pod(trial, pod, holder, over, 0)
    assert np.any(plugin.filter(trial, pod, over, row))
    assert np.any(plugin.filter(state, pod, over, row))


def hint(place: int) -> Any:
    event = VolumeRestrictions({}, clusters.handle()).events_to_register()[place]
    assert event.hint is not None
    return event.hint


@pytest.mark.parametrize(
    ("gone", "helps"),
    [
        (storages.using("gone", "c"), True),
        (storages.using("gone", "d"), False),
        (storages.using("gone", more=[gce("x")]), True),
        (storages.using("gone", more=[gce("y")]), False),
        (clusters.pod("gone"), False),
    ],
)
def test_only_who_holds_the_same_helps_by_going(gone: Any, helps: bool) -> None:
    pod = storages.using("p", "c", more=[gce("x")])
    assert hint(0)(pod, gone.raw, None) is helps


def test_pods_of_other_namespaces_do_not_help_by_going() -> None:
    gone = storages.using("gone", "c").raw
    gone = {**gone, "metadata": {**gone["metadata"], "namespace": "other"}}
    assert not hint(0)(storages.using("p", "c"), gone, None)


def test_any_new_node_helps() -> None:
    assert VolumeRestrictions({}, clusters.handle()).events_to_register()[1].hint is None


def test_only_the_missing_claim_helps() -> None:
    pod = storages.using("p", "c")
    assert hint(2)(pod, None, storages.claim("c"))
    assert not hint(2)(pod, None, storages.claim("d"))
