"""An agent places pods: spaces, masks, rewards, seeds and forks are as Gymnasium has them."""

from __future__ import annotations

import pathlib
from typing import Any

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from kubestage.errors import InputError
from kubestage.gym import SchedulingEnv, Turn
from kubestage.objects import gvk
from kubestage.runs import RunOptions
from tests.gym import clusters


@pytest.fixture(autouse=True)
def _folder(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def _shared_gpus() -> RunOptions:
    pathlib.Path("sharing.py").write_text(clusters.SHARING)
    pathlib.Path("sharing.yaml").write_text(clusters.SHARING_PROFILE)
    return RunOptions(config="sharing.yaml", plugins=("sharing.py:Sharing",))


def _played(env: SchedulingEnv, seed: int = 1, **options: Any) -> list[float]:
    """The rewards of an episode in which pods go to the fullest node."""
    env.reset(seed=seed, options=options or None)
    rewards, is_over = [], False
    while not is_over:
        _, reward, is_over, _, _ = env.step(env.greedy("cpu_free"))
        rewards.append(reward)
    return rewards


@pytest.mark.parametrize("action", ["node", "weights"])
def test_gymnasiums_own_checker_has_no_complaint(action: Any) -> None:
    check_env(SchedulingEnv(clusters.write(), action=action), skip_render_check=True)


def test_the_mask_has_the_nodes_that_the_filters_leave() -> None:
    env = SchedulingEnv(clusters.write())
    seen, info = env.reset(seed=1)
    assert seen in env.observation_space
    closed = env.node_names.index("closed")
    assert seen["action_mask"].tolist() == info["action_mask"].tolist()
    assert [bool(each) for each in seen["action_mask"]] == [at != closed for at in range(5)]


def test_a_pod_goes_to_the_node_that_was_chosen() -> None:
    env = SchedulingEnv(clusters.write())
    seen, _ = env.reset(seed=1)
    first, *_, last = seen["action_mask"].nonzero()[0].tolist()
    for row in (first, last, first):
        assert env.pod is not None
        key, name = env.pod.key, env.node_names[row]
        assert env.step(row)[4]["placed"] == 1
        assert env.stage.store.read(gvk.POD)[key]["spec"]["nodeName"] == name


def test_a_pod_that_is_sent_where_it_cannot_go_fails() -> None:
    env = SchedulingEnv(clusters.write(), reward="pending")
    env.reset(seed=1)
    assert env.pod is not None
    key = env.pod.key
    _, reward, _, _, info = env.step(env.node_names.index("closed"))
    assert (reward, info["placed"], info["failed"]) == (-1.0, 0, 1)
    pod = env.stage.store.read(gvk.POD)[key]
    assert (pod["status"]["phase"], pod["status"]["reason"]) == ("Failed", "Unschedulable")


def test_the_rewards_of_allocation_add_up_to_what_is_allocated() -> None:
    env = SchedulingEnv(clusters.write())
    total = sum(_played(env))
    columns = env.scheduler.cache.columns
    shares = [columns.requested_of(each).sum() / columns.allocatable_of(each).sum()
              for each in ("cpu", "memory")]  # fmt: skip
    assert total == pytest.approx(np.mean(shares))
    assert total > 0.5


def test_every_pod_is_placed_or_has_failed_once() -> None:
    env = SchedulingEnv(clusters.write(pods=30), reward="pending")
    failed = -sum(_played(env))
    phases = [pod["status"]["phase"] for pod in env.stage.store.read(gvk.POD).values()]
    assert phases.count("Failed") == failed > 0
    assert len(phases) == 30


def test_devices_are_seen_and_their_fragmentation_is_a_loss() -> None:
    env = SchedulingEnv(clusters.write(), _shared_gpus(), reward="fragmentation")
    seen, _ = env.reset(seed=1)
    assert env.node_columns[-2:] == ("device_free", "device_largest")
    assert seen["nodes"].shape == (5, 8)
    assert seen["pod"][2] in (np.float32(0.3), 0.5, 1.0)
    before = sum(_played(env))
    assert before < 0
    fork = env.fork()
    assert fork.reward is not env.reward


def test_a_reward_of_fragmentation_needs_devices() -> None:
    env = SchedulingEnv(clusters.write(), reward="fragmentation")
    with pytest.raises(InputError, match="no plugin defines devices"):
        env.reset(seed=1)


def test_a_function_is_a_reward() -> None:
    turns: list[Turn] = []

    def reward(turn: Turn) -> float:
        turns.append(turn)
        return turn.placed

    env = SchedulingEnv(clusters.write(), reward=reward)
    env.reset(seed=1)
    assert env.step(env.greedy("cpu_free"))[1] == 1.0
    assert turns[0].columns is env.scheduler.cache.columns


def test_a_seed_is_an_episode_and_another_seed_another_one() -> None:
    options = RunOptions(
        arrivals=(clusters.write_trace(),), arrivals_shuffle=True, arrivals_load="120%",
        trace_map="name=name,cpu=cores,memory=gib*1073741824",
    )  # fmt: skip
    env = SchedulingEnv(clusters.write(pods=0), options)
    assert _played(env, 5) == _played(env, 5)
    pods = {tuple(env.reset(seed=each)[0]["pod"].tolist()) for each in range(12)}
    assert len(pods) > 1
    assert _played(env, 1, episode=42) == _played(env, 2, episode=42)


def test_episodes_are_drawn_from_the_seeds_that_are_named() -> None:
    env = SchedulingEnv(clusters.write(), episodes=(42, 43))
    found = {env.reset(seed=seed)[1]["episode"] for seed in range(20)}
    assert found == {42, 43}
    env.reset(seed=3)
    following = [env.reset()[1]["episode"] for _ in range(8)]
    env.reset(seed=3)
    assert [env.reset()[1]["episode"] for _ in range(8)] == following
    assert set(following) == {42, 43}


def test_a_fork_goes_on_by_itself() -> None:
    env = SchedulingEnv(clusters.write())
    env.reset(seed=1)
    fork = env.fork()
    action = env.greedy("cpu_free")
    seen, reward, *_ = fork.step(action)
    again, same, *_ = env.step(action)
    assert reward == same
    assert all(np.array_equal(seen[key], again[key]) for key in seen)
    fork.step(fork.greedy("cpu_free"))
    assert len(fork.scheduler.record.decisions) == len(env.scheduler.record.decisions) + 1


def test_weights_decide_for_as_many_pods_as_a_step_has() -> None:
    env = SchedulingEnv(clusters.write(), action="weights", pods_per_step=100)
    least, spread = (np.zeros(len(env.scores), np.float32) for _ in range(2))
    spread[env.scores.index("NodeResourcesFit")] = 1.0
    used = []
    for weights in (least, spread):
        env.reset(seed=1)
        _, reward, is_over, _, info = env.step(weights)
        assert is_over
        assert info["placed"] > 10
        assert reward > 0
        nodes = [each.node for each in env.scheduler.record.decisions[:3]]
        used.append(len(set(nodes)))
    # LeastAllocated prefers a node that is still empty.
    assert used[1] == 3


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"action": "pods"}, '"pods" is no action'),
        ({"pods_per_step": 2}, "2 pods a step"),
        ({"reward": "speed"}, "'speed' is no reward"),
        ({"reward": 3}, "3 is no reward"),
        ({"episodes": ()}, "there is no seed"),
        ({"options": RunOptions(run_for="1h")}, "no time passes in an episode"),
    ],
)
def test_what_makes_no_sense_is_refused(options: Any, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        SchedulingEnv(clusters.write(), **options)


def test_a_cluster_without_nodes_is_refused() -> None:
    pathlib.Path("empty.json").write_text('{"apiVersion": "v1", "kind": "List", "items": []}')
    with pytest.raises(InputError):
        SchedulingEnv("empty.json")
