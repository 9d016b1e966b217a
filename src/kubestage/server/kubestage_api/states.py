"""What our own API remembers of a stage that is being served."""

from __future__ import annotations

import contextlib
import weakref
from typing import TYPE_CHECKING, Any, Final

from kubestage.errors import Conflict

if TYPE_CHECKING:
    import asyncio
    from collections.abc import AsyncIterator, Mapping

    from kubestage.server.kubestage_api.attempts import Attempts
    from kubestage.server.kubestage_api.run_records import RunRecords
    from kubestage.server.live import Live
    from kubestage.server.recording import Recorder

_AT_WORK: Final = "the cluster is being {} by somebody else: try again when that is done"


class State:
    """Who keeps what of one stage; `tasks` go on after their request was answered.

    `plugins` are the classes of the user's own that the scheduler was given, by name: one that
    takes over is given them, too.
    """

    def __init__(self) -> None:
        self.plugins: Mapping[str, type[Any]] = {}
        self.attempts: Attempts | None = None
        self.records: RunRecords | None = None
        self.recorder: Recorder | None = None
        self.tasks: set[asyncio.Task[Any]] = set()
        self.at_work = ""

    def check_free(self) -> None:
        """Refused while somebody changes the whole cluster."""
        if self.at_work:
            raise Conflict(_AT_WORK.format(self.at_work))

    def go_on(self, task: asyncio.Task[Any]) -> None:
        """Keep a task until it is over."""
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)


_states: weakref.WeakKeyDictionary[Live, State] = weakref.WeakKeyDictionary()


def of(live: Live) -> State:
    """The state of a stage; the first who asks makes it."""
    return _states.setdefault(live, State())


@contextlib.asynccontextmanager
async def standstill(live: Live, doing: str) -> AsyncIterator[None]:
    """Let no time pass while the whole cluster is changed, one who does so at a time.

    Controllers hear of it as it happens, and act on all of it when time goes on.
    """
    # NOTE: loaded when asked for, as all behind this API is.
    from kubestage.server.pacing import Mode, Pacer  # noqa: PLC0415
    from kubestage.stage import few_collections  # noqa: PLC0415

    state, pacer = of(live), live.pace
    state.check_free()
    state.at_work = doing
    paced = pacer if isinstance(pacer, Pacer) else None
    before = None if paced is None else (paced.mode, paced.speed)
    try:
        if paced is not None:
            paced.set_mode(Mode.PAUSED)
        with few_collections():
            yield
    finally:
        state.at_work = ""
        if paced is not None and before is not None:
            paced.set_mode(*before)
            paced.wake()
