"""Watches over HTTP: lines of events, as they become visible."""

from __future__ import annotations

import asyncio
import random
from typing import TYPE_CHECKING, Final

from kubestage.errors import Expired
from kubestage.objects import shape
from kubestage.objects.conversion.conversion_review import ConversionFailed
from kubestage.server import options
from kubestage.server.converted_watch import ConvertedWatch
from kubestage.server.converting_view import ConvertingView, is_outdated
from kubestage.server.response import StreamingResponse, warning_headers
from kubestage.server.security.pipe import framed
from kubestage.server.watch_lines import encoded, media_type, refusal
from kubestage.store.log import BOOKMARK

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from kubestage.aliases import Json
    from kubestage.server.context import RequestContext
    from kubestage.server.fanout import CutMode, Shared
    from kubestage.server.live import Live
    from kubestage.server.presentation import ResponseView
    from kubestage.server.security.pipe import Pipe
    from kubestage.store.log import WatchEvent
    from kubestage.store.watch import Watch

_SHORTEST_S: Final = 1800
_BOOKMARK_S: Final = 60.0
_AT_ONCE: Final = 256
# What a watch cache answers that is behind etcd's compaction.
_EXPIRED: Final = "The resourceVersion for the provided watch is too old."


def watch(context: RequestContext, name: str) -> StreamingResponse:
    """What happens to the objects of a list, or to one of them."""
    target, request = context.target, context.request
    view = context.view(is_list=True)
    timeout_s = options.integer(request, "timeoutSeconds")
    if not timeout_s or timeout_s < 0:
        # Spread out, so that not all watchers come back at once.
        timeout_s = random.randint(_SHORTEST_S, 2 * _SHORTEST_S)
    watch_options: Json = {
        "label_selector": request.parameter("labelSelector"),
        "field_selector": _selector(request.parameter("fieldSelector"), name),
        "resource_version": request.parameter("resourceVersion"),
        "resource_version_match": request.parameter("resourceVersionMatch"),
        "continue_token": request.parameter("continue"),
        "allow_bookmarks": bool(options.boolean(request, "allowWatchBookmarks")),
        "send_initial_events": options.boolean(request, "sendInitialEvents"),
    }
    converted = None
    if isinstance(view, ConvertingView):
        converted = ConvertedWatch(view, target.namespace, watch_options)
        watch_options |= converted.stored_selectors
    try:
        opened = context.live.store.watch(target.kind, target.namespace, **watch_options)
    except Expired as error:
        return refusal(view, error)
    current = context.live.store.revision
    if opened.revision > current:
        # The real server waits. A version that never was comes from another life of the cluster.
        problem = f"too large resource version: {opened.revision} ({current})"
        return refusal(view, Expired(problem))
    who = (target.kind.group, target.kind.kind, request.user_agent)
    feed = _Feed(context.live, opened, view, timeout_s, who)
    feed.pipe, feed.converted = request.pipe, converted
    if feed.is_shared:
        feed.selection = (
            target.namespace,
            watch_options["label_selector"],
            watch_options["field_selector"],
        )
    return StreamingResponse(feed.lines(), media_type(view), warning_headers(context.warnings))


def _selector(selector: str, name: str) -> str:
    if not name:
        return selector
    return f"{selector},metadata.name={name}" if selector else f"metadata.name={name}"


