from __future__ import annotations

from kubestage.stage import Stage
from kubestage.testing import make_deployment, make_node
from tests.controllers import lively


def _settled() -> Stage:
    stage = Stage()
    stage.add_scheduler()
    stage.add_controllers()
    stage.apply(make_node(f"n{number}", cpu="8") for number in range(200))
    stage.apply([make_deployment("web", replicas=400, cpu="500m")])
    stage.run("2h")
    return stage


def test_a_settled_cluster_makes_no_movement_for_a_week() -> None:
    stage = _settled()
    movements, revision = stage.environment.completed_count, stage.store.resource_version
    stage.run("168h")
    assert stage.environment.completed_count == movements
    assert stage.store.resource_version == revision


def test_after_a_week_of_rest_it_works_as_ever() -> None:
    stage = _settled()
    stage.run("168h")
    stage.apply([make_deployment("web", replicas=401, cpu="500m")])
    stage.run("10s")
    found = stage.store.get(("apps/v1", "Deployment"), "web")
    assert found["status"]["readyReplicas"] == 401
    assert all(_is_ready(node) for node in stage.store.list(("v1", "Node")).items)


def _is_ready(node: dict[str, object]) -> bool:
    status = node["status"]
    assert isinstance(status, dict)
    ready = next(each for each in status["conditions"] if each["type"] == "Ready")
    return bool(ready["status"] == "True")


def test_a_schedule_costs_what_it_does_and_nothing_in_between() -> None:
    stage = lively.lively(3)
    stage.store.patch(("batch/v1", "CronJob"), "tick", {"spec": {"schedule": "0 3 * * *"}})
    stage.run("26h")
    before = stage.environment.completed_count
    stage.run("24h")
    a_day = stage.environment.completed_count - before
    stage.run("72h")
    three_days = stage.environment.completed_count - before - a_day
    assert 0 < three_days < 4 * a_day
