"""Autoscalers on a stage."""

from __future__ import annotations

import pytest

from kubestage.controllers.hpa.settings import HpaSettings
from kubestage.errors import InputError
from kubestage.metrics.samples import ExternalSample, ValueSample
from tests.controllers.hpa.scene import HPA, SECOND_NS, Scene, autoscaler, running, target
from tests.controllers.stages import events

SYNC = "15s"
BIT = 10


def test_the_first_look_is_one_sync_period_after_the_autoscaler_appeared() -> None:
    scene = Scene()
    scene.cores = {"web-0": 1.0, "web-1": 1.0}
    scene.stage.run(SYNC)
    assert scene.replicas() == 2
    scene.stage.run(BIT)
    assert scene.replicas() == 4
    assert scene.hpa()["status"]["lastScaleTime"] == "2026-01-01T00:00:15Z"


def test_each_autoscaler_keeps_its_own_time_whatever_changes() -> None:
    scene = Scene(hpa=HpaSettings(sync_period_ns=20 * SECOND_NS))
    scene.cores = {"web-0": 0.5, "web-1": 0.5}
    scene.stage.run("7s")
    scene.stage.load([target("api"), running("api-0", "api"), autoscaler("api")])
    scene.cores["api-0"] = 1.0
    scene.stage.run("10s")
    scene.store.patch(HPA, "api", {"spec": {"maxReplicas": 3}})
    scene.stage.run("4s")
    assert (bool(scene.reasons()), bool(scene.reasons("api"))) == (True, False)
    scene.stage.run("7s")
    assert scene.reasons("api")["AbleToScale"] == "ReadyForNewScale"


def test_a_rescale_is_told_by_an_event_and_the_status() -> None:
    scene = Scene()
    scene.cores = {"web-0": 1.0, "web-1": 1.0}
    scene.stage.run("16s")
    why = "cpu resource utilization (percentage of request) above target"
    assert events(scene.stage) == [("SuccessfulRescale", f"New size: 4; reason: {why}", 1)]
    status = scene.hpa()["status"]
    assert (status["currentReplicas"], status["desiredReplicas"]) == (2, 4)
    current = {"averageValue": "1", "averageUtilization": 100}
    assert status["currentMetrics"] == [
        {"type": "Resource", "resource": {"name": "cpu", "current": current}}
    ]
    assert scene.reasons() == {
        "AbleToScale": "SucceededRescale",
        "ScalingActive": "ValidMetricFound",
        "ScalingLimited": "DesiredWithinRange",
    }


def test_a_status_that_says_the_same_is_not_written_again() -> None:
    scene = Scene()
    scene.cores = {"web-0": 0.5, "web-1": 0.5}
    scene.stage.run("31s")
    version = scene.hpa()["metadata"]["resourceVersion"]
    scene.stage.run("5m")
    assert scene.hpa()["metadata"]["resourceVersion"] == version


def test_nothing_is_known_of_pods_that_nobody_measures() -> None:
    scene = Scene()
    scene.stage.run("16s")
    assert scene.replicas() == 2
    assert scene.reasons() == {
        "AbleToScale": "SucceededGetScale",
        "ScalingActive": "FailedGetResourceMetric",
    }
    found = [(reason, count) for reason, _, count in events(scene.stage)]
    assert sorted(found) == [("FailedComputeMetricsReplicas", 1), ("FailedGetResourceMetric", 1)]


def test_a_target_that_is_not_there_or_has_no_scale_is_told() -> None:
    missing = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "gone"}}
    scaleless = {"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": {"name": "ds"}}
    unknown = {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "w"}}
    scene = Scene(
        autoscaler("a", target=missing),
        autoscaler("b", target=scaleless),
        autoscaler("c", target=unknown),
    )
    scene.stage.run("16s")
    texts = [text for _, text, _ in events(scene.stage, "FailedGetScale")]
    assert texts == [
        'deployments.apps "gone" not found',
        "the server could not find the requested resource",
        'no matches for kind "Widget" in group "example.com"',
    ]
    assert scene.reasons("c") == {"AbleToScale": "FailedGetScale"}


def test_any_served_version_of_a_kind_stands_for_the_kind() -> None:
    scene = Scene()
    scene.cores = {"web-0": 1.0, "web-1": 1.0}
    scene.store.patch(HPA, "web", {"spec": {"scaleTargetRef": {"apiVersion": "apps/v9"}}})
    scene.stage.run("16s")
    assert scene.replicas() == 4


