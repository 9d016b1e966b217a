"""The one loop of a run in real time: everybody is called on it, and the first error ends it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine


class Loop:
    """An asyncio loop that tells people things, in the order in which there is something to tell.

    It is nobody else's: it runs while `run` does, and stands still in between.
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

    def tell(self, callback: Callable[..., None], *told: object) -> None:
        """Call somebody, after all who are to be called already; never from within."""
        self.asyncio.call_soon(self.turn, callback, *told)

    def tell_from_outside(self, callback: Callable[[], None]) -> None:
        """The same from a signal handler or another thread."""
        self.asyncio.call_soon_threadsafe(self.turn, callback)

    def turn(self, callback: Callable[..., None], *told: object) -> None:
        """Call somebody, and see whether that was the end of the run."""
        callback(*told)
        if self._until is not None and self._until():
            self.asyncio.stop()

    def run(self, until: Callable[[], bool]) -> None:
        """Go on until something is true that a callback made true; raises what went wrong."""
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
        """Do one thing, before or after a run, and say what came of it."""
        return self.asyncio.run_until_complete(work)

    def end_work(self) -> None:
        """Give up all that is under way, and let it come to its end."""
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
        self.asyncio.stop()


async def _ending(work: list[asyncio.Task[None]]) -> None:
    await asyncio.gather(*work, return_exceptions=True)
