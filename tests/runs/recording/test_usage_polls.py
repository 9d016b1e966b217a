"""Usage beside a recording: of metrics.k8s.io, and of a Prometheus."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.remote.prometheus import PrometheusQueries
from kubestage.remote.server_time import ServerTime
from kubestage.runs.recording.usage_polls import MetricsApi, PrometheusUsage, UsagePolls
from kubestage.sources import usage
from kubestage.sources.anonymising.streamed_names import StreamedNaming
from kubestage.sources.usage import UsageWriter
from tests.deadlines import until
from tests.remote.asking import wait
from tests.remote.scripted_api import answer, refusal, scripted
from tests.runs.recording.recorded_cluster import Recording

if TYPE_CHECKING:
    import pathlib

    from aiohttp import web

    from tests.runs.recording.recorded_cluster import ServedCluster
    from tests.server.served import Served

ROOT = "/apis/metrics.k8s.io/v1beta1"
SECOND = 10**9
STEP = 60 * SECOND
WITH_USAGE = {"kubestage.dev/cpu-usage": "250m", "kubestage.dev/memory-usage": "64Mi"}


def _pods(time: str, cpu: str = "1500000n") -> dict[str, Any]:
    container = {"name": "main", "usage": {"cpu": cpu, "memory": "2Ki"}}
    item = {"metadata": {"name": "web", "namespace": "shop"}, "timestamp": time,
            "window": "15.5s", "containers": [container]}  # fmt: skip
    return {"kind": "PodMetricsList", "items": [item]}


def _nodes(time: str) -> dict[str, Any]:
    item = {"metadata": {"name": "a"}, "timestamp": time, "window": "15s",
            "usage": {"cpu": "2", "memory": "4Ki"}}  # fmt: skip
    return {"items": [item, {"metadata": {}}, {"metadata": {"name": "broken"}, "timestamp": "x"}]}


def test_each_measurement_is_written_once(tmp_path: pathlib.Path) -> None:
    first, second = "2026-03-01T10:00:00Z", "2026-03-01T10:00:15Z"
    with scripted() as (api, cluster):
        api.on(f"{ROOT}/nodes", answer(_nodes(first)))
        api.on(
            f"{ROOT}/pods", answer(_pods(first)), answer(_pods(first)), refusal(503, "Unavailable"),
            answer("no json"), answer(_pods(second, "20m")),
        )  # fmt: skip
        writer = UsageWriter(tmp_path, usage.METRICS_API)
        polls = UsagePolls(MetricsApi(cluster.connection), writer, SECOND // 1000, None)
        cluster.loop.spawn(polls.run())
        wait(cluster, lambda: writer.samples == 3)
        writer.close()
    node, pod, later = usage.read(tmp_path)
    assert (node.node, node.cpu_nanocores, node.memory_bytes) == ("a", 2 * 10**9, 4096)
    assert (pod.namespace, pod.pod, pod.container) == ("shop", "web", "main")
    assert (pod.cpu_nanocores, pod.memory_bytes) == (1_500_000, 2048)
    assert pod.window_ns == 15_500_000_000
    assert (later.pod, later.cpu_nanocores) == ("web", 20_000_000)
    assert later.at_ns - pod.at_ns == 15 * SECOND


def test_an_api_that_is_absent_is_no_problem(tmp_path: pathlib.Path) -> None:
    with scripted() as (api, cluster):
        writer = UsageWriter(tmp_path, usage.METRICS_API)
        polls = UsagePolls(MetricsApi(cluster.connection), writer, SECOND // 1000, None)
        cluster.loop.spawn(polls.run())
        wait(cluster, lambda: bool(api.asked(f"{ROOT}/nodes")))
        assert polls.problem == ""
    assert not usage.is_recorded(tmp_path)


def test_names_are_replaced_as_those_of_objects(tmp_path: pathlib.Path) -> None:
    naming = StreamedNaming(b"k")
    with scripted() as (api, cluster):
        api.on(f"{ROOT}/nodes", answer(_nodes("2026-03-01T10:00:00Z")))
        api.on(f"{ROOT}/pods", answer(_pods("2026-03-01T10:00:00Z")))
        writer = UsageWriter(tmp_path, usage.METRICS_API)
        polls = UsagePolls(MetricsApi(cluster.connection), writer, SECOND, naming)
        cluster.loop.spawn(polls.run())
        wait(cluster, lambda: writer.samples == 2)
        writer.close()
    node, pod = usage.read(tmp_path)
    assert node.node == naming.names.name("node", "a") != "a"
    obj = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web", "namespace": "shop"}}
    reference, _ = naming.replaced(obj)
    assert (pod.namespace, pod.pod) == (reference.namespace, reference.name)


class _Prometheus:
    """Answers ranges with a value at each step, and remembers what was requested."""

    def __init__(self) -> None:
        self.ranges: list[tuple[float, float]] = []

    async def __call__(self, request: web.Request) -> web.StreamResponse:
        form = await request.post()
        begin, end = float(str(form["start"])), float(str(form["end"]))
        step = float(str(form["step"]))
        self.ranges.append((begin, end))
        is_cpu = "cpu_usage" in str(form["query"])
        times = [begin + step * number for number in range(int((end - begin) / step) + 1)]
        labels = {"namespace": "shop", "pod": "web", "container": "main"}
        values = [[time, "0.25" if is_cpu else "2048"] for time in times]
        nothing = {"metric": {"pod": "lost"}, "values": [[begin, "NaN"]]}
        result = [{"metric": labels, "values": values}, nothing]
        body = {"status": "success", "data": {"resultType": "matrix", "result": result}}
        return await answer(body)(request)


def test_a_prometheus_is_queried_for_ranges_and_fills_gaps(tmp_path: pathlib.Path) -> None:
    prometheus = _Prometheus()
    with scripted() as (api, cluster):
        api.on("/prom/api/v1/query_range", refusal(503, "Unavailable"), prometheus)
        time = ServerTime(cluster)
        now_ns = time.now_ns
        # An earlier run ended three hours ago.
        last_ns = (now_ns - 3 * 3600 * SECOND) // STEP * STEP
        source = PrometheusUsage(PrometheusQueries(cluster, "/prom"), time, STEP, last_ns)
        writer = UsageWriter(tmp_path, source.name)
        cluster.loop.spawn(UsagePolls(source, writer, SECOND // 1000, None).run())
        wait(cluster, lambda: writer.samples >= 178)
        writer.close()
    found = list(usage.read(tmp_path))
    times = [each.at_ns for each in found]
    assert times == [last_ns + STEP * number for number in range(1, len(found) + 1)]
    assert now_ns - times[-1] < 2 * STEP
    assert {(each.pod, each.cpu_nanocores, each.memory_bytes) for each in found} == {
        ("web", 250_000_000, 2048)
    }
    # At most an hour at once.
    assert {end - begin <= 3600 for begin, end in prometheus.ranges} == {True}
    assert usage.last_ns(tmp_path) == times[-1]


def test_without_an_earlier_run_only_the_present_is_queried() -> None:
    prometheus = _Prometheus()
    with scripted() as (api, cluster):
        api.on("/prom/api/v1/query_range", prometheus)
        source = PrometheusUsage(PrometheusQueries(cluster, "/prom"), ServerTime(cluster), STEP)
        (sample,) = cluster.loop.complete(source.samples())
        assert cluster.loop.complete(source.samples()) == []
    assert sample.pod == "web"


def test_usage_of_a_served_cluster_is_recorded(
    cluster: ServedCluster, served: Served, tmp_path: pathlib.Path
) -> None:
    space = cluster.namespace()
    cluster.deploy(space, replicas=1, annotations=WITH_USAGE)
    cluster.running(space, 1)
    recording = Recording(tmp_path / "rec", served.kubeconfig, usage_interval="100ms")
    with recording.running():
        until(lambda: any(each.namespace == space for each in usage.read(tmp_path / "rec")), 0.2)
        result = recording.stop()
    assert result.status.samples == len(list(usage.read(tmp_path / "rec"))) > 0
    (sample, *_) = (each for each in usage.read(tmp_path / "rec") if each.namespace == space)
    assert sample.container == "main"
    assert 200_000_000 <= sample.cpu_nanocores <= 251_000_000
