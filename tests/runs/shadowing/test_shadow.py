"""A shadow of a served cluster whose ties are random: it is right whatever networks do."""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING, Any

import pytest

from kubestage.errors import InputError
from kubestage.objects import gvk
from kubestage.runs.shadowing import Shadow, ShadowOptions, ShadowResult
from tests.deadlines import HANG_S, until
from tests.remote.fault_proxy import FaultProxy
from tests.runs.recording.recorded_cluster import ServedCluster
from tests.server.served import Served

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Iterator

    from kubestage.aliases import Json

NODES = "/api/v1/nodes"
PODS = "/api/v1/pods"
GROUP = {
    "apiVersion": "kubestage.dev/v1alpha1", "kind": "NodeGroup", "metadata": {"name": "large"},
    "spec": {"minSize": 0, "maxSize": 3, "provisionDelay": "1s",
             "template": {"capacity": {"cpu": "64", "memory": "64Gi", "pods": "110"}}},
}  # fmt: skip


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    # Usage is measured every 15 s otherwise, and HPAs decide as often.
    quick = ("metrics.resolution=1s", "metrics.delay=100ms", "metrics.fresh=1s",
             "hpa.sync-period=1s", "node-autoscaler.scan-interval=1s")  # fmt: skip
    settings = [word for each in quick for word in ("--setting", each)]
    options = ("--pace", "realtime", "--tie-break", "random", "--nodes", "6")
    with Served(*options, *settings, objects=json.dumps(GROUP)) as running:
        yield running


@pytest.fixture
def cluster(served: Served) -> ServedCluster:
    return ServedCluster(served.address)


@pytest.fixture
def proxy(served: Served, tmp_path: pathlib.Path) -> Iterator[FaultProxy]:
    with FaultProxy(served.kubeconfig, tmp_path) as running:
        yield running


class Shadowing:
    """A shadow in a thread of its own."""

    def __init__(self, kubeconfig: pathlib.Path, **options: Any) -> None:
        self.report: list[Json] = []
        self.shadow = Shadow(
            ShadowOptions(kubeconfig=str(kubeconfig), usage_interval="500ms", **options),
            on_report=self.report.append,
        )
        self.result: ShadowResult | None = None
        self.error: BaseException | None = None
        self._thread = threading.Thread(target=self._run)

    def _run(self) -> None:
        try:
            self.result = self.shadow.run()
        except BaseException as error:  # noqa: BLE001 - it is raised where it is waited for
            self.error = error

    def __enter__(self) -> Shadowing:
        self._thread.start()
        until(lambda: self.shadow._cluster is not None or not self._thread.is_alive(), 0.02)
        return self

    def __exit__(self, *_: object) -> None:
        self.shadow.stop()
        self._thread.join(HANG_S)

    def of(self, kind: str, space: str = "") -> list[Json]:
        """What it has report of one sort, and of one namespace; of placements the last report."""
        named = [each for each in list(self.report) if each["type"] == kind]
        found = [each for each in named if str(each.get("pod", "")).startswith(space)]
        if kind == "placement":
            return list({each["pod"]: each for each in found}.values())
        return found

    def wait_for(self, kind: str, count: int = 1, space: str = "") -> list[Json]:
        """The same, once there is so much of it."""

        def is_there() -> bool:
            assert self._thread.is_alive(), self.error
            return len(self.of(kind, space)) >= count

        until(is_there, 0.05)
        return self.of(kind, space)

    def stop(self) -> ShadowResult:
        self.shadow.stop()
        self._thread.join(HANG_S)
        if self.error is not None:
            raise self.error
        assert self.result is not None
        return self.result


def test_each_placement_is_among_the_best_nodes_although_connections_break(
    cluster: ServedCluster, proxy: FaultProxy, tmp_path: pathlib.Path
) -> None:
    space = cluster.namespace()
    out = tmp_path / "predictions.jsonl"
    with Shadowing(proxy.kubeconfig, out=str(out)) as shadowing:
        until(lambda: proxy.watches(PODS))
        cluster.deploy(space, replicas=5)
        shadowing.wait_for("placement", 5, space)
        proxy.cut()
        cluster.scale(space, 9)
        shadowing.wait_for("placement", 9, space)
        proxy.delay_s = 0.05
        cluster.deploy(space, "other", 4)
        shadowing.wait_for("placement", 13, space)
        result = shadowing.stop()
    placed = shadowing.of("placement", space)
    assert [each["why"] for each in placed if not each["hit"]] == []
    counts = result.status.placements
    assert counts.predicted == counts.possible == counts.feasible >= 13
    assert result.misses == []
    assert len(proxy.lists(PODS)) == 1
    # Each was predicted before it was seen.
    names = {each["pod"] for each in placed}
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    seen: set[str] = set()
    for each in lines:
        if each["type"] == "prediction":
            seen.add(each["pod"])
        elif each["type"] == "placement":
            assert each["pod"] in seen
    assert names <= seen
    assert {len(each["predicted"]) > 1 for each in placed} >= {True}


