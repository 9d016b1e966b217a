"""What kubectl makes of a server beyond its objects."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.cli import servers

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Iterator

KUBECTL = shutil.which("kubectl")
pytestmark = pytest.mark.skipif(KUBECTL is None, reason="kubectl is not on the PATH")
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


class Kubectl:
    """kubectl with the kubeconfig of a server."""

    def __init__(self, server: servers.Server) -> None:
        self._environment = {**os.environ, "KUBECONFIG": str(server.kubeconfig)}

    def run(self, *arguments: str) -> tuple[int, str]:
        assert KUBECTL is not None
        done = subprocess.run(
            [KUBECTL, *arguments],
            env=self._environment,
            capture_output=True,
            text=True,
            timeout=servers.LONGEST_S,
            check=False,
        )
        return done.returncode, done.stdout + done.stderr

    def __call__(self, *arguments: str) -> str:
        code, said = self.run(*arguments)
        assert code == 0, said
        return said


@pytest.fixture(scope="module")
def kubectl(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kubectl]:
    where: pathlib.Path = tmp_path_factory.mktemp("served")
    (where / "cluster.yaml").write_text(CLUSTER)
    with servers.serving(where, "cluster.yaml", "--host", "0.0.0.0") as server:
        client = Kubectl(server)
        client("wait", "pod/web", "--for=condition=Ready", "--timeout=60s")
        yield client


def test_top_shows_usage(kubectl: Kubectl) -> None:
    assert kubectl("top", "pods", "--no-headers").split() == ["web", "250m", "100Mi"]
    by_container = kubectl("top", "pods", "-l", "app=web", "--containers", "--no-headers")
    assert by_container.split() == ["web", "c", "250m", "100Mi"]
    assert kubectl("top", "nodes", "--no-headers").split()[:2] == ["n1", "250m"]
    code, said = kubectl.run("top", "pod", "far")
    assert (code, "not found" in said) == (1, True)


def test_logs_tell_a_life(kubectl: Kubectl) -> None:
    lines = kubectl("logs", "web").splitlines()
    assert lines[0] == "Scheduled: Successfully assigned default/web to n1"
    assert lines[-1] == "Ready: the pod is ready"
    assert kubectl("logs", "web", "--tail=1") == f"{lines[-1]}\n"
    assert kubectl("logs", "far") == ""
    code, said = kubectl.run("logs", "web", "--previous")
    assert code == 1
    assert 'previous terminated container "c" in pod "web" not found' in said


@pytest.mark.parametrize(
    "arguments", [("exec", "web", "--", "ls"), ("attach", "web"), ("port-forward", "web", ":80")]
)
def test_there_is_no_way_into_a_container(kubectl: Kubectl, arguments: tuple[str, ...]) -> None:
    code, said = kubectl.run(*arguments)
    assert code == 1
    assert "is not possible: containers are simulated and run no processes" in said


def test_whoever_asks_may_do_everything(kubectl: Kubectl) -> None:
    assert kubectl("auth", "can-i", "delete", "pods") == "yes\n"
    assert "system:masters" in kubectl("auth", "whoami")
    assert "*.*" in kubectl("auth", "can-i", "--list")


def test_an_account_gets_a_token(kubectl: Kubectl) -> None:
    assert kubectl("create", "token", "bob").count(".") == 2
    code, said = kubectl.run("create", "token", "bob", "--duration", "1m")
    assert code == 1
    assert "may not specify a duration less than 10 minutes" in said


def test_the_server_is_well(kubectl: Kubectl) -> None:
    assert kubectl("get", "--raw", "/readyz") == "ok"
    assert "apiserver_request_total" in kubectl("get", "--raw", "/metrics")
