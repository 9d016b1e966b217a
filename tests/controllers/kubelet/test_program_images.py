"""What is known of images: their programs and files, in containers and as volumes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from kubestage.errors import Unmodelled
from kubestage.programs.http import HttpRequest
from kubestage.testing import make_service
from tests.controllers.kubelet.program_cluster import Cluster, pod

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.programs.http import HttpAnswer


def served(cluster: Cluster, name: str, port: int, uri: str, body: str = "") -> HttpAnswer:
    path, _, query = uri.partition("?")
    method = "POST" if body else "GET"
    request = HttpRequest(method, path, query, {}, body.encode())
    found = cluster.kubelet.inside.request(cluster.uid(name), port, request)
    assert found is not None
    return found


@pytest.mark.parametrize("name", ["kitten", "nautilus"])
def test_the_pictures_of_the_update_demo(name: str) -> None:
    image = f"registry.k8s.io/e2e-test-images/{name}:1.8"
    cluster = Cluster(pod("p", image=image, policy="Always")).run("10s")
    assert json.loads(served(cluster, "p", 80, "/data.json").body) == {"image": f"{name}.jpg"}


def test_an_image_is_a_volume_that_is_only_read() -> None:
    looking = pod("p", "sleep", "1000", volumeMounts=[{"name": "v", "mountPath": "/v"}])
    looking["spec"]["volumes"] = [{"name": "v", "image": {"reference": "kitten:1.8"}}]
    cluster = Cluster(looking).run("10s")
    assert "kitten.jpg" in cluster.execute("p", "cat", "/v/data.json")[0]
    assert "Alpine Linux" in cluster.execute("p", "cat", "/v/etc/os-release")[0]
    assert cluster.execute("p", "touch", "/v/x")[1] == 1
    with pytest.raises(Unmodelled):
        cluster.execute("p", "cat", "/v/etc/passwd")


@pytest.mark.parametrize(("may", "uid"), [(None, 0), (True, 0), (False, 1000)])
def test_privileges_grow_unless_they_must_not(may: bool | None, uid: int) -> None:
    security: dict[str, Any] = {"runAsUser": 1000}
    if may is not None:
        security["allowPrivilegeEscalation"] = may
    cluster = Cluster(
        pod("p", image="nonewprivs:1.5", securityContext=security),
        pod("q", image="agnhost", args=["nonewprivs"], securityContext=security),
    ).run("10s")
    assert cluster.log("p") == f"Effective uid: {uid}\n"
    assert cluster.log("q") == "Effective uid: 1000\n"
    assert cluster.status("p")["phase"] == "Succeeded"


def guestbook(name: str, *words: str) -> Json:
    made = pod(name, image="agnhost", args=["guestbook", *words], policy="Always")
    made["metadata"]["labels"] = {"app": name.partition("-")[0]}
    return made


def service(name: str, app: str) -> Json:
    made = make_service(name, selector={"app": app})
    made["spec"]["ports"] = [{"port": 6379}]
    return made


@pytest.fixture
def book() -> Cluster:
    replica = ("--replicaof", "agnhost-primary", "--http-port", "6379")
    cluster = Cluster(
        service("agnhost-primary", "primary"),
        service("agnhost-replica", "replica"),
        guestbook("replica-0", *replica),
        guestbook("replica-1", *replica),
        guestbook("frontend", "--backend-port", "6379"),
    ).run("5s")
    cluster.stage.apply([guestbook("primary", "--http-port", "6379")])
    return cluster.run("20s")


def test_a_guestbook_is_written_and_read(book: Cluster) -> None:
    uri = "/guestbook?cmd={}&key=messages&value={}"
    assert served(book, "frontend", 80, uri.format("get", "")).body == b'{"data":""}'
    wrote = served(book, "frontend", 80, uri.format("set", "hello"))
    assert (wrote.code, wrote.body) == (200, b'{"message":"Updated"}')
    for name in ("primary", "replica-0", "replica-1"):
        assert served(book, name, 6379, "/get?key=messages").body == b'{"data":"hello"}'
    assert served(book, "frontend", 80, uri.format("get", "")).body == b'{"data":"hello"}'
    assert "Retrying in 1s" in book.log("replica-0")
    assert served(book, "frontend", 80, "/guestbook?cmd=drop").code == 400
    assert served(book, "frontend", 80, "/guestbook?cmd=set").code == 400


def test_replicas_give_up_without_a_primary() -> None:
    alone = guestbook("replica", "--replicaof", "agnhost-primary")
    alone["spec"]["restartPolicy"] = "Never"
    cluster = Cluster(alone).run("30s")
    assert cluster.status("replica")["phase"] == "Failed"
    assert cluster.container("replica")["state"]["terminated"]["exitCode"] == 1
    assert "Timed out while registering" in cluster.log("replica")


def test_a_hook_writes_to_another_pod() -> None:
    account = {"name": "t", "secret": {"secretName": "t"}}
    place = "/var/run/secrets/kubernetes.io/serviceaccount"
    server = pod("server", image="agnhost", args=["nettest"], policy="Always",
                 volumeMounts=[{"name": "t", "mountPath": place}])  # fmt: skip
    server["spec"]["volumes"] = [account]
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "t"},
              "stringData": {"token": "x"}}  # fmt: skip
    cluster = Cluster(secret, server).run("10s")
    url = f"http://{cluster.status('server')['podIP']}:8080/write"
    hook = {"exec": {"command": ["wget", "-O-", '--post-data={"Source": "prestop"}', url]}}
    cluster.stage.apply([pod("tester", "sleep", "600", lifecycle={"preStop": hook})])
    cluster.run("10s")
    assert json.loads(served(cluster, "server", 8080, "/read").body)["Received"] is None
    cluster.stage.store.delete(("v1", "Pod"), "tester")
    cluster.run("60s")
    state = json.loads(served(cluster, "server", 8080, "/read").body)
    assert state["Received"] == {"prestop": 1}
    assert (state["Hostname"], state["Sent"]) == ("server", None)
    assert state["StillContactingPeers"]
    assert state["Log"][0].startswith("default/nettest has 0 endpoints ([]), which is less than 8")
    assert served(cluster, "server", 8080, "/status").body == b"running"
    cluster.run("400s")
    assert served(cluster, "server", 8080, "/status").body == b"fail"
    assert served(cluster, "server", 8080, "/write", "{}").body == b'{"Hostname":"server"}\n'
    assert "no source" in json.loads(served(cluster, "server", 8080, "/read").body)["Errors"][0]
    with pytest.raises(Unmodelled):
        served(cluster, "server", 8080, "/write", "{")


def test_nettest_ends_without_an_account() -> None:
    cluster = Cluster(pod("server", image="agnhost", args=["nettest"])).run("10s")
    assert cluster.status("server")["phase"] == "Failed"


def test_peers_are_not_modelled() -> None:
    mount = {"name": "t", "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount"}
    server = pod("server", image="agnhost", args=["nettest"], volumeMounts=[mount])
    server["spec"]["volumes"] = [{"name": "t", "emptyDir": {}}]
    cluster = Cluster(service("nettest", "server"), server).run("10s")
    assert cluster.kubelet.inside.process(cluster.uid("server"), "main", False) is None
