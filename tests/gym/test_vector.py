"""Environments side by side share what they read, and are otherwise as if each were alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from kubestage.errors import InputError
from kubestage.gym import SchedulingEnv, make_vec
from tests.gym import clusters

if TYPE_CHECKING:
    import pathlib


@pytest.fixture(autouse=True)
def _folder(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_steps_are_those_of_single_environments() -> None:
    path = clusters.write(pods=8)
    several, single = make_vec(path, num_envs=3), SchedulingEnv(path)
    seen, infos = several.reset(seed=7)
    assert seen["nodes"].shape == (3, 5, 6)
    assert seen in several.observation_space
    alone, info = single.reset(seed=8)
    assert np.array_equal(seen["nodes"][1], alone["nodes"])
    assert infos["episode"][1] == info["episode"]
    for _ in range(4):
        actions = np.array([each.greedy("cpu_free") for each in several.envs])
        seen, rewards, ended, _, _ = several.step(actions)
        alone, reward, is_over, _, _ = single.step(single.greedy("cpu_free"))
        assert np.array_equal(seen["nodes"][1], alone["nodes"])
        assert (rewards[1], ended[1]) == (reward, is_over)


def test_an_episode_that_is_over_is_followed_by_another() -> None:
    several = make_vec(clusters.write(pods=2), num_envs=2, episodes=(1,))
    first, _ = several.reset(seed=1)
    actions = np.zeros(2, np.int64)
    several.step(actions)
    _, _, ended, truncated, _ = several.step(actions)
    assert ended.all()
    assert not truncated.any()
    seen, rewards, ended, _, _ = several.step(actions)
    assert not ended.any()
    assert not rewards.any()
    assert np.array_equal(seen["nodes"], first["nodes"])


def test_inputs_are_read_once() -> None:
    several = make_vec(clusters.write(), num_envs=4)
    assert len({id(each.episodes) for each in several.envs}) == 1
    assert len({id(each.stage) for each in several.envs}) == 4


def test_no_environment_is_refused() -> None:
    with pytest.raises(InputError, match="0 environments"):
        make_vec(clusters.write(), num_envs=0)
