"""A Scenario starts from the seed alone: nothing that happened on its stage before changes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kubestage.scenario import scenario_counts
from kubestage.scenario.resource import SCENARIO
from kubestage.testing import make_deployment, make_job, make_node, make_pod, make_stateful_set
from tests.scenario import building
from tests.scenario.building import POD, create, delete, done, patch, scenario

if TYPE_CHECKING:
    from collections.abc import Callable

    from hypothesis.strategies import DataObject

    from kubestage import Stage
    from kubestage.aliases import Json


ZONE = "topology.kubernetes.io/zone"
NODES = 300


def _events() -> list[Json]:
    """Many nodes in several zones, workloads, made-up names, a preemption, and deletions."""
    nodes = [make_node(f"n{i}", cpu="4", labels={ZONE: f"z{i % 5}"}) for i in range(NODES)]
    generated = make_pod("x", cpu="1")
    generated["metadata"] = {"generateName": "made-up-", "namespace": "team"}
    service = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "web"},
        "spec": {"selector": {"app": "web"}, "ports": [{"port": 80}]},
    }
    return [
        building.importance(),
        *map(create, nodes),
        create(make_deployment("web", replicas=12, cpu="1")),
        create(service),
        *(create(make_pod(f"p{i}", cpu="1"), 1) for i in range(20)),
        create(generated, 1),
        create(make_stateful_set("db", replicas=2, cpu="500m"), 1),
        create(make_job("work", pod=make_pod("work", cpu="1"), completions=2, parallelism=2), 1),
        *(create(make_pod(f"big{i}", cpu="3500m"), 2) for i in range(NODES)),
        *(create(building.important(f"boss{i}", cpu="4"), 3) for i in range(3)),
        patch(building.DEPLOYMENT, "web", {"spec": {"replicas": 5}}, 4),
        delete(building.NODE, "n7", 4),
        done(5),
    ]


EVENTS = _events()


def _stage(*, alive: bool) -> Stage:
    return building.stage_with(alive=alive, seed=3)


def _told(stage: Stage, name: str, events: list[Json]) -> bytes:
    """The status of a Scenario that is run now."""
    stage.store.create(scenario(*events, name=name))
    stage.run_scenarios()
    assert building.phase(stage, name) == "Succeeded", building.message(stage, name)
    return msgspec.json.encode(building.status(stage, name))


def _pods_and_nodes(stage: Stage) -> None:
    stage.load([make_node(f"h{i}", labels={ZONE: f"z{i % 3}"}) for i in range(120)])
    for i in range(40):
        stage.store.create(make_pod(f"before{i}", cpu="100m"))
    stage.run("90s")


def _names_and_addresses(stage: Stage) -> None:
    for _ in range(3):
        pod = make_pod("x")
        pod["metadata"] = {"generateName": "before-"}
        stage.store.create(pod)
    stage.store.create(make_deployment("before", replicas=4, cpu="1"))
    stage.run("7s")


def _a_changed_namespace(stage: Stage) -> None:
    change = {"metadata": {"labels": {"team": "a"}}}
    stage.store.patch(("v1", "Namespace"), "default", change)


def _a_namespace_that_is_gone(stage: Stage) -> None:
    stage.store.delete(("v1", "Namespace"), "kube-node-lease")
    stage.run("30s")


def _pods_that_fit_nowhere(stage: Stage) -> None:
    """Backoffs, nominations and a queue that is not empty."""
    stage.store.create(make_node("small", cpu="1"))
    for i in range(5):
        stage.store.create(make_pod(f"huge{i}", cpu="64"))
    stage.run("41s")


def _another_scenario(stage: Stage) -> None:
    events = [*(create(make_node(f"o{i}")) for i in range(60)), create(make_pod("o")), done(1)]
    stage.store.create(scenario(*events, name="other"))
    stage.run_scenarios()


def _reads(stage: Stage) -> None:
    """Kinds are kept in the order in which they were first asked for."""
    for kind in (("batch/v1", "Job"), ("apps/v1", "ControllerRevision"), ("v1", "Secret")):
        stage.store.list(kind)


HISTORIES: list[Callable[[Stage], None]] = [
    _pods_and_nodes,
    _names_and_addresses,
    _a_changed_namespace,
    _a_namespace_that_is_gone,
    _pods_that_fit_nowhere,
    _another_scenario,
    _reads,
]


@pytest.mark.parametrize("alive", [False, True])
def test_the_same_scenario_has_the_same_status_the_second_and_the_third_time(alive: bool) -> None:
    """The issue's own case: 300 nodes, and the scheduler's round goes on where it was."""
    stage = _stage(alive=alive)
    first = _told(stage, "one", EVENTS)
    _pods_and_nodes(stage)
    assert _told(stage, "two", EVENTS) == first
    assert _told(stage, "three", EVENTS) == first
    assert _told(_stage(alive=alive), "fresh", EVENTS) == first


@pytest.fixture(scope="module")
def untouched() -> bytes:
    return _told(_stage(alive=True), "it", EVENTS)


@pytest.mark.parametrize("history", HISTORIES, ids=lambda each: each.__name__.strip("_"))
def test_nothing_that_happened_before_changes_the_status(
    history: Callable[[Stage], None], untouched: bytes
) -> None:
    stage = _stage(alive=True)
    history(stage)
    assert _told(stage, "it", EVENTS) == untouched


SMALL = [each for each in EVENTS if each["step"] < 2 and not each["id"].startswith("create-node-n")]
SMALL = [*(create(make_node(f"n{i}", cpu="4")) for i in range(9)), *SMALL, done(2)]


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_no_history_of_several_parts_changes_it_either(data: DataObject) -> None:
    before = data.draw(st.lists(st.sampled_from(HISTORIES), max_size=3, unique=True))
    alive = data.draw(st.booleans())
    stage = _stage(alive=alive)
    for each in before:
        each(stage)
    assert _told(stage, "it", SMALL) == _told(_stage(alive=alive), "it", SMALL)


def test_scenarios_that_come_up_meanwhile_spend_versions_of_their_own() -> None:
    """Another one is created, and told that it waits: the first one's versions do not show it."""
    quiet = _stage(alive=True)
    expected = _told(quiet, "it", SMALL)
    stage = _stage(alive=True)
    stage.store.create(scenario(*SMALL, name="it"))
    count = 0
    while stage.scenarios is not None and stage.scenarios.advance():
        if stage.scenarios.current == "it":
            count += 1
            stage.store.create(scenario(done(), name=f"other{count}"))
    assert count
    assert msgspec.json.encode(building.status(stage)) == expected


