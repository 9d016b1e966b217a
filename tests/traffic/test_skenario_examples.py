"""The examples of Skenario's document, sentence by sentence, on the stage."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.units import SECOND_NS
from tests.traffic import stages

if TYPE_CHECKING:
    from kubestage import Stage
    from kubestage.aliases import Json
    from kubestage.sim.movement import CompletedMovement


HPA = ("autoscaling/v2", "HorizontalPodAutoscaler")
VPA = ("autoscaling.k8s.io/v1", "VerticalPodAutoscaler")
STEADY = {"constant": {"rps": 10}}


def hpa(**spec: Any) -> Json:
    return {
        "apiVersion": HPA[0],
        "kind": HPA[1],
        "metadata": {"name": "web", "namespace": "default"},
        "spec": {
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"},
            "maxReplicas": 10,
            **spec,
        },
    }


def vpa() -> Json:
    return {
        "apiVersion": VPA[0],
        "kind": VPA[1],
        "metadata": {"name": "web", "namespace": "default"},
        "spec": {
            "targetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"},
            "updatePolicy": {"updateMode": "Off"},
        },
    }


def done(stage: Stage, *kinds: str) -> list[CompletedMovement]:
    return [each for each in stage.environment.completed_movements if each.movement.kind in kinds]


def ways(stage: Stage, kind: str) -> set[tuple[str, str]]:
    moved = [each.movement for each in done(stage, kind)]
    return {(each.from_stock.name, each.to_stock.name) for each in moved}


class TestAutoscalerTicktock:
    def test_the_hpa_is_triggered_on_an_interval_of_fifteen_seconds(self) -> None:
        stage = stages.living(stages.deployment(), hpa(), traces=True)
        stage.run("100s")
        times = [each.occurs_at // SECOND_NS for each in done(stage, "hpa_tick")]
        assert times == [15, 30, 45, 60, 75, 90]

    def test_at_each_tick_it_calculates_its_desired_number_of_replicas_anew(self) -> None:
        stage = stages.living(stages.deployment(), hpa(), stages.traffic(STEADY), traces=True)
        sizes = []
        for _ in range(9):
            stage.run("15s")
            status = stage.store.get(HPA, "web", "default").get("status") or {}
            sizes.append(status.get("desiredReplicas", 0))
        assert sizes[0] == 0
        assert sizes[-1] == 2

    def test_the_vpa_updates_its_recommendation_of_the_size_of_replicas(self) -> None:
        stage = stages.living(stages.deployment(), vpa(), stages.traffic(STEADY), traces=True)
        stage.run("70s")
        first = stage.store.get(VPA, "web", "default")["status"]
        stage.run("20m")
        last = stage.store.get(VPA, "web", "default")["status"]
        assert done(stage, "vpa_tick")[0].occurs_at // SECOND_NS == 60
        (told,) = last["recommendation"]["containerRecommendations"]
        assert told["target"]["cpu"].endswith("m")
        assert first["recommendation"] != last["recommendation"]

    def test_ticks_are_movements_of_the_stock_back_into_itself(self) -> None:
        stage = stages.living(stages.deployment(), hpa(), vpa(), traces=True)
        stage.run("70s")
        for kind in ("hpa_tick", "vpa_tick"):
            assert done(stage, kind)
            assert all(start == end for start, end in ways(stage, kind))

    def test_the_stock_drives_the_autoscaler_when_the_entity_comes_back(self) -> None:
        stage = stages.living(stages.deployment(), hpa(minReplicas=3), traces=True)
        stage.run("14s")
        assert stage.store.get(stages.DEPLOYMENT, "web", "default")["spec"]["replicas"] == 1
        stage.run("2s")
        assert stage.store.get(stages.DEPLOYMENT, "web", "default")["spec"]["replicas"] == 3


class TestMetricsTicktock:
    def test_usage_is_sampled_at_every_resolution(self) -> None:
        stage = stages.living(stages.deployment(), hpa(), traces=True)
        stage.run("65s")
        times = [each.occurs_at // SECOND_NS for each in done(stage, "metrics_tick")]
        assert times == [15, 30, 45, 60]
        assert ways(stage, "metrics_tick") == {("MetricsTicktock", "MetricsTicktock")}

    def test_what_was_sampled_reaches_the_sink_through_the_pipeline_after_a_delay(self) -> None:
        stage = stages.living(stages.deployment(), hpa(), traces=True)
        stage.run("65s")
        sent = done(stage, "send_metrics_to_sink")
        assert [each.occurs_at - SECOND_NS for each in sent] == [
            each.occurs_at for each in done(stage, "metrics_tick")
        ]
        assert ways(stage, "send_metrics_to_sink") == {("MetricsPipeline", "MetricsSink")}

    def test_nothing_is_said_of_replicas_that_have_ended(self) -> None:
        stage = stages.living(stages.deployment(2), hpa(minReplicas=2), stages.traffic(STEADY))
        stage.run("60s")
        assert stage.metrics is not None
        assert len(stage.metrics.board.pods("default")) == 2
        stage.store.delete(HPA, "web", "default")
        stages.scale(stage, 1)
        stage.run("60s")
        assert len(stage.metrics.board.pods("default")) == 1
        assert len(stage.metrics.board.values("default", "pods", "requests_per_second")) == 1


class TestReplicas:
    def test_begin_launch_is_from_the_source_to_launching(self) -> None:
        stage = stages.living(stages.deployment(), stages.traffic(STEADY), traces=True)
        stage.run("10s")
        assert ways(stage, "begin_launch") == {("ReplicaSource", "ReplicasLaunching")}

    def test_finish_launching_is_from_launching_to_active(self) -> None:
        stage = stages.living(stages.deployment(), stages.traffic(STEADY), traces=True)
        stage.run("10s")
        assert ways(stage, "finish_launching") == {("ReplicasLaunching", "ReplicasActive")}

    def test_terminate_launch_is_from_launching_to_terminated(self) -> None:
        slow = stages.deployment(1, launch_delay="60s")
        stage = stages.living(slow, stages.traffic(STEADY), traces=True)
        stage.run("10s")
        stages.scale(stage, 0)
        stage.run("60s")
        assert ways(stage, "terminate_launch") == {("ReplicasLaunching", "ReplicasTerminated")}
        assert not done(stage, "finish_launching")

    def test_terminate_active_is_from_active_by_way_of_terminating_to_terminated(self) -> None:
        stage = stages.living(stages.deployment(), stages.traffic(STEADY), traces=True)
        stage.run("10s")
        stages.scale(stage, 0)
        stage.run("60s")
        assert ways(stage, "terminate_active") == {("ReplicasActive", "ReplicasTerminating")}
        assert ways(stage, "finish_terminating") == {("ReplicasTerminating", "ReplicasTerminated")}

    def test_requests_continue_to_arrive_while_launching_takes_place(self) -> None:
        quick, slow = (
            stages.living(stages.deployment(1, launch_delay=delay), stages.traffic(STEADY))
            for delay in ("1s", "30s")
        )
        lost = []
        for stage in (quick, slow):
            stage.run("60s")
            assert stage.traffic is not None
            lost.append(stage.traffic.records()["default/load"].summary()["failed"]["NoReplica"])
        assert lost[1] - lost[0] == 290

    def test_a_replica_is_known_from_when_it_is_active_until_its_end(
        self,
    ) -> None:
        stage = stages.living(stages.deployment(), stages.traffic(STEADY))
        stage.run("10s")
        assert stage.traffic is not None
        requests = stage.traffic.streams["default/load"].requests
        (name,) = requests.replicas()
        assert f"default/{name}" in stage.store.read(stages.POD)
        stages.scale(stage, 0)
        stage.run("60s")
        assert requests.replicas() == {}


class TestRequests:
    def test_arrive_at_routing_is_from_the_source_to_routing(self) -> None:
        stage = stages.living(stages.deployment(), stages.traffic(STEADY), traces=True)
        stage.run("10s")
        assert ways(stage, "arrive_at_routing") == {("TrafficSource", "RequestsRouting")}

    def test_send_to_replica_is_from_routing_to_processing_at_one_replica(self) -> None:
        stage = stages.living(stages.deployment(2), stages.traffic(STEADY), traces=True)
        stage.run("10s")
        ends = {end for start, end in ways(stage, "send_to_replica") if start == "RequestsRouting"}
        pods = {key.partition("/")[2] for key in stage.store.read(stages.POD)}
        assert ends == {f"RequestsProcessing-{pod}" for pod in pods}
        assert len(ends) == 2

    def test_complete_request_is_from_processing_to_complete(self) -> None:
        stage = stages.living(stages.deployment(), stages.traffic(STEADY), traces=True)
        stage.run("10s")
        ((start, end),) = ways(stage, "complete_request")
        assert start.startswith("RequestsProcessing-")
        assert end == "RequestsComplete"

    def test_request_failed_is_from_processing_to_failed(self) -> None:
        slow = stages.traffic(STEADY, request={"cpu": "1s", "io": "0s", "timeout": "2s"})
        stage = stages.living(stages.deployment(), slow, traces=True)
        stage.run("20s")
        found = {start.partition("-")[0] for start, _ in ways(stage, "request_failed")}
        assert "RequestsProcessing" in found
        assert {end for _, end in ways(stage, "request_failed")} == {"RequestsFailed"}

    def test_requests_are_the_signal_that_autoscalers_respond_to(self) -> None:
        stage = stages.living(stages.deployment(), hpa(), stages.traffic(STEADY))
        stage.run("3m")
        assert stage.store.get(stages.DEPLOYMENT, "web", "default")["spec"]["replicas"] > 1

    def test_the_simulated_system_varies_as_the_desired_count_changes(self) -> None:
        stage = stages.living(stages.deployment(), hpa(), stages.traffic(STEADY))
        sizes = set()
        for _ in range(12):
            stage.run("15s")
            assert stage.traffic is not None
            sizes.add(len(stage.traffic.streams["default/load"].requests.replicas()))
        assert len(sizes) > 1
