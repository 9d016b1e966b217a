"""A cluster behind HTTP, in the process of a test."""

from __future__ import annotations

import contextlib
import http.client
import json
import logging
import pathlib
import threading
from typing import TYPE_CHECKING, Any

import pytest

from kubestage.errors import ExpectationFailed, InputError
from kubestage.testing import ClusterFactory, make_deployment, make_pod
from tests.deadlines import HANG_S

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.testing import ClusterServer

PODS = "/api/v1/namespaces/default/pods"
NODES = "/api/v1/nodes"


@pytest.fixture
def still(factory: ClusterFactory) -> Iterator[ClusterServer]:
    with factory.server(nodes=3, pace="still", patience=0) as made:
        yield made


def connect(server: ClusterServer) -> http.client.HTTPConnection:
    return http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=HANG_S)


def call(server: ClusterServer, method: str, path: str, body: Any = None) -> tuple[int, Any]:
    with contextlib.closing(connect(server)) as connection:
        text = None if body is None else json.dumps(body)
        connection.request(method, path, text, {"content-type": "application/json"})
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())


class Watch:
    """A watch that was opened, as a client reads it."""

    def __init__(self, server: ClusterServer, path: str) -> None:
        version = call(server, "GET", path)[1]["metadata"]["resourceVersion"]
        self._connection = connect(server)
        self._connection.request("GET", f"{path}?watch=1&resourceVersion={version}")
        self.answer = self._connection.getresponse()

    def __enter__(self) -> Watch:
        return self

    def __exit__(self, *_: object) -> None:
        self.answer.close()
        self._connection.close()

    def next(self) -> Any:
        line = self.answer.readline()
        return json.loads(line) if line else None


def test_every_client_finds_it(server: ClusterServer) -> None:
    config = json.loads(pathlib.Path(server.kubeconfig).read_text())
    assert config["clusters"][0]["cluster"]["server"] == server.url
    code, nodes = call(server, "GET", NODES)
    assert (code, len(nodes["items"])) == (200, 3)
    assert call(server, "POST", "/api/v1/namespaces/none/pods", make_pod("a"))[0] in (400, 404)


def test_the_clock_jumps_through_what_clients_bring_about(server: ClusterServer) -> None:
    call(server, "POST", PODS, make_pod("a"))
    server.expect("pod/a").ready(within="1m")
    server.settle()
    before_s = server.elapsed_s
    assert before_s < 60
    server.run("10m")
    assert server.elapsed_s == before_s + 600


def test_a_clock_that_stands_still(still: ClusterServer) -> None:
    call(still, "POST", PODS, make_pod("a"))
    assert call(still, "GET", f"{PODS}/a")[1]["status"]["phase"] == "Pending"
    assert "nodeName" not in call(still, "GET", f"{PODS}/a")[1]["spec"]
    still.run("1m")
    assert call(still, "GET", f"{PODS}/a")[1]["status"]["phase"] == "Running"
    still.apply(make_deployment("web", replicas=2))
    still.settle()
    still.expect("deploy/web").ready(2)
    assert still.elapsed_s < 120


def test_a_condition_may_use_a_client(still: ClusterServer) -> None:
    still.apply(make_pod("a"))
    still.run_until(lambda: call(still, "GET", f"{PODS}/a")[1]["spec"].get("nodeName"))
    assert call(still, "GET", f"{PODS}/a")[1]["status"]["phase"] == "Pending"
    with pytest.raises(ExpectationFailed, match="the condition to hold within 1m"):
        still.run_until(lambda: False, within="1m")


def test_what_a_client_does_late_is_waited_for(factory: ClusterFactory) -> None:
    with factory.server(pace="still", patience=HANG_S) as server, Watch(server, PODS) as watch:

        def react() -> None:
            assert watch.next()["type"] == "ADDED"
            call(server, "POST", PODS, make_pod("second"))

        client = threading.Thread(target=react)
        client.start()
        server.apply(make_pod("first"))
        # Its time is over long before the client has done anything.
        server.expect("pod/second").exists(within="1ms").ready(within="1m")
        client.join(HANG_S)


def test_requests_are_refused(server: ClusterServer) -> None:
    with server.faults.refuse(409, verb="create", kind="pods", name="a", times=2) as fault:
        assert call(server, "POST", PODS, make_pod("b"))[0] == 201
        for _ in range(2):
            code, status = call(server, "POST", PODS, make_pod("a"))
            assert (code, status["reason"]) == (409, "AlreadyExists")
        assert call(server, "POST", PODS, make_pod("a"))[0] == 201
        assert fault.met == 2
    with server.faults.refuse(500, verb="update", kind="pods", name="a"):
        code, status = call(server, "PUT", f"{PODS}/a", make_pod("a"))
        assert (code, status["reason"]) == (500, "InternalError")
        assert status["message"].startswith("Internal error occurred: ")


