"""Follows a live cluster and says what it will do, until it is stopped.

::

    from kubestage.runs.shadowing import ShadowOptions, shadow

    result = shadow(ShadowOptions(kubeconfig="config", shadow_for="1h"))
    print(result.headline())
"""

from __future__ import annotations

import asyncio
import collections
import contextlib
import pathlib
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.errors import ApiError, InputError
from kubestage.objects import gvk
from kubestage.remote import kubeconfig
from kubestage.remote.cluster import RemoteCluster
from kubestage.remote.server_time import ServerTime
from kubestage.runs import living
from kubestage.runs.load.interrupts import Interrupts
from kubestage.runs.observer import SILENT
from kubestage.runs.recording.acceptance import Acceptance
from kubestage.runs.recording.kind_watch import KindWatch
from kubestage.runs.recording.usage_polls import MetricsApi
from kubestage.runs.shadow_options import ShadowOptions
from kubestage.runs.shadowing import placements, questions
from kubestage.runs.shadowing.node_arrivals import ArrivalTwin
from kubestage.runs.shadowing.ordered_mirror import TURN_NS, OrderedMirror
from kubestage.runs.shadowing.placements import PlacementTwin
from kubestage.runs.shadowing.replica_steps import ReplicaTwin
from kubestage.runs.shadowing.result import ShadowResult, ShadowStatus
from kubestage.sources import canonical_kinds
from kubestage.sources.change_log import ChangeLog, LogIdentity
from kubestage.sources.cleaning import Kept
from kubestage.sources.imported import format_ns
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TextIO

    from kubestage.aliases import Json
    from kubestage.runs.observer import Observer
    from kubestage.runs.shadowing.questions import Question

_DEFAULT: Final = ShadowOptions()
_TICK_NS: Final = SECOND_NS
_MOST_MISSES: Final = 100
_OUTCOMES: Final = ("placement", "step", "arrival")


def shadow(
    options: ShadowOptions = _DEFAULT,
    *,
    observer: Observer = SILENT,
    on_report: Callable[[Json], None] | None = None,
) -> ShadowResult:
    """Shadow a cluster until the time is over or Ctrl-C is pressed.

    `on_report` receives each prediction, outcome and answer. Nothing is written to the cluster.
    """
    twin = Shadow(options, observer=observer, on_report=on_report)
    interrupts = Interrupts(observer.on_interrupt)
    with interrupts.handled(), interrupts.ending(twin.stop):
        return twin.run()


