"""Replicas come, get ready, and go: the newest first."""

from __future__ import annotations

from kubestage.backtesting import target
from kubestage.backtesting.target import BacktestReplicas
from kubestage.testing import make_deployment
from kubestage.units import SECOND_NS
from tests.backtesting.manifests import unknown_workload

START_NS = 1_767_225_600 * SECOND_NS


def test_those_at_the_beginning_are_ready_and_new_ones_later() -> None:
    replicas = BacktestReplicas(unknown_workload(2), START_NS, 30 * SECOND_NS)
    replicas.scale(4, START_NS)
    assert replicas.ready(START_NS) == ["web-1", "web-2"]
    assert replicas.ready(START_NS + 30 * SECOND_NS) == ["web-1", "web-2", "web-3", "web-4"]
    conditions = [
        each["status"]["conditions"][0]["status"]
        for each in replicas.objects(START_NS + 29 * SECOND_NS)
    ]
    assert conditions == ["True", "True", "False", "False"]


def test_the_newest_go_first_and_names_are_not_used_again() -> None:
    replicas = BacktestReplicas(unknown_workload(2), START_NS, 0)
    replicas.scale(4, START_NS)
    replicas.scale(1, START_NS)
    assert replicas.ready(START_NS) == ["web-1"]
    replicas.scale(2, START_NS)
    assert replicas.ready(START_NS) == ["web-1", "web-5"]


def test_a_workload_says_what_its_pods_request_and_how_many_there_are() -> None:
    found = target.of_workload(make_deployment("web", replicas=3, cpu="250m"))
    assert (found.name, found.replicas) == ("web", 3)
    assert found.requests(found.container) == {"cpu": "250m"}
    assert found.requests("other") == {}
    assert target.of_workload(make_deployment("web", replicas=3), replicas=7).replicas == 7
