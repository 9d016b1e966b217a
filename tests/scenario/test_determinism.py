"""The same seed gives the same status, byte for byte: again, elsewhere, and gone on with."""

from __future__ import annotations

import os
import pickle
import re
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from kubestage import Stage
from kubestage.scenario.settings import Detail, Settings, Strategy
from kubestage.testing import make_deployment, make_job, make_node, make_pod, make_stateful_set
from tests.scenario import building
from tests.scenario.building import DEPLOYMENT, create, delete, done, patch, scenario
from tests.scenario.own_schedulers import Preempting

if TYPE_CHECKING:
    from kubestage.aliases import Json

# What a run without anything that is drawn has of chance: the uids, and names that hold one.
UID = re.compile(rb"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")

FINISH = """
import pickle, sys
from tests.scenario import test_determinism
stage = pickle.loads(sys.stdin.buffer.read())
stage.run_scenarios()
sys.stdout.buffer.write(test_determinism.told(stage))
"""
BEGIN = """
import sys
from tests.scenario import test_determinism
stage = getattr(test_determinism, sys.argv[1])(int(sys.argv[2]))
stage.run_scenarios()
sys.stdout.buffer.write(test_determinism.told(stage))
"""


def _events() -> list[Json]:
    drawn = {
        "kubestage.dev/launch-delay": "uniform(1s,5s)",
        "kubestage.dev/run-duration": "normal(20s,5s)",
    }
    work = make_pod("work", cpu="500m", annotations=drawn)
    work["spec"]["restartPolicy"] = "Never"
    return [
        building.importance(),
        *(create(make_node(f"n{i}", cpu="2")) for i in range(4)),
        create(make_deployment("web", replicas=6, cpu="1")),
        create(make_job("work", pod=work, completions=3, parallelism=2), 1),
        create(make_stateful_set("db", replicas=2, cpu="500m"), 1),
        *(create(building.important(f"boss{i}", cpu="1500m"), 2) for i in range(2)),
        patch(DEPLOYMENT, "web", {"spec": {"replicas": 3}}, 3),
        delete(building.NODE, "n3", 4),
        create(make_pod("giant", cpu="9"), 4),
        done(5),
    ]


def alive(seed: int) -> Stage:
    """Controllers, kubelets and a preemption, told in full."""
    return building.stage_with(
        scenario(*_events()), alive=True, seed=seed, settings=Settings(detail=Detail.FULL)
    )


def timed(seed: int) -> Stage:
    """The same with time in the steps."""
    return building.stage_with(scenario(*_events(), step_duration="15s"), alive=True, seed=seed)


