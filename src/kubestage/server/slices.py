"""Long work in the event loop, a few milliseconds at a time."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable

# How long others wait at most.
_SLICE_S: Final = 0.005


Result = TypeVar("Result")


async def in_slices(pieces: Iterable[Any]) -> None:
    """Do work piece by piece, and let others have their turn every few milliseconds."""
    until_s = time.perf_counter() + _SLICE_S
    for _ in pieces:
        if time.perf_counter() >= until_s:
            await asyncio.sleep(0)
            until_s = time.perf_counter() + _SLICE_S


def at_once(steps: Generator[None, None, Result]) -> Result:
    """What work comes to that is little enough to do without a pause."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: Result = end.value
            return result


async def result_of(steps: Generator[None, None, Result]) -> Result:
    """What work comes to in the end, likewise."""
    found: list[Result] = []

    def pieces() -> Generator[None]:
        found.append((yield from steps))

    await in_slices(pieces())
    return found[0]


def spend(work: Callable[[], float | None], slice_s: float) -> float | None:
    """Do pieces of work for a slice of time; how long nothing is to be done afterwards."""
    until_s = time.perf_counter() + slice_s
    while (wait_s := work()) == 0:
        if time.perf_counter() >= until_s:
            return 0
    return wait_s
