"""EtcdMetrics: how large the database grew, and how long its disk and its peers take."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from kubestage.measure import histograms, perf_data
from kubestage.measure.components import control_plane
from kubestage.measure.facilities import Sample
from kubestage.measure.measurement import Measurement
from kubestage.measure.params import Duration, Params
from kubestage.measure.results import NOTHING, MeasurementResult, PendingResult, Series, Summary
from kubestage.promql import exposition

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.cluster.access import Answer, Page, Timer
    from kubestage.measure.measurement import Context
    from kubestage.measure.results import Result

NAME: Final = "EtcdMetrics"
_SIZES: Final = ("etcd_debugging_mvcc_db_total_size_in_bytes", "etcd_mvcc_db_total_size_in_bytes")
_HISTOGRAMS: Final = {
    "backendCommitDuration": "etcd_disk_backend_commit_duration_seconds_bucket",
    "snapshotSaveTotalDuration": "etcd_debugging_snap_save_total_duration_seconds_bucket",
    "peerRoundTripTime": "etcd_network_peer_round_trip_time_seconds_bucket",
    "walFsyncDuration": "etcd_disk_wal_fsync_duration_seconds_bucket",
}
_UNKNOWN: Final = "needs a registered node of the control plane whose etcd can be reached"


class EtcdParams(Params, frozen=True, kw_only=True):
    """`wait_time` is the time between two readings of the size of the database."""

    wait_time: Duration = Duration(60_000_000_000)


class EtcdMetrics(Measurement[EtcdParams]):
    """Reads the size from etcd's page every minute, and the rest at the end."""

    params_type = EtcdParams
    actions = ("start", "gather")

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._paths: list[str] = []
        self._wait_ns = 0
        self._timer: Timer | None = None
        self._is_running = False
        self._sizes: list[tuple[int, float]] = []

    def perform(self, params: EtcdParams) -> Result:
        """Start or gather, when the nodes of etcd are known."""
        if params.action not in ("start", "gather"):
            return super().perform(params)
        return _Finding(self, params).pending

    def found(self, paths: list[str], params: EtcdParams, pending: PendingResult) -> None:
        """Continue with the pages."""
        self._paths = paths
        if params.action == "start":
            self._wait_ns = params.wait_time
            self._is_running = True
            self._schedule_poll()
            pending.resolve(NOTHING)
        else:
            self.dispose()
            control_plane.Pages(self.cluster, paths, _Gathering(self, pending).read)

    def gathered(self, pages: list[Page]) -> MeasurementResult:
        """The numbers of the last pages, with the largest size there was."""
        bad = next((page.code for page in pages if page.code != HTTPStatus.OK), None)
        if bad is not None:
            return MeasurementResult(skipped=f"needs etcd's metrics, which answered {bad}")
        samples: dict[str, list[Sample]] = {name: [] for name in _HISTOGRAMS.values()}
        for page in pages:
            for line in exposition.read(page.text):
                if line.name in samples:
                    labels = {"__name__": line.name, **line.labels}
                    samples[line.name].append(Sample(labels, line.value))
        self._read_sizes(pages)
        document: Json = {
            word: [each.to_json() for each in histograms.gathered(samples[name])]
            for word, name in _HISTOGRAMS.items()
        }
        document["maxDatabaseSize"] = max((size for _, size in self._sizes), default=0.0)
        summary = Summary(NAME, perf_data.pretty(document), self.cluster.moments.unix_ns)
        return MeasurementResult(summaries=(summary,), series=self._series())

    def dispose(self) -> None:
        """Stop polling."""
        self._is_running = False
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _schedule_poll(self) -> None:
        self._timer = self.cluster.moments.at(self.now_ns + self._wait_ns, self._poll)

    def _poll(self) -> None:
        control_plane.Pages(self.cluster, self._paths, self._on_pages)

    def _on_pages(self, pages: list[Page]) -> None:
        if self._is_running:
            self._read_sizes(pages)
            self._schedule_poll()

    def _read_sizes(self, pages: list[Page]) -> None:
        sizes = [size for page in pages if (size := _size(page)) is not None]
        if sizes:
            self._sizes.append((self.now_ns, max(sizes)))

    def _series(self) -> tuple[Series, ...]:
        at_ns, values = [at for at, _ in self._sizes], [size for _, size in self._sizes]
        return (Series("etcd database size", "bytes", at_ns, values),) if values else ()


class _Finding:
    """Finds the nodes of etcd."""

    def __init__(self, measurement: EtcdMetrics, params: EtcdParams) -> None:
        self.pending = PendingResult()
        self._measurement = measurement
        self._params = params
        control_plane.list_nodes(measurement.cluster, self._listed)

    def _listed(self, answer: Answer) -> None:
        if answer.error is not None:
            self.pending.resolve(MeasurementResult(errors=(answer.error.message,)))
            return
        is_stage = self._measurement.cluster.is_stage
        masters = control_plane.masters(control_plane.items(answer), is_stage=is_stage)
        if not masters:
            self.pending.resolve(MeasurementResult(skipped=_UNKNOWN))
            return
        etcd = control_plane.STAGE_ETCD if is_stage else control_plane.ETCD
        paths = [control_plane.metrics_page(etcd, name) for name in masters]
        self._measurement.found(paths, self._params, self.pending)


class _Gathering:
    """The request of the last pages."""

    def __init__(self, measurement: EtcdMetrics, pending: PendingResult) -> None:
        self._measurement, self._pending = measurement, pending

    def read(self, pages: list[Page]) -> None:
        self._pending.resolve(self._measurement.gathered(pages))


def _size(page: Page) -> float | None:
    if page.code != HTTPStatus.OK:
        return None
    return next((line.value for line in exposition.read(page.text) if line.name in _SIZES), None)