def test_a_binding_that_is_received_late_finds_the_state_of_its_version(
    cluster: ServedCluster, proxy: FaultProxy
) -> None:
    space = cluster.namespace()
    with Shadowing(proxy.kubeconfig) as shadowing:
        until(lambda: proxy.watches(PODS))
        proxy.held.add(PODS)
        placed_on = _placed(cluster, space, "late", image="late-binding")
        names = [each["metadata"]["name"] for each in cluster.call("GET", NODES)["items"]]
        other = next(each for each in names if each != placed_on)
        images = _report_image(cluster, other, "late-binding")
        store = shadowing.shadow._predictor.store
        until(lambda: store.read(gvk.NODE)[other]["status"].get("images") == images)
        assert shadowing.of("prediction", space) == []
        proxy.held.clear()
        (placed,) = shadowing.wait_for("placement", 1, space)
        result = shadowing.stop()
    # The pod had its node before the image was reported, and after the report was received here.
    assert placed["hit"], placed["why"]
    assert "wasHit" not in placed
    assert placed["node"] == placed_on
    assert result.misses == []


def test_a_placement_is_predicted_again_if_a_report_is_received_late(
    cluster: ServedCluster, proxy: FaultProxy
) -> None:
    space = cluster.namespace()
    node = "node-0"
    with Shadowing(proxy.kubeconfig) as shadowing:
        until(lambda: proxy.watches(PODS) and proxy.watches(NODES))
        # Without the image, another node is better.
        full = {"nodeSelector": {"kubernetes.io/hostname": node}}
        assert _placed(cluster, space, "full", cpu="3", **full) == node
        proxy.held.add(NODES)
        _report_image(cluster, node, "late-report")
        assert _placed(cluster, space, "web", image="late-report") == node
        _, missed = shadowing.wait_for("placement", 2, space)
        assert "ImageLocality" not in missed["why"]
        proxy.held.clear()
        until(lambda: shadowing.of("placement", space)[1]["hit"])
        result = shadowing.stop()
    _, placed = shadowing.of("placement", space)
    assert (placed["wasHit"], placed["predicted"], placed["at"]) == (False, [node], missed["at"])
    assert result.misses == []
    counts = result.status.placements
    assert (counts.predicted, counts.possible) == (2, 2)


def _placed(cluster: ServedCluster, space: str, name: str, **more: Any) -> str:
    """The node of a new pod, which does not have its image pulled."""
    _create_pod(cluster, space, name, **{"cpu": "50m", "pull": "Never", **more})
    path = f"/api/v1/namespaces/{space}/pods/{name}"
    until(lambda: "nodeName" in cluster.call("GET", path)["spec"])
    return str(cluster.call("GET", path)["spec"]["nodeName"])


def _report_image(cluster: ServedCluster, node: str, image: str) -> list[Json]:
    """A node reports an image that makes it the best one; returns all that it reports."""
    shown = cluster.call("GET", f"{NODES}/{node}")["status"].get("images") or []
    images = [{"names": [f"{image}:latest"], "sizeBytes": 9_000_000_000}, *shown]
    cluster.call("PATCH", f"{NODES}/{node}/status", {"status": {"images": images}})
    return images


def test_what_the_server_forgot_is_said(cluster: ServedCluster, proxy: FaultProxy) -> None:
    space = cluster.namespace()
    with Shadowing(proxy.kubeconfig) as shadowing:
        until(lambda: proxy.watches(PODS))
        proxy.is_down = True
        proxy.forget()
        cluster.deploy(space, replicas=3)
        cluster.running(space, 3)
        proxy.is_down = False
        # One at the beginning, one that is refused, one after the list.
        until(lambda: len(proxy.lists(PODS)) == 2 and len(proxy.watches(PODS)) >= 3)
        cluster.scale(space, 5)
        shadowing.wait_for("placement", 2, space)
        result = shadowing.stop()
    placed = shadowing.of("placement", space)
    assert [each["why"] for each in placed if not each["hit"]] == []
    # Three had a node when they were first seen.
    assert result.status.placements.unseen >= 3
    assert any(note.startswith("Pod: ") for note in result.notes)