class Shadow:
    """One run of a live twin."""

    def __init__(
        self,
        options: ShadowOptions = _DEFAULT,
        *,
        observer: Observer = SILENT,
        on_report: Callable[[Json], None] | None = None,
    ) -> None:
        self._options = options
        self._observer = observer
        self._on_report = on_report
        self._end_ns = None
        if options.shadow_for is not None:
            self._end_ns = living.parse_duration(options.shadow_for)
        self._every_ns = living.parse_duration(options.every, "--every")
        self._interval_ns = living.parse_duration(options.usage_interval, "--usage-interval")
        self._questions = [questions.parse(each) for each in options.ask]
        self._predictor = placements.predictor(options)
        self._placements = PlacementTwin(self._predictor, self._emit)
        self._steps = ReplicaTwin(self._predictor.store, self._emit)
        self._arrivals = ArrivalTwin(self._predictor, self._emit)
        self._misses: collections.deque[Json] = collections.deque(maxlen=_MOST_MISSES)
        self._answers: list[Json] = []
        self._watches: list[KindWatch] = []
        self._mirror = OrderedMirror(self._predictor, self._placements, self._arrivals, self._steps)
        self._cluster: RemoteCluster | None = None
        self._out: TextIO | None = None
        self._is_stopped = False
        # Nothing is written: it only remembers the last states.
        self._log = ChangeLog(pathlib.Path(), LogIdentity())

    def stop(self) -> None:
        """End it; from a signal handler or another thread."""
        self._is_stopped = True
        if self._cluster is not None:
            self._cluster.interrupt(lambda: None)

    def ask(self, text: str) -> None:
        """Ask a question now; from another thread. InputError if it is none."""
        question = questions.parse(text)
        if self._cluster is not None:
            self._cluster.interrupt(lambda: self._answer(question))

    def run(self) -> ShadowResult:
        """Shadow until it is stopped."""
        access = kubeconfig.load(self._options.kubeconfig, self._options.context)
        with contextlib.ExitStack() as stack:
            if self._options.out is not None:
                self._out = stack.enter_context(
                    pathlib.Path(self._options.out).open("a", encoding="utf-8")
                )
            cluster = stack.enter_context(RemoteCluster(access))
            cluster.check()
            self._time = ServerTime(cluster)
            cluster.loop.complete(self._time.find())
            self._list(cluster)
            self._cluster = cluster
            try:
                self._follow(cluster)
            finally:
                self._cluster = None
            status = self._status(cluster)
        self._out = None
        return ShadowResult(
            status=status,
            misses=list(self._misses),
            answers=self._answers,
            notes=[each.text() for each in self._log.gaps],
        )

    def _list(self, cluster: RemoteCluster) -> None:
        """The state to begin with."""
        accepting = Acceptance(Kept(), None)
        kinds = canonical_kinds.listed(secrets=False, config=False)
        self._watches = [
            KindWatch(each, cluster, self._log, accepting, self._time) for each in kinds
        ]
        with self._observer.progress("listing", len(kinds), noticeable=1) as advance:
            for number, watch in enumerate(self._watches):
                advance(number, f"listing {watch.kind.plural}")
                cluster.loop.complete(watch.list_first())
        if all(each.refusal is not None for each in self._watches):
            fix = "kubestage record --print-rbac prints a role that allows it"
            raise InputError("the user may list no kind at all", path=cluster.server, fix=fix)
        objects = self._log.states.objects()
        self._predictor.put_all(objects)
        now_ns = self._time.now_ns
        for obj in objects:
            if (obj["apiVersion"], obj["kind"]) == gvk.POD and not obj["spec"].get("nodeName"):
                self._placements.on_pod(None, obj, now_ns)
        self._log.on_change = self._mirror.hold

    def _follow(self, cluster: RemoteCluster) -> None:
        for watch in self._watches:
            cluster.loop.spawn(watch.run())
        cluster.loop.spawn(self._time.follow())
        cluster.loop.spawn(self._poll_usage(MetricsApi(cluster.connection)))
        now_ns = cluster.moments.now_ns
        if self._end_ns is not None:
            cluster.moments.at(now_ns + self._end_ns, self._on_end)
        cluster.moments.at(now_ns + _TICK_NS, self._tick)
        cluster.moments.at(now_ns + TURN_NS, self._release)
        if self._questions:
            cluster.moments.at(now_ns, self._ask_all)
        cluster.run(lambda: self._is_stopped)
        cluster.loop.end_work()
        self._mirror.finish()

    def _on_end(self) -> None:
        self._is_stopped = True

    def _release(self) -> None:
        """Take up what was held back long enough."""
        cluster = self._cluster
        if cluster is None:
            return
        is_interrupted = any(each.refusal is None and each.problem for each in self._watches)
        self._mirror.turn(is_interrupted=is_interrupted)
        cluster.moments.at(cluster.moments.now_ns + TURN_NS, self._release)

    async def _poll_usage(self, source: MetricsApi) -> None:
        while True:
            try:
                samples = await source.samples()
            except ApiError:
                # Without usage, steps of HPAs are counted as unknown.
                samples = []
            self._steps.on_usage(samples, self._time.now_ns)
            await asyncio.sleep(self._interval_ns / SECOND_NS)

    def _tick(self) -> None:
        cluster = self._cluster
        if cluster is None:
            return
        now_ns = self._time.now_ns
        self._arrivals.on_waiting(self._placements.retry(now_ns), now_ns)
        if self._out is not None:
            self._out.flush()
        self._observer.on_shadow(self._status(cluster))
        cluster.moments.at(cluster.moments.now_ns + _TICK_NS, self._tick)

    def _ask_all(self) -> None:
        cluster = self._cluster
        if cluster is None:
            return
        for question in self._questions:
            self._answer(question)
        cluster.moments.at(cluster.moments.now_ns + self._every_ns, self._ask_all)

    def _answer(self, question: Question) -> None:
        """Changes that come meanwhile wait."""
        now_ns = self._time.now_ns
        objects = self._log.states.objects()
        found = questions.answer(question, objects, now_ns, self._options)
        self._answers.append({name: found[name] for name in found if name != "result"})
        self._emit({"at": format_ns(now_ns), "type": "answer", **found})

    def _emit(self, report: Json) -> None:
        if report.get("wasHit") is False:
            self._withdraw_miss(report)
        if report["type"] in _OUTCOMES and report["hit"] is False:
            self._misses.append(report)
        if self._out is not None:
            self._out.write(f"{msgspec.json.encode(report).decode()}\n")
        if self._on_report is not None:
            self._on_report(report)

    def _withdraw_miss(self, report: Json) -> None:
        """A placement was predicted again: the miss that it was counts no longer."""
        name = _name(report)
        for each in [each for each in self._misses if _name(each) == name]:
            self._misses.remove(each)

    def _status(self, cluster: RemoteCluster) -> ShadowStatus:
        now_ns = cluster.moments.now_ns
        broken = [each for each in self._watches if each.refusal is None and each.problem]
        began_ns = min((each.problem_began_ns for each in broken), default=now_ns)
        return ShadowStatus(
            elapsed_s=now_ns / SECOND_NS,
            nodes=self._predictor.node_count,
            objects=len(self._log.states),
            pending=self._placements.pending,
            placements=msgspec.structs.replace(self._placements.counts),
            steps=msgspec.structs.replace(self._steps.counts),
            arrivals=msgspec.structs.replace(self._arrivals.counts),
            behind_s=(now_ns - began_ns) / SECOND_NS,
            problems=[f"{each.kind.plural}: {each.problem}" for each in broken],
        )


def _name(report: Json) -> tuple[object, ...]:
    return report["type"], report.get("pod"), report["at"]