def test_versions_of_the_store_go_on() -> None:
    """Whoever watches resumes at a version: it must not come a second time."""
    stage = _stage(alive=False)
    stage.store.create(scenario(create(make_pod("p")), done(), name="one"))
    stage.run_scenarios()
    before = stage.store.revision
    stage.store.create(scenario(create(make_pod("p")), done(), name="two"))
    stage.run_scenarios()
    assert int(stage.store.get(POD, "p")["metadata"]["resourceVersion"]) > before
    began = stage.store.get(SCENARIO, "two")["metadata"]["annotations"][scenario_counts.BEGAN]
    assert began.startswith("2026-01-01T00:00:00Z ")
    assert "annotations" not in stage.store.get(SCENARIO, "one")["metadata"]


def test_what_stays_has_uids_that_never_come_again() -> None:
    """Scenarios are not removed, so no pod may get the uid of one."""
    stage = _stage(alive=True)
    for name in ("one", "two", "three"):
        _told(stage, name, SMALL)
    uids = [
        obj["metadata"]["uid"]
        for collection in stage.store.collections()
        for obj in collection.objects.values()
    ]
    assert len(uids) == len(set(uids))


def test_a_fork_of_a_stage_with_a_past_goes_on_to_the_same_status() -> None:
    stage = _stage(alive=True)
    _pods_and_nodes(stage)
    stage.store.create(scenario(*SMALL, name="it"))
    assert stage.scenarios is not None
    stage.scenarios.advance()
    fork = stage.fork()
    fork.run_scenarios()
    stage.run_scenarios()
    assert building.status(fork) == building.status(stage)