@pytest.mark.parametrize(
    ("verb", "method", "path"),
    [
        ("get", "GET", f"{PODS}/a"),
        ("list", "GET", PODS),
        ("watch", "GET", f"{PODS}?watch=1"),
        ("create", "POST", PODS),
        ("update", "PUT", f"{PODS}/a"),
        ("patch", "PATCH", f"{PODS}/a"),
        ("delete", "DELETE", f"{PODS}/a"),
        ("deletecollection", "DELETE", PODS),
    ],
)
def test_verbs_are_told_apart(server: ClusterServer, verb: str, method: str, path: str) -> None:
    server.faults.refuse(503, verb=verb, kind="pods")
    with contextlib.closing(connect(server)) as connection:
        headers = {"content-type": "application/json"}
        if method == "PATCH":
            headers = {"content-type": "application/merge-patch+json"}
        connection.request(method, path, json.dumps(make_pod("a")), headers)
        answer = connection.getresponse()
        assert (answer.status, answer.headers["retry-after"]) == (503, "1")
        answer.read()
    assert call(server, "GET", NODES)[0] == 200


def test_answers_are_late(server: ClusterServer) -> None:
    with server.faults.slow(0.001, verb="list", kind="nodes", times=1) as fault:
        assert call(server, "GET", NODES)[0] == 200
        assert call(server, "GET", PODS)[0] == 200
    assert fault.met == 1


def test_a_late_answer_is_not_waited_for_at_the_end(factory: ClusterFactory) -> None:
    server = factory.server()
    server.faults.slow(HANG_S)
    with contextlib.closing(connect(server)) as connection:
        connection.request("GET", NODES)
        server.close()
        with pytest.raises((ConnectionError, http.client.HTTPException)):
            connection.getresponse()


@pytest.mark.parametrize("how", ["end", "drop", "expired"])
def test_watches_are_cut(server: ClusterServer, how: Any) -> None:
    with Watch(server, PODS) as pods, Watch(server, NODES) as nodes:
        assert server.faults.cut_watches("pods", how=how) == 1
        if how == "drop":
            with pytest.raises((ConnectionError, http.client.HTTPException)):
                pods.answer.read()
        elif how == "expired":
            event = pods.next()
            assert (event["type"], event["object"]["code"]) == ("ERROR", 410)
            assert event["object"]["reason"] == "Expired"
            assert pods.next() is None
        else:
            assert pods.next() is None
        server.patch("node/node-0", {"metadata": {"labels": {"x": "y"}}})
        assert nodes.next()["type"] == "MODIFIED"
        assert server.faults.cut_watches() == 1
        assert nodes.next() is None
    with pytest.raises(InputError, match='"off" is no way to cut a watch'):
        server.faults.cut_watches(how="off")  # type: ignore[arg-type] # a test of what is refused


def test_a_webhook_that_fails(server: ClusterServer) -> None:
    with server.faults.fail_webhook("policy.example.com", kinds=["pods"]):
        code, status = call(server, "POST", PODS, make_pod("a"))
    assert (code, status["reason"]) == (500, "InternalError")
    assert 'failed calling webhook "policy.example.com"' in status["message"]
    assert call(server, "POST", PODS, make_pod("a"))[0] == 201


def test_expectations_are_tried_on_copies(server: ClusterServer) -> None:
    server.apply(make_deployment("web", replicas=3, cpu="1"))
    server.expect("deploy/web").ready(3, within="1m").survives(zone="b", at_least=2)
    server.expect.schedulable(make_pod("more", cpu="5"))
    copy = server.fork()
    copy.delete("deploy/web")
    copy.run("1m")
    copy.expect.pods().count(0)
    server.expect.pods().count(3)


def test_clusters_are_served_side_by_side(factory: ClusterFactory) -> None:
    with factory.server(nodes=1) as first, factory.server(nodes=2) as second:
        assert len(call(first, "GET", NODES)[1]["items"]) == 1
        assert len(call(second, "GET", NODES)[1]["items"]) == 2


def test_a_cluster_can_be_looked_at_when_it_is_served_no_more(factory: ClusterFactory) -> None:
    level = logging.getLogger("uvicorn.error").level
    server = factory.server(nodes=1)
    with Watch(server, PODS):
        server.apply(make_pod("a"))
        server.close()
    server.close()
    with pytest.raises(ConnectionRefusedError):
        call(server, "GET", NODES)
    assert server.get("pod/a")["metadata"]["name"] == "a"
    assert logging.getLogger("uvicorn.error").level == level


def test_a_prepared_cluster_is_served(factory: ClusterFactory) -> None:
    base = factory(nodes=2)
    base.apply(make_deployment("web", replicas=2))
    base.settle()
    with factory.serve(base) as first, factory.serve(base) as second:
        first.delete("deploy/web")
        first.settle()
        assert call(first, "GET", PODS)[1]["items"] == []
        assert len(call(second, "GET", PODS)[1]["items"]) == 2


def test_a_plugin_that_breaks_down_is_reported() -> None:
    factory = ClusterFactory()
    with factory.server(plugins=[_Broken], pace="still", patience=0) as server:
        server.apply(make_pod("a"))
        server.run("1m")
        server.expect.events(reason="FailedScheduling")


class _Broken:
    name = "Broken"

    def __init__(self, args: Any, handle: Any) -> None:
        del args, handle

    def filter_node(self, state: Any, pod: Any, node: Any) -> Any:
        from kubestage.scheduler.framework import error

        return error("it is broken")