def test_a_scheduler_of_another_configuration_is_found_out(
    cluster: ServedCluster, served: Served, tmp_path: pathlib.Path
) -> None:
    config = tmp_path / "packing.yaml"
    config.write_text(
        json.dumps({
            "apiVersion": "kubescheduler.config.k8s.io/v1",
            "kind": "KubeSchedulerConfiguration",
            "profiles": [{"pluginConfig": [{"name": "NodeResourcesFit", "args": {
                "scoringStrategy": {"type": "MostAllocated",
                                    "resources": [{"name": "cpu", "weight": 1}]}}}]}],
        })
    )  # fmt: skip
    space = cluster.namespace()
    # The first one makes the node fuller that a packing scheduler would choose again.
    with Shadowing(served.kubeconfig, config=str(config)) as shadowing:
        for number in range(4):
            _create_pod(cluster, space, f"pod-{number}", cpu="2")
            placed = shadowing.wait_for("placement", number + 1, space)
        result = shadowing.stop()
    missed = [each for each in placed if not each["hit"]]
    assert missed
    assert all("NodeResourcesFit" in each["why"] for each in missed)
    assert all(each["fits"] for each in missed)
    assert [each["pod"] for each in result.misses if each["pod"].startswith(space)] == [
        each["pod"] for each in missed
    ]


def _create_pod(
    cluster: ServedCluster, space: str, name: str, *, cpu: str, image: str = "x",
    pull: str = "IfNotPresent", **spec: Any,
) -> None:  # fmt: skip
    container = {"name": "main", "image": image, "resources": {"requests": {"cpu": cpu}},
                 "imagePullPolicy": pull}  # fmt: skip
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name},
           "spec": {**spec, "containers": [container]}}  # fmt: skip
    cluster.call("POST", f"/api/v1/namespaces/{space}/pods", pod)


def test_steps_of_an_hpa_are_predicted(cluster: ServedCluster, served: Served) -> None:
    space = cluster.namespace()
    target = {"type": "Utilization", "averageUtilization": 100}
    metric = {"type": "Resource", "resource": {"name": "cpu", "target": target}}
    scaled = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
    spec = {"minReplicas": 2, "maxReplicas": 3, "metrics": [metric], "scaleTargetRef": scaled}
    with Shadowing(served.kubeconfig) as shadowing:
        cluster.deploy(space, replicas=2, annotations={"kubestage.dev/cpu-usage": "100m"})
        until(lambda: sum(each == space for each, _ in shadowing.shadow._steps._samples) == 2, 0.1)
        body = {"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler",
                "metadata": {"name": "web"}, "spec": spec}  # fmt: skip
        path = f"/apis/autoscaling/v2/namespaces/{space}/horizontalpodautoscalers"
        cluster.call("POST", path, body)
        (step,) = shadowing.wait_for("step")
        result = shadowing.stop()
    # Twice the target with two replicas, and at most three are allowed.
    assert (step["hpa"], step["from"], step["to"]) == (f"{space}/web", 2, 3)
    assert (step["predicted"], step["hit"]) == (3, True)
    (first, *_) = shadowing.of("stepPrediction")
    assert (first["from"], first["predicted"]) == (2, 3)
    assert "4 by its metrics" in first["why"]
    assert (result.status.steps.exact, result.status.steps.direction) == (1, 1)


def test_new_nodes_are_expected_in_the_pool_that_helps(
    cluster: ServedCluster, served: Served
) -> None:
    space = cluster.namespace()
    with Shadowing(served.kubeconfig) as shadowing:
        _create_pod(cluster, space, "large", cpu="32")
        (arrival,) = shadowing.wait_for("arrival")
        (placed,) = shadowing.wait_for("placement", 1, space)
        result = shadowing.stop()
    (first, *_) = shadowing.of("prediction", space)
    assert first["predictedCount"] == 0
    assert "Insufficient cpu" in first["message"]
    (expected,) = shadowing.of("arrivalPrediction", space)
    assert expected["predicted"] == ["large"]
    assert (arrival["pool"], arrival["hit"]) == ("large", True)
    assert result.status.arrivals.expected == 1
    assert placed["hit"]


def test_questions_are_asked_of_the_present_state(cluster: ServedCluster, served: Served) -> None:
    space = cluster.namespace()
    with Shadowing(served.kubeconfig, ask=("outage zone/zone-a",), every="1h") as shadowing:
        (first,) = shadowing.wait_for("answer")
        cluster.deploy(space, "asked", 2)
        shadowing.wait_for("placement", 2, space)
        shadowing.shadow.ask("grow deploy/asked=2x")
        shadowing.shadow.ask("drain nothing")
        _, second, third = shadowing.wait_for("answer", 3)
        result = shadowing.stop()
    assert "zone-a" in first["answer"]
    assert second["result"]
    assert 'no node "nothing"' in third["error"]
    assert [each["question"] for each in result.answers] == [
        "outage zone/zone-a", "grow deploy/asked=2x", "drain nothing",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("options", "path"),
    [
        ({"ask": ("dance all",)}, "--ask"),
        ({"every": "x"}, "--every"),
        ({"shadow_for": "x"}, "--for"),
    ],
)
def test_options_that_make_no_sense_are_refused(options: dict[str, Any], path: str) -> None:
    with pytest.raises(InputError) as caught:
        Shadow(ShadowOptions(**options))
    assert caught.value.path == path
