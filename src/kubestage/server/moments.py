"""Stages that begin with the objects of a moment of another one."""

from __future__ import annotations

import asyncio
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Final, ParamSpec, TypeVar

from kubestage.scheduler import extender_http
from kubestage.scheduler.record import Recording
from kubestage.scheduler.selection import TieBreak

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from kubestage.results.history.cluster_history import Moment
    from kubestage.scheduler.config import SchedulerConfiguration
    from kubestage.scheduler.scheduler import Scheduler
    from kubestage.stage import Stage

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

_THREAD: Final = ThreadPoolExecutor(1, "moments")


async def run(
    function: Callable[Parameters, Result], *args: Parameters.args, **kwargs: Parameters.kwargs
) -> Result:
    """What a function returns that makes a stage, beside the event loop, one at a time.

    It may take seconds, so that it must not take the threads of shorter work.
    """
    return await asyncio.wrap_future(_THREAD.submit(function, *args, **kwargs))


def stage_of(stage: Stage, moment: Moment, *, seed: int | None = None) -> Stage:
    """A stage like another one, with the objects of a moment; nothing is at work there.

    Names and uids of what it makes differ from all that the other one has made. What is stored
    never changes, so another thread may do this.
    """
    return stage.resumed(moment.past(boot=moment.revision), seed=seed, history=sys.maxsize)


def add_scheduler(
    stage: Stage,
    configuration: SchedulerConfiguration | None,
    plugins: Mapping[str, type[Any]],
    like: Scheduler | None = None,
) -> None:
    """Add a scheduler that works as another one does, with this configuration."""
    stage.add_scheduler(
        configuration,
        plugins=plugins,
        tie_break=TieBreak.HEAP if like is None else like.tie_break,
        recording=Recording.NONE,
        transport=extender_http.post if like is None else like.transport,
    )
