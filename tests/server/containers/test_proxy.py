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


def test_a_namespace_may_be_named_like_the_subresource() -> None:
    made = Stage()
    made.add_scheduler()
    made.add_controllers()
    web = make_pod("proxy", namespace="proxy-1")
    web["spec"]["containers"][0] |= {"image": "agnhost", "args": ["netexec"]}
    space = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "proxy-1"}}
    made.apply([make_node("n1", cpu="4"), space, web])
    made.run("30s")
    to = "/api/v1/namespaces/proxy-1/pods/proxy:8080/proxy/header"
    assert call(made, "GET", to, key="X-Forwarded-Uri").body == to.encode()


PAGE = '<A HREF="/rewriteme">x</A><!-- <a href="/b"> --><img src=own.png><a href="//other/c">'


@pytest.fixture(scope="module")
def porter() -> Stage:
    made = Stage()
    made.add_scheduler()
    made.add_controllers()
    web = make_pod("web", labels={"app": "web"})
    variables = {"SERVE_PORT_80": PAGE, "SERVE_PORT_81": "foo", "SERVE_TLS_PORT_443": PAGE}
    web["spec"]["containers"][0] |= {
        "image": "agnhost", "args": ["porter"],
        "env": [{"name": name, "value": value} for name, value in variables.items()],
    }  # fmt: skip
    service = make_service("web", selector={"app": "web"})
    service["spec"]["ports"] = [{"name": "tls", "port": 444, "targetPort": 443}]
    made.apply([make_node("n1", cpu="4"), service, web])
    made.run("30s")
    return made


@pytest.mark.parametrize("to", ["pods/web", "pods/http:web:80", "pods/https:web:443",
                                "services/https:web:tls", "services/https:web:444"])  # fmt: skip
def test_links_of_pages_lead_through_the_proxy(porter: Stage, to: str) -> None:
    answer = call(porter, "GET", f"{PLACE}/{to}/proxy/")
    link = f'<a href="{PLACE}/{to}/proxy/rewriteme">x</A>'
    kept = '<!-- <a href="/b"> --><img src="own.png"><a href="//other/c">'
    assert (answer.status, answer.body.decode()) == (200, link + kept)
    assert answer.header("content-type") == ["text/html; charset=utf-8"]


def test_text_is_passed_on_as_it_is(porter: Stage) -> None:
    answer = call(porter, "GET", f"{PLACE}/pods/web:81/proxy/")
    assert (answer.body, answer.header("content-type")) == (b"foo", ["text/plain; charset=utf-8"])


def test_a_server_speaks_tls_or_does_not(porter: Stage) -> None:
    answer = call(porter, "GET", f"{PLACE}/pods/https:web:80/proxy/")
    assert answer.status == 503
    assert "server gave HTTP response to HTTPS client" in answer.json["message"]
    answer = call(porter, "GET", f"{PLACE}/pods/http:web:443/proxy/")
    problem = b"Client sent an HTTP request to an HTTPS server.\n"
    assert (answer.status, answer.body) == (400, problem)
    answer = call(porter, "GET", f"{PLACE}/pods/ftp:web:80/proxy/")
    assert (answer.status, answer.json["message"]) == (400, 'invalid pod request "ftp:web:80"')