def test_two_autoscalers_of_the_same_pods_do_nothing() -> None:
    scene = Scene(target(), running("web-0"), autoscaler("one"), autoscaler("two"))
    for name in ("one", "two"):
        reference = {"spec": {"scaleTargetRef": {"name": "web"}}}
        scene.store.patch(HPA, name, reference)
    scene.cores = {"web-0": 1.0}
    scene.stage.run("31s")
    text = "pods by selector app=web are controlled by multiple HPAs: [default/one default/two]"
    assert {scene.reasons(name)["ScalingActive"] for name in ("one", "two")} == {
        "AmbiguousSelector"
    }
    assert ("AmbiguousSelector", text) in [each[:2] for each in events(scene.stage)]
    scene.store.delete(HPA, "two")
    scene.stage.run("15s")
    assert scene.reasons("one")["ScalingActive"] == "ValidMetricFound"


def test_an_autoscaler_that_is_gone_forgets_its_recommendations() -> None:
    scene = Scene(target(replicas=1), running("web-0"), autoscaler())
    scene.cores = {"web-0": 2.0}
    scene.stage.run("16s")
    assert scene.replicas() == 4
    scene.store.delete(HPA, "web")
    scene.stage.run("45s")
    scene.store.patch(("apps/v1", "Deployment"), "web", {"spec": {"replicas": 1}})
    scene.cores = {"web-0": 0.5}
    scene.stage.load([autoscaler()])
    scene.stage.run("31s")
    assert (scene.replicas(), scene.reasons()["AbleToScale"]) == (1, "ReadyForNewScale")


def test_an_autoscaler_that_is_made_anew_between_two_looks_goes_on_where_it_was() -> None:
    scene = Scene(target(replicas=1), running("web-0"), autoscaler())
    scene.cores = {"web-0": 2.0}
    scene.stage.run("16s")
    scene.store.delete(HPA, "web")
    scene.cores = {"web-0": 0.1}
    scene.stage.load([autoscaler()])
    scene.stage.run("15s")
    assert (scene.replicas(), scene.reasons()["AbleToScale"]) == (4, "ScaleDownStabilized")


def test_custom_object_and_external_metrics_come_from_the_board() -> None:
    scene = Scene(target(), running("web-0"), running("web-1"), autoscaler(max_replicas=100))
    scene.store.patch(HPA, "web", {"spec": {"metrics": _outer_metrics()}})
    scene.stage.run("10s")
    board, unix_ns = scene.board, scene.stage.clock.unix_ns
    pods = [ValueSample(name, "qps", unix_ns, SECOND_NS, 2500) for name in ("web-0", "web-1", "x")]
    board.post_values("default", "pods", pods)
    route = ValueSample("main", "hits", unix_ns, SECOND_NS, 400_000)
    board.post_values("default", "ingresses.networking.k8s.io", [route])
    lags = [
        ExternalSample("lag", {"queue": queue}, unix_ns, SECOND_NS, value)
        for queue, value in (("a", 3000), ("b", 90_000_000))
    ]
    board.post_external("default", lags)
    scene.stage.run("6s")
    shown = scene.hpa()["status"]["currentMetrics"]
    assert [metric[kind]["current"] for metric, kind in zip(shown, _PARTS, strict=True)] == [
        {"averageValue": "2500m"},
        {"value": "400"},
        {"averageValue": "1500m"},
    ]
    assert scene.replicas() == 4


_PARTS = ("pods", "object", "external")


def _outer_metrics() -> list[dict[str, object]]:
    route = {"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "name": "main"}
    lag = {"name": "lag", "selector": {"matchLabels": {"queue": "a"}}}
    return [
        {
            "type": "Pods",
            "pods": {
                "metric": {"name": "qps"},
                "target": {"type": "AverageValue", "averageValue": "2"},
            },
        },
        {
            "type": "Object",
            "object": {
                "describedObject": route,
                "metric": {"name": "hits"},
                "target": {"type": "Value", "value": "200"},
            },
        },
        {
            "type": "External",
            "external": {"metric": lag, "target": {"type": "AverageValue", "averageValue": "1"}},
        },
    ]


def test_a_copy_of_the_stage_goes_on_as_the_original_does() -> None:
    scene = Scene()
    scene.cores = {"web-0": 1.0, "web-1": 1.0}
    scene.stage.run("20s")
    copy = scene.stage.fork()
    copy.run("2m")
    scene.stage.run("2m")
    assert copy.store.get(HPA, "web") == scene.hpa()


def test_flags_that_make_no_sense_are_refused() -> None:
    with pytest.raises(InputError, match=r"hpa.sync_period: must be above zero \(write 15s\)"):
        HpaSettings(sync_period_ns=0)
    with pytest.raises(InputError, match=r"hpa.tolerance: must be zero or more"):
        HpaSettings(tolerance=-0.1)
    with pytest.raises(InputError, match=r"hpa.cpu_initialization_period: is below zero"):
        HpaSettings(cpu_initialization_period_ns=-1)
