"""Records a live cluster into a folder, until it is stopped.

::

    from kubestage.runs.recording import RecordOptions, record

    record("rec", RecordOptions(kubeconfig="config", record_for="1h"))
"""

from __future__ import annotations

import os
import pathlib
from typing import TYPE_CHECKING, Final

from kubestage.cluster.access import Resource, Selection
from kubestage.errors import ApiError, Forbidden, InputError
from kubestage.files.claiming import Claim
from kubestage.remote import kubeconfig, listing
from kubestage.remote.cluster import RemoteCluster
from kubestage.remote.prometheus import PrometheusQueries
from kubestage.remote.server_time import ServerTime
from kubestage.runs import live_import, living, naming_key
from kubestage.runs.load.interrupts import Interrupts
from kubestage.runs.observer import SILENT
from kubestage.runs.record_options import RecordOptions
from kubestage.runs.recording import destination
from kubestage.runs.recording.acceptance import Acceptance
from kubestage.runs.recording.kind_watch import KindWatch
from kubestage.runs.recording.result import RecordResult, RecordStatus
from kubestage.runs.recording.snapshot import Snapshots
from kubestage.runs.recording.usage_polls import (
    MetricsApi,
    PrometheusUsage,
    UsagePolls,
    UsageSource,
)
from kubestage.sources import canonical_kinds, usage
from kubestage.sources.anonymising.streamed_names import StreamedNaming
from kubestage.sources.cleaning import Kept
from kubestage.sources.usage import UsageWriter
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from kubestage.runs.observer import Observer
    from kubestage.sources.cluster_file import Spec

_DEFAULT: Final = RecordOptions()
_TICK_NS: Final = SECOND_NS
_MARK_TICKS: Final = 60
_SETS: Final = Resource("apps/v1", "StatefulSet")
_TOKEN: Final = "PROMETHEUS_TOKEN"


def record(
    out: str, options: RecordOptions = _DEFAULT, *, observer: Observer = SILENT
) -> RecordResult:
    """Record a cluster into a folder, until the time is over or Ctrl-C is pressed.

    A folder with an earlier recording of the same cluster is continued. InputError says what does
    not fit.
    """
    recorder = Recorder(out, options, observer=observer)
    interrupts = Interrupts(observer.on_interrupt)
    with interrupts.handled(), interrupts.ending(recorder.stop):
        return recorder.run()


