"""A real cluster: the port over HTTP, in real time, on one loop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import msgspec

from kubestage.cluster.access import Answer, Page
from kubestage.errors import ApiError, Forbidden, InputError, Unauthorized
from kubestage.remote import listing, refusals, wire
from kubestage.remote.connection import Connection
from kubestage.remote.discovery import Discovery
from kubestage.remote.loop import Loop
from kubestage.remote.moments import RealMoments
from kubestage.remote.watch import RemoteWatch

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.aliases import Json
    from kubestage.cluster.access import Call, Selection, WatchEvent
    from kubestage.remote.access import Access
    from kubestage.remote.subscription import RemoteSubscription


class RemoteCluster:
    """The port to a real cluster, until it is closed.

    Something happens only while `run` does: it calls all callbacks, on this thread.
    """

    is_stage = False

    def __init__(self, access: Access, *, timeout_s: float = 60.0) -> None:
        self.server = access.server
        self.connection = Connection(access, timeout_s=timeout_s)
        self.closing = [self.connection]
        self.loop = Loop()
        self.loop.complete(self.connection.open())
        self.moments = RealMoments(self.loop)
        self.discovery = Discovery(self.connection)
        self._watches: dict[Selection, RemoteWatch] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def check(self) -> Json:
        """Query the cluster's version, before a run; InputError says why there is no answer.

        It is empty where the user may not see it: who refuses is there, and knows us.
        """
        found: Json = self.loop.complete(self._version())
        return found

    def run(self, until: Callable[[], bool]) -> None:
        """Let time go by until something is true; the first error of a callback is raised."""
        self.loop.run(until)

    def interrupt(self, callback: Callable[[], None]) -> None:
        """Call back during a run, from a signal handler or another thread."""
        self.loop.call_soon_threadsafe(callback)

    def close(self) -> None:
        """Give up what is under way, and all connections."""
        if not self.loop.asyncio.is_closed():
            self.loop.end_work()
            for connection in self.closing:
                self.loop.complete(connection.close())
            self.loop.close()

    def problems(self, lasting_ns: int = 0) -> list[str]:
        """What stands in the way of watches, and has for some time; each once."""
        before_ns = self.moments.now_ns - lasting_ns
        found = (
            f"watching {selection.resource.kind}: {watch.problem}"
            for selection, watch in self._watches.items()
            if watch.problem and not watch.is_idle and watch.problem_began_ns <= before_ns
        )
        return list(dict.fromkeys(found))

    def call(self, call: Call, done: Callable[[Answer], None]) -> None:
        """Make a call; `done` receives the answer."""
        self.loop.spawn(self._call(call, done))

    def watch(self, selection: Selection, seen: Callable[[WatchEvent], None]) -> RemoteSubscription:
        """Watch; subscriptions of the same selection share a connection."""
        watch = self._watches.get(selection)
        if watch is None or watch.is_idle:
            watch = self._watches[selection] = RemoteWatch(
                selection, self.loop, self.moments, self.connection, self.discovery
            )
        return watch.join(seen)

    def raw(self, path: str, done: Callable[[Page], None]) -> None:
        """GET a path outside of the resources; a page of code 0 says that there was no answer."""
        self.loop.spawn(self._raw(path, done))

    async def _call(self, call: Call, done: Callable[[Answer], None]) -> None:
        moments = self.moments
        sent_ns = moments.now_ns
        try:
            place = await self.discovery.find(call.resource)
            sent_ns = moments.now_ns
            if call.verb == "list":
                path = place.path(call.namespace)
                found = await listing.whole(self.connection, path, call)
            else:
                found = await self._carry_out(wire.message(call, place))
            answer = Answer(found, None, sent_ns, moments.now_ns)
        except ApiError as refusal:
            answer = Answer(None, refusal, sent_ns, moments.now_ns)
        self.loop.call_soon(done, answer)

    async def _carry_out(self, message: wire.Message) -> Json:
        reply = await self.connection.send(
            message.method, message.path, message.body, content=message.content
        )
        if reply.code >= 400:
            raise refusals.from_answer(reply.code, reply.body, reply.headers)
        try:
            return msgspec.json.decode(reply.body, type=dict[str, Any])
        except msgspec.DecodeError as problem:
            raise refusals.Unreachable(
                f"{message.method} {message.path}: the answer is no object: {problem}"
            ) from problem

    async def _raw(self, path: str, done: Callable[[Page], None]) -> None:
        try:
            reply = await self.connection.send("GET", path, accept="*/*")
            page = Page(reply.code, reply.body.decode(errors="replace"))
        except ApiError as refusal:
            page = Page(0, refusal.message)
        self.loop.call_soon(done, page)

    async def _version(self) -> Json:
        try:
            return await self._carry_out(wire.Message("GET", "/version", None))
        except Forbidden:
            return {}
        except Unauthorized as refusal:
            raise InputError(
                f"the cluster does not know the user: {refusal.message}",
                path=self.server,
                fix="renew the credentials that the kubeconfig names",
            ) from refusal
        except ApiError as refusal:
            raise InputError(
                f"the cluster does not answer: {refusal.message}",
                path=self.server,
                fix="is it up, and is this the address that the kubeconfig should have?",
            ) from refusal
