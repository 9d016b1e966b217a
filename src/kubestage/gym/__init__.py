"""Scheduling as an environment of Gymnasium: an agent places pods, or weighs a profile's scores.

An episode is one run: a cluster and pods that arrive one after the other. Every episode is a fork
of a stage, so a thousand of them read their inputs once::

    from kubestage.gym import SchedulingEnv
    from kubestage.runs import RunOptions

    env = SchedulingEnv("nodes.yaml", RunOptions(arrivals=("trace.csv",), arrivals_shuffle=True))
    observation, info = env.reset(seed=1)
    observation, reward, terminated, truncated, info = env.step(env.greedy("cpu_free"))

Belongs here: episodes, observations, actions, rewards, vectorised environments. Not here: how
agents learn. It needs the extra ``gym``.
"""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING

from kubestage import lazy
from kubestage.errors import InputError

if TYPE_CHECKING:
    from kubestage.gym.environment import SchedulingEnv
    from kubestage.gym.rewards import Gain, Turn, allocation
    from kubestage.gym.vector import ForkedVectorEnv, make_vec

__all__ = ["ForkedVectorEnv", "Gain", "SchedulingEnv", "Turn", "allocation", "make_vec"]

if importlib.util.find_spec("gymnasium") is None:
    raise InputError("gymnasium is not installed", fix="pip install 'kubestage[gym]'")

__getattr__ = lazy.exports(__name__)
