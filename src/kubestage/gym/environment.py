"""The environment: one step places a pod, or some pods by the weights of a profile's scores."""

from __future__ import annotations

import copy
import pickle
from typing import TYPE_CHECKING, Any, Final, Literal, Self

import gymnasium
import numpy as np
from gymnasium import spaces

from kubestage.errors import InputError
from kubestage.gym import agent_plugin, observations, rewards
from kubestage.gym.episodes import Episodes
from kubestage.gym.rewards import Turn
from kubestage.runs.run_options import RunOptions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.gym.observations import Floats
    from kubestage.gym.rewards import Reward
    from kubestage.objects.views.pod import PodView
    from kubestage.runs.inputs.sources import Files
    from kubestage.scheduler.arrays import Mask
    from kubestage.scheduler.runtime import Profile
    from kubestage.scheduler.scheduler import Scheduler
    from kubestage.stage import Stage

_DEFAULT: Final = RunOptions()
_SEEDS: Final = 2**31
_FINEST: Final = 100
ACTIONS: Final = ("node", "weights")
"""What an action may be."""


class SchedulingEnv(gymnasium.Env[dict[str, Any], Any]):
    """Pods of a run, placed by an agent.

    `files` and `options` are those of `kubestage.run`: nodes and pods, a trace of arrivals, a
    scheduler configuration with its plugins. With the action ``node`` an agent names the node of
    each pod, by its row; `action_mask` says which are feasible, and a pod that is sent elsewhere
    fails. With ``weights`` it sets the weights of the profile's scores, from 0 to 1, for the next
    `pods_per_step` pods. A pod that fits nowhere fails without an action.

    The seed of an episode is drawn from `episodes`, or from all if it is None; an agent is rewarded
    by `reward`, a name of `rewards.NAMES` or a function of a `Turn`.
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012 - Gymnasium declares it so

    def __init__(
        self,
        files: Files,
        options: RunOptions = _DEFAULT,
        *,
        action: Literal["node", "weights"] = "node",
        reward: str | Reward = "allocation",
        pods_per_step: int = 1,
        episodes: Sequence[int] | None = None,
        shared: Episodes | None = None,
    ) -> None:
        if action not in ACTIONS:
            raise InputError(f'"{action}" is no action', path="action", fix="use node or weights")
        if pods_per_step < 1 or (action == "node" and pods_per_step != 1):
            fix = "use 1; with weights, any number from 1 on"
            raise InputError(f"{pods_per_step} pods a step", path="pods_per_step", fix=fix)
        if episodes is not None and not episodes:
            raise InputError("there is no seed", path="episodes", fix="write episodes=(42, 43)")
        self.render_mode: str | None = None
        self.action: str = action
        self.reward = rewards.of(reward)
        self._pods_per_step = pods_per_step
        self._seeds = None if episodes is None else tuple(episodes)
        self.episodes = shared or Episodes(files, options)
        self._begin(options.seed if self._seeds is None else self._seeds[0])
        columns = self.scheduler.cache.columns
        self.node_names = tuple(columns.names)
        self.node_columns = observations.columns_of(columns)
        parts = dict(observations.space(columns).items())
        if action == "node":
            parts["action_mask"] = spaces.Box(0, 1, (len(columns),), np.int8)
            self.action_space: Any = spaces.Discrete(len(columns))
        else:
            self.scores = tuple(each.name for each in self._profile().score)
            self.action_space = spaces.Box(0.0, 1.0, (len(self.scores),), np.float32)
        self.observation_space: Any = spaces.Dict(parts)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begin an episode; ``options={"episode": 42}`` has it be the run of this seed."""
        super().reset(seed=seed)
        chosen = (options or {}).get("episode")
        if chosen is None and self._seeds is not None:
            chosen = self._seeds[int(self.np_random.integers(len(self._seeds)))]
        elif chosen is None:
            chosen = int(self.np_random.integers(_SEEDS))
        self._begin(chosen)
        if tuple(self.scheduler.cache.columns.names) != self.node_names:
            self._check_nodes()
        self._advance()
        self._start_reward()
        return self._observation(), self._info()

    def step(self, action: Any) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        """Place the next pod, or the next pods."""
        assert self.pod is not None, "the episode is over: call reset"
        self._placed = self._failed = 0
        if self.action == "node":
            agent_plugin.choose(self.scheduler, self.node_names[int(action)])
            self._attempt()
            agent_plugin.choose(self.scheduler, None)
        else:
            self._weigh(action)
            for _ in range(min(self._pods_per_step, len(self.scheduler.queue))):
                self._attempt()
        self._advance()
        reward = float(self.reward(self._turn()))
        return self._observation(), reward, self.pod is None, False, self._info()

    @property
    def scheduler(self) -> Scheduler:
        """The scheduler of the episode."""
        assert self.stage.scheduler is not None
        return self.stage.scheduler

    def fork(self) -> Self:
        """A copy that goes on by itself, to look ahead with; a reward with a state pickles."""
        other = copy.copy(self)
        if hasattr(self.reward, "reset"):
            # Together: the reward may know parts of the stage.
            both = pickle.dumps((self.stage, self.reward), pickle.HIGHEST_PROTOCOL)
            other.stage, other.reward = pickle.loads(both)
        else:
            other.stage = self.stage.fork()
        return other

    def greedy(self, column: str, *, least: bool = True) -> int:
        """The feasible node with the least, or most, of a column: a policy to begin with."""
        values = self._observation()["nodes"][:, self.node_columns.index(column)]
        worst = np.inf if least else -np.inf
        ranked: Floats = np.where(self._mask, values, worst)
        return int(ranked.argmin() if least else ranked.argmax())

    def _begin(self, seed: int) -> None:
        self.stage: Stage = self.episodes.begin(seed)
        self.episode = seed
        self.pod: PodView | None = None
        self._mask: Mask = np.zeros(0, np.bool_)
        self._placed = self._failed = 0
        self._pods = max(len(self.scheduler.queue), 1)

    def _start_reward(self) -> None:
        reset = getattr(self.reward, "reset", None)
        if reset is not None:
            reset(self._turn())

    def _advance(self) -> None:
        """Go on to the next pod that fits somewhere; those that do not, fail."""
        while True:
            self.scheduler.catch_up()
            ahead = self.scheduler.queue.ahead(1)
            self.pod = ahead[0].pod if ahead else None
            if self.pod is None:
                self._mask = np.zeros(len(self.node_names), np.bool_)
                return
            self._mask = agent_plugin.feasible(self.scheduler, self.pod)
            if self._mask.any():
                return
            self._attempt()

    def _attempt(self) -> None:
        attempt = self.scheduler.schedule_one()
        assert attempt is not None
        is_placed = attempt.node_name is not None
        self._placed += is_placed
        self._failed += not is_placed

    def _weigh(self, action: Any) -> None:
        profile = self._profile()
        shares = np.clip(np.asarray(action, np.float64), 0.0, 1.0)
        for name, share in zip(self.scores, shares.tolist(), strict=True):
            profile.weights[name] = round(_FINEST * share)
        # The weights are looked up when the scores are set.
        profile.score = profile.score

    def _profile(self) -> Profile:
        profiles = list(self.scheduler.profiles.values())
        if len(profiles) > 1:
            names = ", ".join(each.name for each in profiles)
            fix = 'keep one of them, or use action="node"'
            raise InputError(f"there are several profiles: {names}", path="action", fix=fix)
        return profiles[0]

    def _check_nodes(self) -> None:
        """Nodes may be named in another order by another seed, but there are as many."""
        names = tuple(self.scheduler.cache.columns.names)
        if len(names) != len(self.node_names):
            problem = f"episode {self.episode} has {len(names)} nodes, not {len(self.node_names)}"
            raise InputError(problem, fix="actions are nodes: have as many in every episode")
        self.node_names = names

    def _turn(self) -> Turn:
        queue = self.scheduler.queue
        columns = self.scheduler.cache.columns
        return Turn(self.stage, columns, self._placed, self._failed, len(queue))

    def _observation(self) -> dict[str, Any]:
        left = len(self.scheduler.queue) / self._pods
        seen: dict[str, Any] = observations.observe(self.scheduler.cache.columns, self.pod, left)
        if self.action == "node":
            seen["action_mask"] = self._mask.astype(np.int8)
        return seen

    def _info(self) -> dict[str, Any]:
        info: dict[str, Any] = {
            "episode": self.episode,
            "pod": "" if self.pod is None else self.pod.key,
            "placed": self._placed,
            "failed": self._failed,
        }
        if self.action == "node":
            info["action_mask"] = self._mask.astype(np.int8)
        return info
