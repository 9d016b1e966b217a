"""Tuning sets: when the actions of a phase begin.

Here belong the schedules of all eight loads and the driver that begins actions by them, through
the moments of a cluster: the same in virtual and in real time. What an action does is for the
phase to say.
"""

from kubestage.clusterloader.tuning.executions import Action
from kubestage.clusterloader.tuning.sets import TuningSets

__all__ = ["Action", "TuningSets"]
