"""A cluster behind HTTP on this machine, in a thread of this process."""

from __future__ import annotations

import shutil
import time
from typing import TYPE_CHECKING, Final, Self, TypeVar

from kubestage.errors import ExpectationFailed, InputError, SimulationError
from kubestage.server.live import REPORTS
from kubestage.server.next_moment import NextChange
from kubestage.server.pacing import Mode
from kubestage.server.pacing_work import WorkAhead
from kubestage.testing.clusters import messages, naming
from kubestage.testing.clusters.cluster import LONGEST, WITHIN, Cluster, parse_duration

try:
    from kubestage.server import serving
    from kubestage.server.security import kubeconfig
    from kubestage.testing.clusters.short_server import ServerThread
except ImportError as missing:
    _FIX = "pip install 'kubestage[server]'"
    raise InputError(f"cluster_server needs {missing.name}", fix=_FIX) from None

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Callable

    from kubestage.server.fanout import CutMode
    from kubestage.server.live import Live, Write
    from kubestage.server.pacing import Pacer
    from kubestage.stage import Stage
    from kubestage.testing.clusters.keeping import ClusterRecording
    from kubestage.testing.clusters.options import ClusterOptions

T = TypeVar("T")

_HOST: Final = "127.0.0.1"
# Clients that have requested nothing for so long, in real time, have reacted to what happened.
_GRACE_S: Final = 0.02
_PAUSE_S: Final = 0.002
_SETTLED_S: Final = 0.1
# A client that never stops to write is not waited for without end.
_LONGEST_S: Final = 60.0


class ClusterServer(Cluster):
    """The same cluster for every client of the Kubernetes API.

    `url` is where it is, `kubeconfig` the path of a file that leads there; no token is needed. By
    default the clock jumps through what clients bring about (pods start, rollouts go on) and then
    stands still until the test has time pass; with ``pace="still"`` only the test does. The
    `folder` is the server's own, and gone when it is closed.
    """

    def __init__(
        self,
        stage: Stage,
        options: ClusterOptions,
        folder: pathlib.Path,
        recording: ClusterRecording | None = None,
    ) -> None:
        super().__init__(stage, options, recording)
        stage.store.implicit_namespaces = False
        if not stage.store.shows_definitions:
            stage.store.show_definitions()
        listening = serving.listen(_HOST, 0)
        self.url: Final = f"http://{_HOST}:{listening.getsockname()[1]}"
        self._folder = folder
        path = folder / "kubeconfig"
        kubeconfig.write(path, self.url)
        self.kubeconfig: Final = str(path)
        mode = Mode.JUMP if options.pace == "jump" else Mode.PAUSED
        self._server = ServerThread(stage, listening, mode, self.request_faults)
        self._writes = 0
        self.do(lambda: self._live.listeners.append(self._on_write))

    def close(self) -> None:
        """Stop serving; the cluster itself can still be looked at."""
        self._server.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def _live(self) -> Live:
        return self._server.served.live

    @property
    def _pacer(self) -> Pacer:
        return self._server.served.pacer

    def do(self, work: Callable[[], T], *, writes: bool = False) -> T:
        """What some work on the stage returns; it is done where the stage is served."""
        if self._server.is_closed:
            return work()

        def call() -> T:
            try:
                return work()
            finally:
                if writes:
                    self._live.pace.wake()

        return self._server.do(call)

    # Time.

    def run(self, duration: str | int) -> None:
        """Let virtual time pass, as fast as that goes; clients that watch can react on the way."""
        end_ns = self._stage.clock.now_ns + parse_duration(duration)
        while self._stage.clock.now_ns < end_ns:
            self._pass(end_ns, by_change=self._server.activity.has_watches)

    def run_until(self, condition: Callable[[], object], within: str | int = WITHIN) -> None:
        """Let virtual time pass until a condition holds; so long at most after the last write.

        The condition is called in the thread of the test, so that it may use any client. Clients
        work in real time: while they write, the time within which it must hold begins again, and
        when it is over they have some real seconds left, the `patience` of the cluster.
        """
        __tracebackhide__ = True
        within_ns, clock = parse_duration(within), self._stage.clock
        began_s, seen = time.monotonic(), self._writes
        end_ns, over_s = clock.now_ns + within_ns, 0.0
        while not condition():
            if self._writes != seen:
                seen, end_ns, over_s = self._writes, clock.now_ns + within_ns, 0.0
            if clock.now_ns < end_ns:
                self._pass(end_ns)
                continue
            now_s = time.monotonic()
            over_s = over_s or now_s
            patience_s = self.options.patience
            if now_s >= min(over_s + patience_s, began_s + patience_s + _LONGEST_S):
                raise ExpectationFailed(self.do(lambda: messages.not_within(self._stage, within)))
            time.sleep(_PAUSE_S)

    def settle(self, within: str | int = LONGEST) -> None:
        """Let virtual time pass until nothing is under way, and clients request nothing more.

        Whether a client is about to react cannot be known: prefer `run_until`, or an expectation
        with `within`, for what an operator does.
        """
        __tracebackhide__ = True
        clock = self._stage.clock
        end_ns, seen = clock.now_ns + parse_duration(within), self._writes
        work = self.do(lambda: WorkAhead(self._stage))
        try:
            while True:
                if self._writes != seen:
                    seen = self._writes
                    self.do(work.wrote)
                goal_ns = self.do(work.goal_ns)
                if goal_ns is None:
                    if self._are_clients_idle(_SETTLED_S):
                        return
                    time.sleep(_PAUSE_S)
                elif goal_ns > end_ns:
                    text = self.do(lambda: messages.not_within(self._stage, within))
                    raise ExpectationFailed(text)
                else:
                    self._pass(max(goal_ns, clock.now_ns))
        finally:
            self.do(work.close)

    def _pass(self, end_ns: int, *, by_change: bool = True) -> None:
        """Let time pass to the next change, or to a moment; then let clients react."""
        self._server.wait_for(self._advance(end_ns, by_change=by_change))
        began_s = time.monotonic()
        while not self._are_clients_idle(_GRACE_S, began_s):
            time.sleep(_PAUSE_S)

    async def _advance(self, end_ns: int, *, by_change: bool) -> None:
        change = NextChange(self._live) if by_change else None
        try:
            await self._pacer.run_until(end_ns, change)
        finally:
            if change is not None:
                change.close()
        if self._pacer.failure:
            raise SimulationError(self._pacer.failure)

    def _are_clients_idle(self, span_s: float, since_s: float = float("-inf")) -> bool:
        """Whether clients that watch have requested nothing since a change, for so long."""
        activity = self._server.activity
        if not activity.has_watches:
            return True
        return min(activity.idle_s, time.monotonic() - since_s) >= span_s

    def _on_write(self, write: Write) -> None:
        self._writes += write.kind.kind not in REPORTS

    # Faults.

    def cut_watches(self, kind: str | None, how: CutMode) -> int:
        """End open watches of a kind, or all, so that clients have to cope; how many there were."""
        if how not in ("end", "drop", "expired"):
            raise InputError(f'"{how}" is no way to cut a watch', fix="use end, drop or expired")

        def cut() -> int:
            row = None if kind is None else naming.kind_of(self.store, kind)
            found = [
                watch
                for watch in self._live.fanout.open_watches
                if row is None or watch.who[:2] == (row.group, row.kind)
            ]
            for watch in found:
                watch.cut(how)
            return len(found)

        return self.do(cut)
