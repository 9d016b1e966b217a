"""MetricsForE2E: all metrics of the components, unchanged."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from kubestage.golang import floats
from kubestage.measure import perf_data
from kubestage.measure.components import control_plane
from kubestage.measure.measurement import Measurement
from kubestage.measure.params import Params
from kubestage.measure.results import MeasurementResult, PendingResult, Summary
from kubestage.promql import exposition

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.cluster.access import Answer, Cluster, Page
    from kubestage.measure.results import Result

NAME: Final = "MetricsForE2E"
_API_SERVER, _SCHEDULER = "APIServerMetrics", "SchedulerMetrics"
_CONTROLLER_MANAGER, _KUBELETS = "ControllerManagerMetrics", "KubeletMetrics"
_AUTOSCALER: Final = "ClusterAutoscalerMetrics"
# Of a kubelet only these are written; the names are old ones, as in ClusterLoader2's summaries.
KUBELET_METRICS: Final = (
    "kubelet_container_manager_latency_microseconds",
    "kubelet_docker_errors",
    "kubelet_docker_operations_latency_microseconds",
    "kubelet_generate_pod_status_latency_microseconds",
    "kubelet_pod_start_latency_microseconds",
    "kubelet_pod_worker_latency_microseconds",
    "kubelet_pod_worker_start_latency_microseconds",
    "kubelet_sync_pods_latency_microseconds",
)


class MetricsParams(Params, frozen=True, kw_only=True):
    """The metrics of kubelets are optional."""

    gather_kubelets_metrics: bool = False


class MetricsForE2E(Measurement[MetricsParams]):
    """Requests the pages once, at every action but ``start``."""

    params_type = MetricsParams

    def perform(self, params: MetricsParams) -> Result:
        """Request the metrics; there is nothing to start."""
        if params.action == "start":
            return MeasurementResult()
        return _Grab(self.cluster, is_with_kubelets=params.gather_kubelets_metrics).pending


class _Grab:
    """The requests of all pages."""

    def __init__(self, cluster: Cluster, *, is_with_kubelets: bool) -> None:
        self.pending = PendingResult()
        self._cluster = cluster
        self._is_with_kubelets = is_with_kubelets
        self._sources: list[tuple[str, str]] = [(_API_SERVER, "")]
        self._paths = ["/metrics"]
        control_plane.list_nodes(cluster, self._listed)

    def _listed(self, answer: Answer) -> None:
        if answer.error is not None:
            problem = f"failed to create MetricsGrabber: {answer.error.message}"
            self.pending.resolve(MeasurementResult(errors=(problem,)))
            return
        names = [node["metadata"]["name"] for node in control_plane.items(answer)]
        master = next(filter(control_plane.is_called_master, names), None)
        if master is None and self._cluster.is_stage:
            master = control_plane.STAGE_MASTER
        if master is not None:
            self._add(_SCHEDULER, control_plane.metrics_page(control_plane.SCHEDULER, master))
            page = control_plane.metrics_page(control_plane.CONTROLLER_MANAGER, master)
            self._add(_CONTROLLER_MANAGER, page)
        if self._is_with_kubelets:
            for name in names:
                self._add(_KUBELETS, control_plane.node_page(name, "metrics"), name)
        control_plane.Pages(self._cluster, self._paths, self._read)

    def _add(self, source: str, path: str, name: str = "") -> None:
        self._sources.append((source, name))
        self._paths.append(path)

    def _read(self, pages: list[Page]) -> None:
        grabbed: Json = dict.fromkeys(
            (_API_SERVER, _CONTROLLER_MANAGER, _KUBELETS, _SCHEDULER, _AUTOSCALER)
        )
        grabbed[_KUBELETS] = {}
        problems = []
        for (source, name), path, page in zip(self._sources, self._paths, pages, strict=True):
            is_there = page.code == HTTPStatus.OK
            metrics = _metrics(page.text) if is_there else {}
            if source == _KUBELETS:
                selected = {each: metrics.get(each) for each in KUBELET_METRICS}
                grabbed[_KUBELETS][name] = selected
            # A missing page of the API server is ignored, as in ClusterLoader2.
            elif is_there or source == _API_SERVER:
                grabbed[source] = metrics
            if not is_there and source != _API_SERVER:
                problems.append(f"{path} answered {page.code}")
        kubelets = grabbed[_KUBELETS]
        grabbed[_KUBELETS] = {name: kubelets[name] for name in sorted(kubelets)}
        summary = Summary(NAME, perf_data.pretty(grabbed), self._cluster.moments.unix_ns)
        problem = f"errors while grabbing metrics: [{' '.join(problems)}]"
        self.pending.resolve(
            MeasurementResult(summaries=(summary,), errors=(problem,) if problems else ())
        )


def _metrics(text: str) -> dict[str, list[Json]]:
    """The numbers of a page by name, as Prometheus' own types write them into JSON."""
    found: dict[str, list[Json]] = {}
    for line in exposition.read(text):
        labels = {"__name__": line.name, **line.labels}
        sample: Json = {
            "metric": {name: labels[name] for name in sorted(labels)},
            "value": [0, floats.format_float(line.value, "f", -1)],
        }
        found.setdefault(line.name, []).append(sample)
    return {name: found[name] for name in sorted(found)}
