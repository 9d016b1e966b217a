"""What the timeline of a real run tells is what the cluster is like in the end."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest

from kubestage.results import analysis, charts
from kubestage.scenario.settings import Detail, Settings
from kubestage.testing import make_deployment, make_job, make_node, make_pod, make_priority_class
from tests.scenario import building

if TYPE_CHECKING:
    from kubestage import Stage

GPU = "example.com/gpu"
STEPS = 6


def _events(chance: random.Random, alive: bool) -> list[dict[str, Any]]:
    """Nodes come, change and go; pods of all sizes come and go; some are worth more."""
    events = [building.create(make_priority_class("high", 1000))]
    for number in range(5):
        gpus = {GPU: "2"} if number % 2 else None
        cpu = chance.choice(("2", "4"))
        events.append(building.create(make_node(f"n{number}", cpu=cpu, resources=gpus)))
    for step in range(STEPS):
        pods = [_pod(f"p{step}-{number}", chance) for number in range(4)]
        events += [building.create(pod, step) for pod in pods]
        if step > 2:
            events.append(building.delete(building.POD, f"filler-{step - 2}", step))
        filler = make_pod(f"filler-{step}", cpu="100m", priority_class_name="high")
        events.append(building.create(filler, step))
    if alive:
        events.append(building.create(make_deployment("web", replicas=4, cpu="500m"), 1))
        events.append(building.create(make_job("work", cpu="250m"), 1))
        fewer = {"spec": {"replicas": 1}}
        events.append(building.patch(building.DEPLOYMENT, "web", fewer, 3))
    events.append(building.delete(building.NODE, "n4", 3))
    larger = {"status": {"allocatable": {"cpu": "8", "memory": "16Gi", "pods": "110"}}}
    events.append(building.patch(building.NODE, "n0", larger, 4))
    return sorted([*events, building.done(STEPS)], key=lambda event: event["step"])


def _pod(name: str, chance: random.Random) -> dict[str, Any]:
    gpus = {GPU: "1"} if chance.random() < 0.3 else None
    cpu, memory = chance.choice(("500m", "1", "2")), chance.choice(("1Gi", "4Gi"))
    priority = "high" if chance.random() < 0.2 else None
    return make_pod(
        name, cpu=cpu, memory=memory, requests=gpus, limits=gpus, priority_class_name=priority
    )


def _run(seed: int, alive: bool, **options: Any) -> Stage:
    stage = building.run(
        *_events(random.Random(seed), alive),
        alive=alive,
        step_duration="60s" if alive else None,
        seed=seed,
        **options,
    )
    assert building.phase(stage) == "Succeeded", building.message(stage)
    return stage


@pytest.mark.parametrize("alive", [False, True], ids=["scheduler alone", "with controllers"])
@pytest.mark.parametrize("seed", range(3))
def test_the_state_at_the_end_is_that_of_the_cluster(seed: int, alive: bool) -> None:
    stage = _run(seed, alive)
    *_, (_, state) = analysis.step_ends(building.status(stage))
    assert stage.scheduler is not None
    columns = stage.scheduler.cache.columns
    for name in ("cpu", "memory", GPU):
        assert state.allocatable[name] == int(columns.allocatable_of(name).sum())
        assert state.requested[name] == int(columns.requested_of(name).sum())
    pods = {
        f"default/{pod['metadata']['name']}": pod for pod in stage.store.list(building.POD).items
    }
    assert set(state.pods) == set(pods)
    nodes = {key: pod["spec"].get("nodeName", "") for key, pod in pods.items()}
    assert {key: pod.node for key, pod in state.pods.items()} == nodes


def test_every_attempt_is_counted_once() -> None:
    status = building.status(_run(1, alive=False))
    numbers = sorted(analysis.attempt_log(status).column("attempt"))
    assert numbers == list(range(1, len(numbers) + 1))
    assert analysis.summary(status).attempts == len(numbers) > STEPS


def test_some_pods_are_preempted_in_these_runs() -> None:
    tables = [
        analysis.table(building.status(_run(seed, alive=False)), "preemptions") for seed in range(3)
    ]
    rows = [row for table in tables for row in table.records()]
    assert rows
    assert all(row["priority"] < row["preemptorPriority"] for row in rows)


@pytest.mark.parametrize("detail", list(Detail), ids=lambda detail: detail.value)
def test_tables_do_not_depend_on_the_detail_but_for_attempts(detail: Detail) -> None:
    usual = analysis.digest(building.status(_run(2, alive=False)))
    other = analysis.digest(building.status(_run(2, alive=False, settings=Settings(detail=detail))))
    assert analysis.table(other, "nodes") == analysis.table(usual, "nodes")
    assert analysis.table(other, "fragmentation") == analysis.table(usual, "fragmentation")
    assert analysis.table(other, "pods").column("node") == analysis.table(usual, "pods").column(
        "node"
    )
    assert other.has_attempts == (detail is not Detail.SUMMARY)
    assert ("attempts" in charts.all(other)) == other.has_attempts