class Recorder:
    """One run of a recording."""

    def __init__(
        self, out: str, options: RecordOptions = _DEFAULT, *, observer: Observer = SILENT
    ) -> None:
        self._out = out
        self._options = options
        self._observer = observer
        self._end_ns = None
        if options.record_for is not None:
            self._end_ns = living.parse_duration(options.record_for)
        self._interval_ns = living.parse_duration(options.usage_interval, "--usage-interval")
        self._cluster: RemoteCluster | None = None
        self._is_stopped = False
        self._watches: list[KindWatch] = []
        self._polls: UsagePolls | None = None
        self._ticks = 0

    def stop(self) -> None:
        """End it well; from a signal handler or another thread."""
        self._is_stopped = True
        if self._cluster is not None:
            self._cluster.interrupt(lambda: None)

    @property
    def lists(self) -> int:
        """How many lists were requested so far."""
        return sum(each.lists for each in self._watches)

    def run(self) -> RecordResult:
        """Record until it is stopped, and return what was recorded."""
        destination.check(self._out)
        access = kubeconfig.load(self._options.kubeconfig, self._options.context)
        naming = self._naming()
        with RemoteCluster(access) as cluster, Claim(pathlib.Path(self._out)) as claim:
            version = str(cluster.check().get("gitVersion") or "")
            known = cluster.loop.complete(_identity(cluster))
            log, is_continued = destination.log(claim.path, known, naming)
            self._cluster = cluster
            self._log = log
            self._time = ServerTime(cluster)
            cluster.loop.complete(self._time.find())
            self._accepting = Acceptance(self._kept(), naming)
            self._usage = UsageWriter(claim.path, usage.METRICS_API)
            snapshots = Snapshots(claim, log, version, self._options.context)
            try:
                self._begin(cluster, is_continued=is_continued)
                self._snapshot(snapshots)
                self._follow(cluster, claim.path)
            except BaseException:
                log.abandon()
                raise
            finally:
                self._cluster = None
            spec = self._finish(cluster, snapshots)
        return RecordResult(
            out=self._out, spec=spec, status=self._status(cluster), is_continued=is_continued
        )

    def _kept(self) -> Kept:
        options = self._options
        return Kept(secrets=options.with_secrets, config_data=options.with_config_data)

    def _naming(self) -> StreamedNaming | None:
        if self._options.anonymise:
            return StreamedNaming(naming_key.read(self._options.key))
        if self._options.key is not None:
            fix = "add --anonymise, or leave it out"
            raise InputError("has an effect only with --anonymise", path="--key", fix=fix)
        return None

    def _begin(self, cluster: RemoteCluster, *, is_continued: bool) -> None:
        """Have a state to begin with: that of the recording so far, or that of lists."""
        options = self._options
        kinds = canonical_kinds.listed(
            secrets=options.with_secrets, config=options.with_config_data
        )
        self._watches = [
            KindWatch(each, cluster, self._log, self._accepting, self._time) for each in kinds
        ]
        if self._accepting.naming is not None:
            cluster.loop.complete(_learn(cluster, self._accepting.naming))
        if not is_continued:
            with self._observer.progress("listing", len(kinds), noticeable=1) as advance:
                for number, watch in enumerate(self._watches):
                    advance(number, f"listing {watch.kind.plural}")
                    cluster.loop.complete(watch.list_first())
            if all(each.refusal is not None for each in self._watches):
                fix = "kubestage record --print-rbac prints a role that allows it"
                problem = "the user may list no kind at all"
                raise InputError(problem, path=cluster.server, fix=fix)
        self._log.start(self._time.now_ns)

    def _follow(self, cluster: RemoteCluster, place: pathlib.Path) -> None:
        for watch in self._watches:
            cluster.loop.spawn(watch.run())
        cluster.loop.spawn(self._time.follow())
        if self._options.usage:
            source = self._usage_source(cluster, place)
            self._usage = UsageWriter(place, source.name)
            self._polls = UsagePolls(source, self._usage, self._interval_ns, self._accepting.naming)
            cluster.loop.spawn(self._polls.run())
        if self._end_ns is not None:
            cluster.moments.at(cluster.moments.now_ns + self._end_ns, self._on_end)
        cluster.moments.at(cluster.moments.now_ns + _TICK_NS, self._tick)
        cluster.run(lambda: self._is_stopped)

    def _usage_source(self, cluster: RemoteCluster, place: pathlib.Path) -> UsageSource:
        url = self._options.prometheus
        if url is None:
            return MetricsApi(cluster.connection)
        queries = PrometheusQueries(cluster, url, os.environ.get(_TOKEN, ""))
        queries.check()
        return PrometheusUsage(queries, self._time, self._interval_ns, usage.last_ns(place))

    def _on_end(self) -> None:
        self._is_stopped = True

    def _tick(self) -> None:
        cluster = self._cluster
        if cluster is None:
            return
        self._ticks += 1
        if self._ticks % _MARK_TICKS == 0:
            for watch in self._watches:
                watch.mark()
        self._log.flush(self._time.now_ns)
        self._observer.on_recording(self._status(cluster))
        cluster.moments.at(cluster.moments.now_ns + _TICK_NS, self._tick)

    def _finish(self, cluster: RemoteCluster, snapshots: Snapshots) -> Spec:
        cluster.loop.end_work()
        for watch in self._watches:
            watch.mark()
        self._log.close()
        self._usage.close()
        return self._snapshot(snapshots)

    def _snapshot(self, snapshots: Snapshots) -> Spec:
        intake = self._accepting.intake
        left_out = intake.imported.left_out.copy()
        for watch in self._watches:
            if isinstance(watch.refusal, Forbidden):
                left_out[watch.kind.kind, live_import.FORBIDDEN] += 0
            elif watch.refusal is not None and not canonical_kinds.is_optional(watch.kind):
                left_out[watch.kind.kind, live_import.ABSENT] += 0
        return snapshots.write(left_out, intake.imported.notes)

    def _status(self, cluster: RemoteCluster) -> RecordStatus:
        now_ns = cluster.moments.now_ns
        watched = [each for each in self._watches if each.refusal is None]
        broken = [each for each in watched if each.problem]
        problems = [f"{each.kind.plural}: {each.problem}" for each in broken]
        if self._polls is not None and self._polls.problem:
            problems.append(f"usage: {self._polls.problem}")
        began_ns = min((each.problem_began_ns for each in broken), default=now_ns)
        return RecordStatus(
            elapsed_s=now_ns / SECOND_NS,
            changes=self._log.changes,
            samples=self._usage.samples,
            objects=len(self._log.states),
            kinds=len(watched),
            size_bytes=self._log.size + self._usage.size,
            behind_s=(now_ns - began_ns) / SECOND_NS,
            problems=problems,
        )


async def _identity(cluster: RemoteCluster) -> str:
    """By what a cluster is known: the uid of its namespace kube-system; empty if it is hidden."""
    query = "?fieldSelector=metadata.name%3Dkube-system"
    try:
        reply = await cluster.connection.send("GET", f"/api/v1/namespaces{query}")
    except ApiError:
        return ""
    return destination.uid_of(reply.body)


async def _learn(cluster: RemoteCluster, naming: StreamedNaming) -> None:
    """Take note of all StatefulSets, of whose names those of claims are made."""
    try:
        place = await cluster.discovery.find(_SETS)
        async for page in listing.leaves(cluster.connection, place.path(""), Selection(_SETS)):
            for raw in page.items:
                naming.learn(listing.read(raw, _SETS))
    except ApiError:
        return
