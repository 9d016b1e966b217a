from __future__ import annotations

from typing import Any

import hypothesis
import pytest

from kubestage.scheduler.cycle_state import CycleState
from kubestage.scheduler.plugins.volume_zone import VolumeZone
from kubestage.scheduler.status import SKIP, SUCCESS, unresolvable
from tests.reference import volume_zone as twin
from tests.scheduler.plugins import clusters, storage_clusters, storages
from tests.scheduler.plugins.storages import OLD_ZONE, REGION, ZONE

REJECTED = unresolvable("node(s) had no available volume zone")


def asked(objects: Any, pod: Any = None) -> Any:
    plugin = VolumeZone({}, clusters.handle(objects))
    over = clusters.columns([clusters.node("n")])
    return plugin.pre_filter(CycleState(), pod or storages.using("p", "c"), over)[0]


def on_node(volume_labels: dict[str, str], node_labels: dict[str, str]) -> Any:
    objects = [storages.bound_claim("c", "v"), storages.volume("v", labels=volume_labels)]
    plugin = VolumeZone({}, clusters.handle(objects))
    over = clusters.columns([clusters.node("n", labels=node_labels)])
    (verdict,) = clusters.verdicts(plugin, storages.using("p", "c"), over)
    return verdict


@hypothesis.given(storage_clusters.objects(), storage_clusters.nodes(), storage_clusters.pods())
def test_nodes_are_judged_as_by_the_twin(objects: Any, nodes: Any, pod: Any) -> None:
    handle, over = clusters.handle(objects), clusters.columns(nodes)
    plugin = VolumeZone({}, handle)
    expected, wanted = twin.pre_filter(handle.lister, pod)
    assert plugin.pre_filter(CycleState(), pod, over) == (expected, None)
    if expected.is_success:
        verdicts = [twin.filter_node(wanted, info.view) for info in over.infos]
        assert clusters.verdicts(plugin, pod, over) == verdicts


@pytest.mark.parametrize(
    ("volume", "node", "verdict"),
    [
        ({ZONE: "a"}, {ZONE: "a"}, SUCCESS),
        ({ZONE: "a"}, {ZONE: "b"}, REJECTED),
        ({ZONE: "a__b"}, {ZONE: "b"}, SUCCESS),
        ({ZONE: "a", REGION: "east"}, {ZONE: "a", REGION: "west"}, REJECTED),
        ({ZONE: "a"}, {REGION: "east"}, REJECTED),
        ({ZONE: "a"}, {"other": "x"}, SUCCESS),
        ({OLD_ZONE: "a"}, {ZONE: "a"}, SUCCESS),
        ({OLD_ZONE: "a"}, {OLD_ZONE: "b", ZONE: "a"}, REJECTED),
        ({ZONE: "a"}, {OLD_ZONE: "a"}, REJECTED),
        ({ZONE: "a__", REGION: "east"}, {ZONE: "b", REGION: "east"}, SUCCESS),
    ],
)
def test_a_node_is_in_the_zone_of_the_volume(volume: Any, node: Any, verdict: Any) -> None:
    assert on_node(volume, node) == verdict


@pytest.mark.parametrize(
    ("objects", "answer"),
    [
        ([], unresolvable('persistentvolumeclaim "c" not found')),
        (
            [storages.claim("c", class_name=None)],
            unresolvable("PersistentVolumeClaim had no pv name and storageClass name"),
        ),
        ([storages.claim("c")], unresolvable('storageclass.storage.k8s.io "waiting" not found')),
        ([storages.claim("c"), storages.storage_class("waiting")], SKIP),
        (
            [storages.claim("c"), storages.storage_class("waiting", waits=False)],
            unresolvable("PersistentVolume had no name"),
        ),
        ([storages.bound_claim("c", "v")], unresolvable('persistentvolume "v" not found')),
        ([storages.bound_claim("c", "v"), storages.volume("v")], SKIP),
        ([storages.bound_claim("c", "v"), storages.volume("v", labels={ZONE: "a"})], SUCCESS),
    ],
)
def test_claims_are_looked_at_before_any_node(objects: Any, answer: Any) -> None:
    assert asked(objects) == answer


def test_a_claim_must_have_a_name() -> None:
    assert asked([], storages.using("p", "")) == unresolvable("PersistentVolumeClaim had no name")


def test_other_volumes_are_not_asked_for_their_zone() -> None:
    assert asked([], storages.using("p", more=[{"name": "v", "emptyDir": {}}])) == SKIP


def hint(place: int) -> Any:
    event = VolumeZone({}, clusters.handle()).events_to_register()[place]
    assert event.hint is not None
    return event.hint


def test_only_a_class_that_waits_helps() -> None:
    pod = storages.using("p", "c")
    assert hint(0)(pod, None, storages.storage_class("x"))
    assert not hint(0)(pod, None, storages.storage_class("x", waits=False))


def test_any_new_or_relabelled_node_helps() -> None:
    assert VolumeZone({}, clusters.handle()).events_to_register()[1].hint is None


def test_only_a_claim_of_the_pod_helps() -> None:
    pod = storages.using("p", "c")
    elsewhere = storages.claim("c")
    elsewhere["metadata"]["namespace"] = "other"
    assert hint(2)(pod, None, storages.claim("c"))
    assert not hint(2)(pod, None, storages.claim("d"))
    assert not hint(2)(pod, None, elsewhere)


def test_a_volume_helps_when_it_is_new_or_moves() -> None:
    pod, before = storages.using("p", "c"), storages.volume("v", labels={ZONE: "a"})
    assert hint(3)(pod, None, before)
    assert hint(3)(pod, before, storages.volume("v", labels={ZONE: "b"}))
    assert not hint(3)(pod, before, storages.volume("v", labels={ZONE: "a", "x": "y"}))
