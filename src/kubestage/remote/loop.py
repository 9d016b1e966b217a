"""The one loop of a run in real time: all callbacks run on it, and the first error ends it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine


class Loop:
    """An asyncio loop that calls back, in the order of requests.

    It is not shared: it runs while `run` does, and stands still in between.
    """

    def __init__(self) -> None:
        self.asyncio = asyncio.new_event_loop()
        self.asyncio.set_exception_handler(self._caught)
        self._work: set[asyncio.Task[None]] = set()
        self._until: Callable[[], bool] | None = None
        self._error: BaseException | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Have something done beside everything else; should it fail, the run does."""
        task = self.asyncio.create_task(work)
        self._work.add(task)
        task.add_done_callback(self._ended)
        return task

    def call_soon(self, callback: Callable[..., None], *arguments: object) -> None:
        """Call back after all callbacks that are queued already; never from within this call."""
        self.asyncio.call_soon(self.turn, callback, *arguments)

    def call_soon_threadsafe(self, callback: Callable[[], None]) -> None:
        """The same from a signal handler or another thread."""
        self.asyncio.call_soon_threadsafe(self.turn, callback)

    def turn(self, callback: Callable[..., None], *arguments: object) -> None:
        """Call back, and check whether that was the end of the run."""
        callback(*arguments)
        if self._until is not None and self._until():
            self.asyncio.stop()

    def run(self, until: Callable[[], bool]) -> None:
        """Run until a callback has made something true; raises the first error."""
        if until():
            return
        self._until = until
        try:
            if self._error is None:
                self.asyncio.run_forever()
        finally:
            self._until = None
        error, self._error = self._error, None
        if error is not None:
            raise error

    def complete(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Run one coroutine, before or after a run, and return its result."""
        return self.asyncio.run_until_complete(work)

    def end_work(self) -> None:
        """Cancel all that is in progress, and let it end."""
        work = list(self._work)
        for task in work:
            task.cancel()
        self.complete(_ending(work))
        self.complete(self.asyncio.shutdown_asyncgens())

    def close(self) -> None:
        """It is over."""
        if not self.asyncio.is_closed():
            self.end_work()
            self.asyncio.close()

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._work.discard(task)
        if not task.cancelled():
            error = task.exception()
            if error is not None:
                self._fail(error)

    def _caught(self, _: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        self._fail(error if error is not None else RuntimeError(context["message"]))

    def _fail(self, error: BaseException) -> None:
        if self._error is None:
            self._error = error
        # Outside of a run a coroutine has to complete, as when connections are closed.
        if self._until is not None:
            self.asyncio.stop()


async def _ending(work: list[asyncio.Task[None]]) -> None:
    await asyncio.gather(*work, return_exceptions=True)
