"""An Environment is a value: it can be copied, kept, sent away, and goes on identically."""

from __future__ import annotations

import pathlib
import pickle
import subprocess
import sys

import pytest

from kubestage.errors import SimulationError
from kubestage.sim import Entity, Environment, SinkStock, Streams
from tests.sim import relay

ROOT = pathlib.Path(__file__).parents[2]
GO_ON = """
import pickle, sys
from tests.sim import relay
environment = pickle.load(sys.stdin.buffer)
environment.run()
sys.stdout.buffer.write(pickle.dumps(relay.trace(environment)))
"""


@pytest.mark.parametrize("pause_at", [0, 1, 77, 200])
def test_a_fork_goes_on_as_the_original_does(pause_at: int) -> None:
    environment = relay.build(seed=3)
    environment.run(until_ns=pause_at)
    fork = environment.fork()
    environment.run()
    fork.run()
    assert relay.trace(fork) == relay.trace(environment)
    assert fork.current_movement_time == environment.current_movement_time == 200


def test_a_fork_before_the_first_movement_is_the_whole_run() -> None:
    environment = relay.build(seed=3)
    fork = environment.fork()
    environment.run()
    fork.run()
    assert relay.trace(fork) == relay.trace(environment)


def test_a_fork_in_the_middle_of_a_nanosecond_keeps_the_order() -> None:
    environment = relay.build(seed=5)
    for _ in range(60):
        environment.step()
        fork = environment.fork()
        assert fork.next_movement_time == environment.next_movement_time
        assert fork.pending_count == environment.pending_count
    environment.run()
    fork.run()
    assert relay.trace(fork) == relay.trace(environment)


def test_what_happens_to_a_fork_leaves_the_original_alone() -> None:
    environment = relay.build(seed=3)
    environment.run(until_ns=50)
    before = relay.trace(environment)
    fork = environment.fork()
    fork.run()
    assert relay.trace(environment) == before
    assert environment.current_movement_time == 50
    twin = fork.models["relay"]
    assert isinstance(twin, relay.Relay)
    assert twin is not environment.models["relay"]
    assert twin.environment is fork


def test_another_process_goes_on_identically() -> None:
    environment = relay.build(seed=3)
    environment.run(until_ns=50)
    answer = subprocess.run(
        [sys.executable, "-c", GO_ON],
        cwd=ROOT,
        env={"PYTHONHASHSEED": "4711"},
        input=pickle.dumps(environment),
        capture_output=True,
        check=True,
    ).stdout
    environment.run()
    assert pickle.loads(answer) == relay.trace(environment)


def test_an_environment_is_not_forked_in_the_middle_of_a_movement() -> None:
    class Forking(SinkStock[Entity]):
        def add(self, entity: Entity) -> None:
            environment.fork()

    environment = Environment(halt_time=10)
    model = relay.Relay(environment, Streams(0))
    environment.schedule("fork", 1, model.places[0], Forking("Forking", "Wanderer"))
    model.places[0].add(Entity("guest", "Wanderer"))
    with pytest.raises(SimulationError, match="in the middle of a movement"):
        environment.run()
