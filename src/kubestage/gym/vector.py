"""Several episodes at once: environments that share their inputs, and fork their stages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space, concatenate, create_empty_array, iterate

from kubestage.errors import InputError
from kubestage.gym.environment import SchedulingEnv

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.runs.inputs.sources import Files


class ForkedVectorEnv(VectorEnv[dict[str, Any], Any, Any]):
    """Environments side by side, in this process.

    Inputs are read once for each seed of an episode; every episode is a fork of that. An
    environment whose episode is over begins another with the next step.
    """

    def __init__(self, environments: Sequence[SchedulingEnv]) -> None:
        self.envs = tuple(environments)
        first = self.envs[0]
        self.num_envs = len(self.envs)
        self.metadata = {**first.metadata, "autoreset_mode": AutoresetMode.NEXT_STEP}
        self.single_observation_space = first.observation_space
        self.single_action_space = first.action_space
        self.observation_space = batch_space(first.observation_space, self.num_envs)
        self.action_space = batch_space(first.action_space, self.num_envs)
        self._over = np.zeros(self.num_envs, np.bool_)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begin an episode in every environment; one seed gives each of them another."""
        seeds: list[int | None] = [None] * self.num_envs
        if isinstance(seed, int):
            seeds = [seed + at for at in range(self.num_envs)]
        elif seed is not None:
            seeds = list(seed)
        self._over[:] = False
        pairs = [
            env.reset(seed=each, options=options)
            for env, each in zip(self.envs, seeds, strict=True)
        ]
        return self._batch([seen for seen, _ in pairs]), self._infos([info for _, info in pairs])

    def step(self, actions: Any) -> tuple[dict[str, Any], Any, Any, Any, dict[str, Any]]:
        """One step in every environment."""
        seen: list[dict[str, Any]] = []
        infos: list[dict[str, Any]] = []
        rewards, ended = np.zeros(self.num_envs, np.float64), np.zeros(self.num_envs, np.bool_)
        for at, action in enumerate(iterate(self.action_space, actions)):
            if self._over[at]:
                observation, info = self.envs[at].reset()
            else:
                observation, rewards[at], ended[at], _, info = self.envs[at].step(action)
            seen.append(observation)
            infos.append(info)
        self._over = ended.copy()
        truncated = np.zeros(self.num_envs, np.bool_)
        return self._batch(seen), rewards, ended, truncated, self._infos(infos)

    def _batch(self, seen: Sequence[dict[str, Any]]) -> dict[str, Any]:
        space = self.single_observation_space
        out: Any = create_empty_array(space, n=self.num_envs, fn=np.zeros)
        found: Any = concatenate(space, seen, out)
        return dict(found)

    def _infos(self, infos: Sequence[dict[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for at, info in enumerate(infos):
            found = self._add_info(found, info, at)
        return found


def make_vec(files: Files, *args: Any, num_envs: int = 4, **options: Any) -> ForkedVectorEnv:
    """So many environments with the arguments of `SchedulingEnv`, which share what they read."""
    if num_envs < 1:
        raise InputError(f"{num_envs} environments", path="num_envs", fix="write 1 or more")
    first = SchedulingEnv(files, *args, **options)
    others = [
        SchedulingEnv(files, *args, shared=first.episodes, **options) for _ in range(num_envs - 1)
    ]
    return ForkedVectorEnv([first, *others])
