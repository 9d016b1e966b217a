"""The work that the scheduler is measured with is the work that it is said to be."""

from __future__ import annotations

import collections
import importlib
import pathlib
import re
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.scheduler.scheduler import Scheduler
    from kubestage.store.store import Store

ROOT = pathlib.Path(__file__).parents[2]
POD, CLAIM, VOLUME = ("v1", "Pod"), ("v1", "PersistentVolumeClaim"), ("v1", "PersistentVolume")
SELECTED = "volume.kubernetes.io/selected-node"


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Imports a program of the folder, which is no package."""
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    return importlib.import_module


def _scheduled(load: Any, objects: Iterable[dict[str, Any]]) -> tuple[Scheduler, Store]:
    measuring = load("scheduler_measuring")
    scheduler, store, pods = measuring.prepared(measuring.Work(objects))
    effort = measuring.run(scheduler, None)
    assert effort.attempts >= pods
    return scheduler, store


def _nodes(store: Store) -> dict[str, str]:
    pods = store.list(POD).items
    return {pod["metadata"]["name"]: pod["spec"].get("nodeName", "") for pod in pods}


def test_every_pod_of_the_preempting_work_evicts_three_and_is_bound_in_its_second_attempt(
    load: Any,
) -> None:
    shapes = load("scheduler_shapes")
    scheduler, store = _scheduled(load, shapes.without_room("preempting", 8, 4))
    results = [row.result for row in scheduler.record.decisions]
    assert collections.Counter(results) == {"unschedulable": 4, "scheduled": 4}
    nodes = _nodes(store)
    assert all(nodes[f"pod-{index:05d}"] for index in range(4))
    assert len(nodes) == 8 * 10 - 4 * 3 + 4


@pytest.mark.parametrize("shape", ["full", "outranked", "evicting"])
def test_no_pod_of_the_failing_work_finds_a_node(load: Any, shape: str) -> None:
    shapes = load("scheduler_shapes")
    scheduler, store = _scheduled(load, shapes.without_room(shape, 4, 2))
    assert {row.result for row in scheduler.record.decisions} == {"unschedulable"}
    leaving = [pod for pod in store.list(POD).items if "deletionTimestamp" in pod["metadata"]]
    assert bool(leaving) == (shape == "evicting")


def test_pods_with_volumes_go_where_their_volumes_are(load: Any) -> None:
    volumes = load("scheduler_volumes")
    _, store = _scheduled(load, volumes.objects(6, 24))
    nodes = _nodes(store)
    for index in range(24):
        node = nodes[f"pod-{index:05d}"]
        zone = f"zone-{int(node[-5:]) % 3}"
        if index % 4 < 2:
            assert zone == volumes.zone_of(index)
            continue
        claim = store.get(CLAIM, f"claim-{index:05d}")
        if index % 4 == 3:
            assert claim["metadata"]["annotations"][SELECTED] == node
            continue
        found = [
            volume
            for volume in store.list(VOLUME).items
            if volume["spec"].get("claimRef", {}).get("name") == claim["metadata"]["name"]
        ]
        assert [volumes.zone_of(int(each["metadata"]["name"][-5:])) for each in found] == [zone]


def test_volumes_of_each_kind_are_in_every_zone(load: Any) -> None:
    volumes = load("scheduler_volumes")
    found = {(volumes.KINDS[index % 4], volumes.zone_of(index)) for index in range(12)}
    assert len(found) == 3 * 3


def test_only_sizes_are_measured_for_which_there_is_room(load: Any) -> None:
    scaling = load("scheduler_scaling")
    assert (1_000, 100_000) in scaling.sizes(large=True)
    assert (1_000, 1_000_000) not in scaling.sizes(large=True)
    assert (5_000, 1_000_000) not in scaling.sizes(large=True)
    assert (100_000, 1_000_000) in scaling.sizes(large=True)
    assert (100_000, 1_000_000) not in scaling.sizes(large=False)


def test_a_size_tells_how_many_nodes_a_pod_was_compared_on(load: Any) -> None:
    found = load("scheduler_scaling").measure(300, 20, None)
    assert found["scored_per_pod"] == found["evaluated_per_pod"] == 300 * (50 - 300 // 125) // 100


def test_the_time_of_a_run_is_told_by_its_parts(load: Any) -> None:
    parts = load("scheduler_parts")
    joined = parts.joined([{"us_per_pod": {"a": 1.0, "b": 4.0}}, {"us_per_pod": {"a": 2.0}}])
    assert [(each["part"], each["us_per_pod"]) for each in joined] == [("b", 2.0), ("a", 1.5)]
    assert sum(each["share"] for each in joined) == pytest.approx(1)


def test_the_page_has_a_place_for_every_table(load: Any) -> None:
    tables = load("scheduler_tables")
    page = (ROOT / "docs" / "performance.md").read_text()
    assert re.findall(r"<!-- (\w+) -->", page) == list(tables.SECTIONS)
    assert re.findall(r"<!-- end of (\w+) -->", page) == list(tables.SECTIONS)
