"""Past moments of a cluster, each served as a cluster in which no time passes."""

from __future__ import annotations

import asyncio
import collections
import weakref
from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.server import moments
from kubestage.server.app import Application
from kubestage.server.kubestage_api.attempts import RecordedAttempts
from kubestage.server.live import Live

if TYPE_CHECKING:
    from kubestage.server.timeline import Timeline

PAST: Final = "this is the past: fork it to change it"
_MOST: Final = 4


class _Key(NamedTuple):
    """A moment, and how many changes had happened by then: there may be more at the same moment."""

    unix_ns: int
    number: int


class PastMoments:
    """The applications of the moments that were requested last."""

    def __init__(self, live: Live, timeline: Timeline) -> None:
        self._live = live
        self._timeline = timeline
        self._built: collections.OrderedDict[_Key, asyncio.Task[Application]] = (
            collections.OrderedDict()
        )

    async def at(self, text: str) -> Application:
        """What serves a moment, as RFC 3339 writes it; NotFound if it is not remembered."""
        unix_ns = self._timeline.moment(text)
        history = self._timeline.history
        key = _Key(unix_ns, history.forgotten + history.position(unix_ns))
        task = self._built.get(key)
        if task is None or (task.done() and (task.cancelled() or task.exception() is not None)):
            task = self._built[key] = asyncio.ensure_future(self._build(unix_ns))
        self._built.move_to_end(key)
        while len(self._built) > _MOST:
            self._built.popitem(last=False)
        # A client that leaves does not take it from the others.
        return await asyncio.shield(task)

    def close(self) -> None:
        """Forget all of them."""
        self._built.clear()

    async def _build(self, unix_ns: int) -> Application:
        """What serves a moment; nothing refers to it in a cycle, so that it is freed at once."""
        before = self._live
        moment = self._timeline.history.moment_at(unix_ns)
        live = Live(await moments.run(moments.stage_of, before.stage, moment))
        live.read_only, live.is_past = PAST, True
        live.issuer = before.issuer
        live.present_scheduler = before.scheduler
        live.state.plugins = before.state.plugins
        live.state.component_settings = before.state.component_settings
        live.state.clusters = before.state.clusters
        attempts = RecordedAttempts(weakref.proxy(live))
        if before.state.attempts is not None:
            attempts.take_over(before.state.attempts.until(unix_ns))
        live.state.attempts = attempts
        application = Application(live)
        live.store.unsubscribe(application.on_change)
        live.durability.close()
        return application
