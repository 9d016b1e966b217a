"""Long work in the event loop, a few milliseconds at a time."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

# How long others wait at most.
_SLICE_S: Final = 0.005


async def in_slices(pieces: Iterable[Any]) -> None:
    """Do work piece by piece, and let others have their turn every few milliseconds."""
    until_s = time.perf_counter() + _SLICE_S
    for _ in pieces:
        if time.perf_counter() >= until_s:
            await asyncio.sleep(0)
            until_s = time.perf_counter() + _SLICE_S