def still(seed: int) -> Stage:
    """Pods and nodes without a life, and results only at the end."""
    nodes = [create(make_node(f"n{i}", cpu="2")) for i in range(8)]
    pods = [create(make_pod(f"p{i}", cpu="700m"), i // 5) for i in range(20)]
    settings = Settings(strategy=Strategy.ON_DONE)
    return building.stage_with(scenario(*nodes, *pods, done(4)), seed=seed, settings=settings)


def outside(seed: int) -> Stage:
    """A scheduler of one's own."""
    events = [each for each in _events() if each["step"] != 4]
    return building.stage_with(scenario(*events), alive=True, seed=seed, scheduler=Preempting())


ALL = [alive, timed, still, outside]


def told(stage: Stage) -> bytes:
    """The Scenario's status as bytes."""
    return msgspec.json.encode(building.status(stage))


def _finished(stage: Stage) -> bytes:
    stage.run_scenarios()
    assert building.phase(stage) == "Succeeded"
    return told(stage)


def _elsewhere(script: str, *arguments: str, given: bytes = b"") -> bytes:
    environment = {**os.environ, "PYTHONHASHSEED": "271828"}
    made = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        input=given,
        capture_output=True,
        check=True,
        env=environment,
    )
    return made.stdout


@pytest.mark.parametrize("kind", ALL)
def test_the_same_seed_gives_the_same_bytes(kind: Any) -> None:
    """The results of the simulation do not vary from run to run."""
    assert _finished(kind(7)) == _finished(kind(7))


@pytest.mark.parametrize("kind", ALL)
def test_the_same_seed_gives_the_same_bytes_in_another_process(kind: Any) -> None:
    assert _elsewhere(BEGIN, kind.__name__, "7") == _finished(kind(7))


@pytest.mark.parametrize("kind", ALL)
def test_a_fork_at_every_step_goes_on_to_the_same_bytes(kind: Any) -> None:
    """The stage is a value, also in the middle of a Scenario."""
    expected, stage = _finished(kind(3)), kind(3)
    count = 0
    while stage.scenarios.advance():
        assert _finished(stage.fork()) == expected
        count += 1
    assert told(stage) == expected
    assert count >= 5


@pytest.mark.parametrize("kind", ALL)
def test_a_stage_that_is_a_fork_at_every_step_comes_to_the_same_bytes(kind: Any) -> None:
    """Pickled and read again and again."""
    expected, stage = _finished(kind(3)), kind(3)
    while stage.scenarios.advance():
        stage = stage.fork()
    assert told(stage) == expected


@pytest.mark.parametrize("kind", ALL)
def test_what_is_pickled_in_mid_run_ends_the_same_in_another_process(kind: Any) -> None:
    """After a restart, the run goes on as if nothing had happened."""
    expected, stage = _finished(kind(3)), kind(3)
    for _ in range(3):
        stage.scenarios.advance()
    assert _elsewhere(FINISH, given=pickle.dumps(stage)) == expected


def test_a_fork_goes_on_apart_from_its_original() -> None:
    """Events that are added to one are none of the other's."""
    stage = building.run(create(make_node("n1")))
    fork = stage.fork()
    building.add(fork, create(make_pod("p"), 1), done(1))
    fork.run_scenarios()
    assert (building.phase(stage), building.phase(fork)) == ("Paused", "Succeeded")
    assert not building.placements(stage)
    building.add(stage, create(make_pod("p"), 1), done(1))
    assert _finished(stage) == told(fork)


def _sure(seed: int) -> Stage:
    """A run in which nothing is left to chance: there is always one best node, and no tie."""
    sizes = ("2", "4", "8")
    return building.stage_with(
        scenario(
            building.importance(),
            *(create(make_node(f"n{size}", cpu=size)) for size in sizes),
            *(create(make_pod(f"p{i}", cpu="1500m"), i) for i in range(6)),
            create(building.important("boss", cpu="8"), 6),
            done(7),
        ),
        seed=seed,
    )


def test_another_seed_changes_nothing_where_nothing_is_left_to_chance() -> None:
    """Uids are drawn; all else is the same."""
    one, other = _finished(_sure(1)), _finished(_sure(2))
    assert one != other
    numbers: dict[bytes, int] = {}

    def renamed(text: bytes) -> bytes:
        numbers.clear()
        return UID.sub(lambda found: b"uid-%d" % numbers.setdefault(found[0], len(numbers)), text)

    assert renamed(one) == renamed(other)


def _tied(seed: int) -> Stage:
    """Equal pods and equal nodes, and a scheduler that draws among the best."""
    stage = Stage(seed=seed)
    stage.add_scheduler(tie_break="random")
    stage.add_scenarios()
    nodes = [create(make_node(f"n{i}", cpu="2")) for i in range(8)]
    pods = [create(make_pod(f"p{i}", cpu="700m"), i // 5) for i in range(20)]
    stage.store.create(scenario(*nodes, *pods, done(4)))
    stage.run_scenarios()
    return stage


def test_another_seed_breaks_ties_another_way_and_leaves_the_rest() -> None:
    """Equal nodes are drawn from: who is scheduled when is the same, only where is not."""
    stages = [_tied(seed) for seed in range(4)]
    assert len({tuple(building.placements(stage).items()) for stage in stages}) > 1
    assert len({tuple(building.summary(stage)) for stage in stages}) == 1
