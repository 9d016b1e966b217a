"""Work that takes long and changes nothing, done beside the event loop.

A thread takes the interpreter from the event loop for some milliseconds at a time. There are few
of them: each one more would make others wait longer.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Final, ParamSpec, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

_THREADS: Final = ThreadPoolExecutor(2, "background")


async def run(
    function: Callable[Parameters, Result], *args: Parameters.args, **kwargs: Parameters.kwargs
) -> Result:
    """What a function returns that only reads what does not change."""
    future = _THREADS.submit(function, *args, **kwargs)
    return await asyncio.wrap_future(future)
