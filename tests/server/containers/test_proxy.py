"""Requests through the API to programs that are modelled."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from kubestage import Stage
from kubestage.testing import make_node, make_pod, make_service
from tests.server import calling

PLACE = "/api/v1/namespaces/default"


@pytest.fixture(scope="module")
def stage() -> Stage:
    made = Stage()
    made.add_scheduler()
    made.add_controllers()
    web = make_pod("web", labels={"app": "web"})
    container = web["spec"]["containers"][0]
    container |= {"image": "registry.k8s.io/e2e-test-images/agnhost:2.59", "args": ["netexec"],
                  "ports": [{"name": "http", "containerPort": 8080}]}  # fmt: skip
    service = make_service("web", selector={"app": "web"})
    service["spec"]["ports"] = [{"name": "http", "port": 80, "targetPort": "http"}]
    made.apply([make_node("n1", cpu="4"), service, web])
    made.run("30s")
    return made


def call(stage: Stage, method: str, path: str, **query: Any) -> calling.Answer:
    return asyncio.run(calling.call(calling.application(stage), method, path, **query))


@pytest.mark.parametrize(
    "to", ["pods/web", "pods/http:web:8080", "services/web", "services/web:http"]
)
def test_programs_answer(stage: Stage, to: str) -> None:
    answer = call(stage, "GET", f"{PLACE}/{to}/proxy/echo", msg="hello")
    assert (answer.status, answer.body) == (200, b"hello")


@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize("to", ["pods/web", "services/web"])
def test_the_root_has_a_slash(stage: Stage, method: str, to: str) -> None:
    answer = call(stage, method, f"{PLACE}/{to}/proxy", a="1 2")
    assert answer.status == 301
    assert answer.header("location") == [f"{PLACE}/{to}/proxy/?a=1+2"]


def test_other_methods_reach_the_root(stage: Stage) -> None:
    assert call(stage, "POST", f"{PLACE}/pods/web/proxy").status == 200


def test_nobody_is_behind_another_port(stage: Stage) -> None:
    answer = call(stage, "GET", f"{PLACE}/pods/web:81/proxy/")
    assert answer.status == 503
    assert "connection refused" in answer.json["message"]
    assert call(stage, "GET", f"{PLACE}/pods/gone/proxy/").status == 404
