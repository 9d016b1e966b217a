"""What kubectl makes of a server beyond its objects, over TLS and with a token."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.server.kubectl.conftest import Kubectl
from tests.server.served import Served, require_kubectl

if TYPE_CHECKING:
    from collections.abc import Iterator

CLUSTER = """
apiVersion: v1
kind: Node
metadata: {name: n1}
status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}, capacity: {cpu: "4", memory: 8Gi, pods: "110"}}
---
apiVersion: v1
kind: Pod
metadata:
  name: web
  labels: {app: web}
  annotations: {kubestage.dev/cpu-usage: 250m, kubestage.dev/memory-usage: 100Mi}
spec: {containers: [{name: c, image: i}]}
---
apiVersion: v1
kind: Pod
metadata: {name: far, labels: {app: far}}
spec: {nodeSelector: {moon: "yes"}, containers: [{name: c, image: i}]}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: bob}
"""  # noqa: E501 - a file as somebody would write it


@pytest.fixture(scope="module")
def kubectl(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kubectl]:
    require_kubectl()
    token = tmp_path_factory.mktemp("door") / "token"
    token.write_text("correct-horse-battery-staple\n")
    with Served("--token-file", str(token), objects=CLUSTER) as served:
        assert served.address.startswith("https://127.0.0.1:")
        client = Kubectl(served, "default")
        client("wait", "pod/web", "--for=condition=Ready", "--timeout=15m")
        yield client


def test_top_shows_usage(kubectl: Kubectl) -> None:
    assert kubectl("top", "pods", "--no-headers").split() == ["web", "250m", "100Mi"]
    by_container = kubectl("top", "pods", "-l", "app=web", "--containers", "--no-headers")
    assert by_container.split() == ["web", "c", "250m", "100Mi"]
    assert kubectl("top", "nodes", "--no-headers").split()[:2] == ["n1", "250m"]
    assert "not found" in kubectl.refused("top", "pod", "far")


def test_logs_tell_a_life(kubectl: Kubectl) -> None:
    lines = kubectl("logs", "web").splitlines()
    assert lines[0] == "Scheduled: Successfully assigned default/web to n1"
    assert lines[-1] == "Ready: the pod is ready"
    assert kubectl("logs", "web", "--tail=1") == f"{lines[-1]}\n"
    assert kubectl("logs", "far") == ""
    said = kubectl.refused("logs", "web", "--previous")
    assert 'previous terminated container "c" in pod "web" not found' in said


@pytest.mark.parametrize("arguments", [("attach", "web"), ("port-forward", "web", ":80")])
def test_there_is_no_way_into_a_container(kubectl: Kubectl, arguments: tuple[str, ...]) -> None:
    said = kubectl.refused(*arguments)
    assert "is not possible: containers are simulated and run no processes" in said


def test_exec_is_answered_over_tls_with_the_token(kubectl: Kubectl) -> None:
    assert kubectl("exec", "web", "--", "hostname") == "web\n"


def test_whoever_asks_may_do_everything(kubectl: Kubectl) -> None:
    assert kubectl("auth", "can-i", "delete", "pods") == "yes\n"
    assert "system:masters" in kubectl("auth", "whoami")
    assert "*.*" in kubectl("auth", "can-i", "--list")


def test_an_account_gets_a_token(kubectl: Kubectl) -> None:
    assert kubectl("create", "token", "bob").count(".") == 2
    said = kubectl.refused("create", "token", "bob", "--duration", "1m")
    assert "may not specify a duration less than 10 minutes" in said


def test_the_server_is_well(kubectl: Kubectl) -> None:
    assert kubectl("get", "--raw", "/readyz") == "ok"
    assert "apiserver_request_total" in kubectl("get", "--raw", "/metrics")
