"""The simulation engine: entities move between stocks, in virtual time and a strict order.

Here belong the clock, the schedule, the loop, the plain stocks and the seeded random streams.
What the entities stand for does not: nothing here knows a cluster, a file or the wall clock.

Time is an ``int`` of nanoseconds since the simulation's own zero, everywhere. Names taken from
simulation literature keep their form (``occurs_at``, ``halt_time``); ours end in ``_ns``.
"""

from __future__ import annotations

from kubestage.sim.arrivals import Arrivals
from kubestage.sim.clock import Clock
from kubestage.sim.context import Context, VirtualTimeLogger
from kubestage.sim.delays import Constant, Delay, Exponential
from kubestage.sim.entity import Entity
from kubestage.sim.environment import Environment
from kubestage.sim.model import Model
from kubestage.sim.movement import CompletedMovement, IgnoredMovement, IgnoredReason, Movement
from kubestage.sim.periodic_timer import PeriodicTimer
from kubestage.sim.recorder import CountsOnly, MemoryRecorder, Recorder
from kubestage.sim.stock import (
    ArrayStock,
    GeneratingSource,
    MapStock,
    Sink,
    SinkStock,
    Source,
    Stock,
    Through,
)
from kubestage.sim.streams import Streams
from kubestage.sim.timer import Timer

__all__ = [
    "ArrayStock",
    "Arrivals",
    "Clock",
    "CompletedMovement",
    "Constant",
    "Context",
    "CountsOnly",
    "Delay",
    "Entity",
    "Environment",
    "Exponential",
    "GeneratingSource",
    "IgnoredMovement",
    "IgnoredReason",
    "MapStock",
    "MemoryRecorder",
    "Model",
    "Movement",
    "PeriodicTimer",
    "Recorder",
    "Sink",
    "SinkStock",
    "Source",
    "Stock",
    "Streams",
    "Through",
    "Timer",
    "VirtualTimeLogger",
]