class _Feed:
    """One open watch.

    While it has sent everything it sleeps, and changes are written straight to the client. It wakes
    up when that cannot be: the client reads too slowly, there is too much, history is gone.
    Feeds of one `selection` that stand at one position share what they write.
    """

    def __init__(
        self,
        live: Live,
        opened: Watch,
        view: ResponseView,
        timeout_s: int,
        who: tuple[str, str, str],
    ) -> None:
        self._live = live
        self._watch = opened
        self._view = view
        self._encoder = view.encoder
        self.who = who
        self.pipe: Pipe | None = None
        self.selection: tuple[str | None, str, str] | None = None
        self._is_asleep = False
        self._loop = asyncio.get_running_loop()
        self._until = self._loop.time() + timeout_s
        self._future: asyncio.Future[None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._rang = False
        self._has_columns = False
        self._is_expired = False
        self.converted: ConvertedWatch | None = None
        is_stored = view.kind.stored_as is None and not isinstance(view, ConvertingView)
        self.is_shared = view.is_plain and is_stored

    async def lines(self) -> AsyncIterator[bytes]:
        """Chunks of whole lines until time is up, the client leaves or history is gone."""
        fanout, opened = self._live.fanout, self._watch
        log, poll, converted = opened.log, opened.poll, self.converted
        fanout.enter(self.who)
        try:
            if self._live.durability.failure is None:
                await fanout.reach(opened.revision)
            self._set_timer()
            fanout.follow(log, self._on_news)
            fanout.open_watches[self] = None
            while True:
                before = opened.pending
                try:
                    if converted is None:
                        events = poll(fanout.visible, _AT_ONCE)
                    else:
                        initial, changes = opened.poll_changes(fanout.visible, _AT_ONCE)
                except Expired as error:
                    yield encoded(self._view, "ERROR", error.status)
                    return
                has_more = opened.pending < before
                if is_outdated(self._view.kind, self._live.store.kinds):
                    return
                if converted is not None:
                    try:
                        events = await converted.events(initial, changes)
                    except ConversionFailed as error:
                        yield encoded(self._view, "ERROR", error.status)
                        return
                if events:
                    yield b"".join([self._line(event) for event in events])
                if self._rang:
                    if self._loop.time() >= self._until:
                        if self._is_expired:
                            yield encoded(self._view, "ERROR", Expired(_EXPIRED).status)
                        return
                    self._set_timer()
                    bookmark = opened.bookmark(fanout.visible)
                    if bookmark is not None:
                        yield self._line(bookmark)
                elif has_more:
                    # Others have a turn, too.
                    await asyncio.sleep(0)
                else:
                    self._future, self._is_asleep = self._loop.create_future(), True
                    await self._future
        finally:
            fanout.leave(self.who)
            fanout.unfollow(log, self._on_news)
            fanout.open_watches.pop(self, None)
            if self._timer is not None:
                self._timer.cancel()

    def _set_timer(self) -> None:
        """Have a bell ring at the next bookmark, or at the end."""
        self._rang = False
        self._timer = self._loop.call_later(
            min(self._until - self._loop.time(), _BOOKMARK_S), self._ring
        )

    def _ring(self) -> None:
        self._rang = True
        self._wake()

    def end(self) -> None:
        """End now, whatever the client requested."""
        self._until = 0.0
        self._ring()

    def cut(self, how: CutMode) -> None:
        """End in a way that a client has to cope with."""
        if how == "drop" and self.pipe is not None:
            self.pipe.abort()
            return
        self._is_expired = how == "expired"
        self.end()

    def _wake(self) -> None:
        if self._is_asleep:
            self._is_asleep = False
            assert self._future is not None
            if not self._future.done():
                self._future.set_result(None)

    def _needs_lines(self) -> bool:
        """Whether what happens has to be awaited, or is no longer sent here."""
        return self.converted is not None or is_outdated(self._view.kind, self._live.store.kinds)

    def _on_news(self, shared: Shared) -> None:
        """More is visible: write it, or have the one who sleeps do it."""
        if not self._is_asleep:
            return
        pipe, opened = self.pipe, self._watch
        if pipe is None or not pipe.is_open or self._needs_lines():
            self._wake()
            return
        key = self.selection, opened.position
        found = shared.get(key)
        if found is None:
            frames = self._frames()
            if self.selection is not None and self._is_asleep:
                shared[key] = frames, opened.position
        else:
            frames, opened.position = found
        if frames:
            pipe.write(frames)

    def _frames(self) -> bytes:
        """What is to be sent now; nothing, and awake, if that is not so simple."""
        opened = self._watch
        if opened.pending <= _AT_ONCE:
            try:
                events = opened.poll(self._live.fanout.visible)
            except Expired:
                pass
            else:
                return b"".join([self._frame(event) for event in events])
        self._wake()
        return b""

    def _frame(self, event: WatchEvent) -> bytes:
        if self.is_shared:
            return self._encoder.frame(self._view.kind, event)
        return framed(self._line(event))

    def _line(self, event: WatchEvent) -> bytes:
        view = self._view
        if self.is_shared and event.type != BOOKMARK:
            return self._encoder.line(view.kind, event)
        shown = self._shown(event)
        return encoded(view, event.type, shown)

    def _shown(self, event: WatchEvent) -> Json:
        view, obj = self._view, event.object
        if event.type == BOOKMARK:
            typed = {**obj, "kind": view.kind.kind, "apiVersion": view.kind.api_version}
            return self._converted_bookmark(typed) if view.form.kind else shape.normalize(typed)
        if view.form.kind != "Table":
            return view.partial(obj) if view.form.kind else view.served(obj)
        shown = view.table(
            [view.served(obj)],
            {"resourceVersion": obj["metadata"]["resourceVersion"]},
            with_columns=not self._has_columns,
        )
        self._has_columns = True
        return shown

    def _converted_bookmark(self, obj: Json) -> Json:
        """A bookmark is an object of the form that the watch is in."""
        view = self._view
        version = f"meta.k8s.io/{view.form.version}"
        if view.form.kind != "Table":
            return {**obj, "kind": "PartialObjectMetadata", "apiVersion": version}
        row = {"cells": [], "object": obj}
        metadata = {"resourceVersion": obj["metadata"]["resourceVersion"]}
        shown = {"kind": "Table", "apiVersion": version, "metadata": metadata}
        return {**shown, "columnDefinitions": None, "rows": [row]}
