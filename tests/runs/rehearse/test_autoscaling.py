"""What an autoscaler would do about a load."""

from __future__ import annotations

from typing import Any

import pytest

from kubestage import Stage
from kubestage.errors import InputError
from kubestage.runs.fit import cluster_image
from kubestage.runs.rehearse import autoscaling
from kubestage.runs.rehearse.autoscaling import AutoscalingPlan, AutoscalingRehearsal
from kubestage.testing import make_node
from kubestage.units import DAY_NS, SECOND_NS

WEB = "deployment/default/web"


def objects(rps: float = 40, most: int = 10, **pattern: Any) -> list[dict[str, Any]]:
    resources = {"requests": {"cpu": "500m"}, "limits": {"cpu": "500m"}}
    container = {"name": "web", "image": "web:1", "resources": resources}
    template = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [container]}}
    selector = {"matchLabels": {"app": "web"}}
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
    utilization = {"type": "Utilization", "averageUtilization": 50}
    metrics = [{"type": "Resource", "resource": {"name": "cpu", "target": utilization}}]
    scaling = {"scaleTargetRef": target, "minReplicas": 1, "maxReplicas": most, "metrics": metrics}
    arriving = {
        "target": {"kind": "Deployment", "name": "web"},
        "pattern": pattern or {"constant": {"rps": rps}},
        "request": {"cpu": "20ms", "io": "10ms", "timeout": "5s"},
    }
    deployed = {"replicas": 1, "selector": selector, "template": template}
    return [
        _object("apps/v1", "Deployment", deployed),
        _object("autoscaling/v2", "HorizontalPodAutoscaler", scaling),
        _object("kubestage.dev/v1alpha1", "Traffic", arriving),
    ]


def _object(api_version: str, kind: str, spec: dict[str, Any]) -> dict[str, Any]:
    metadata = {"name": "web", "namespace": "default"}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, "spec": spec}


def plan(given: list[dict[str, Any]], seconds: int = 600, **more: Any) -> AutoscalingPlan:
    return AutoscalingPlan(objects=given, duration_ns=seconds * SECOND_NS, **more)


def highest(found: AutoscalingRehearsal) -> int:
    rows = found.life.rows("replicas")
    return max(int(row["active"]) for row in rows if row["workload"] == WEB)


def test_an_autoscaler_follows_its_load() -> None:
    found = autoscaling.rehearse(plan(objects(40)))
    # 40 requests of 20 ms use 0.8 cores; at half of 0.5 cores each that is four pods.
    assert found.is_complete
    assert highest(found) == 4
    assert found.life.seconds == 600
    reasons = {row["reason"] for row in found.life.rows("decisions")}
    assert reasons == {"cpu resource utilization (percentage of request) above target"}


def test_pods_have_started_when_traffic_comes() -> None:
    found = autoscaling.rehearse(plan(objects(step={"rps": 5, "after": "1s"}), 60))
    assert found.life.summary["traffic"][0]["failed"] == 0


def test_nodes_with_room_have_the_labels_that_are_selected() -> None:
    selecting = objects(40)
    selecting[0]["spec"]["template"]["spec"]["nodeSelector"] = {"pool": "web"}
    found = autoscaling.rehearse(plan(selecting))
    assert highest(found) == 4
    assert found.notes == []


def test_pods_without_a_node_are_a_note() -> None:
    needing = objects(40)
    needing[0]["spec"]["template"]["spec"]["containers"][0]["resources"] = {
        "requests": {"cpu": "2000"}
    }
    (note,) = autoscaling.rehearse(plan(needing, 60)).notes
    assert note.startswith("1 pod without a node at the end: 0/3 nodes are available: 3 Insuff")


@pytest.mark.parametrize("spec", [None, [], {"template": []}, {"template": {"spec": "web"}}])
def test_a_workload_of_another_shape_is_refused(spec: Any) -> None:
    wrong = objects(40)
    wrong[0]["spec"] = spec
    with pytest.raises(InputError, match=r"objects\[0\]"):
        autoscaling.rehearse(plan(wrong, 60))


def test_it_is_the_same_again_and_other_settings_change_it() -> None:
    first, again = (autoscaling.rehearse(plan(objects(40))).life for _ in range(2))
    assert first == again
    slow = autoscaling.rehearse(plan(objects(40), settings={"hpa.sync-period": "2m"})).life
    assert slow.rows("decisions")[0]["atSeconds"] > first.rows("decisions")[0]["atSeconds"]


def test_a_copy_of_a_cluster_has_its_room_and_stays_as_it_is() -> None:
    stage = Stage(seed=3)
    stage.add_scheduler()
    stage.add_controllers()
    stage.store.create(make_node("small", cpu="1"))
    stage.run("5s")
    before = stage.store.revision
    found = autoscaling.rehearse(plan(objects(40)), cluster_image.image_of(stage))
    assert highest(found) == 2, "no more pods of half a core fit on a node of one"
    assert stage.store.revision == before


def test_it_ends_early_if_it_must() -> None:
    calls = iter(range(1000))
    found = autoscaling.rehearse(plan(objects(5)), must_end=lambda: next(calls) > 5)
    assert not found.is_complete
    assert found.life.seconds < 600


@pytest.mark.parametrize(
    ("given", "duration_ns", "words"),
    [
        ([], SECOND_NS, "nothing to rehearse"),
        (objects(), 2 * DAY_NS, "at most 24h"),
        (objects(10_000_000), 3600 * SECOND_NS, "spec.pattern: may send 36,000,000,000 requests"),
        (objects(uniform={"requests": 10**9, "duration": "1m"}), SECOND_NS, "1,000,000,000"),
        (objects(sinusoidal={"amplitude": 10**6, "period": "1m"}), 60 * SECOND_NS, "120,000,000"),
        (objects(trace={"csv": "time,rps\n0,1e6\n"}), 60 * SECOND_NS, "60,000,000"),
        (objects(sum=[{"constant": {"rps": 1e6}}] * 2), 60 * SECOND_NS, "120,000,000"),
        (objects() * 20, SECOND_NS, "60 objects"),
    ],
)
def test_what_would_take_too_long_is_refused(
    given: list[dict[str, Any]], duration_ns: int, words: str
) -> None:
    with pytest.raises(InputError) as raised:
        autoscaling.rehearse(AutoscalingPlan(objects=given, duration_ns=duration_ns))
    assert words in str(raised.value)


def test_a_refused_object_is_named() -> None:
    given = objects()
    given[1]["spec"]["maxReplicas"] = 0
    with pytest.raises(InputError, match=r"objects\[1\].*maxReplicas"):
        autoscaling.rehearse(plan(given))
