"""What kubectl does inside containers: answered, or refused at once."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.server.kubectl.conftest import Kubectl

PODS = """
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {colour: blue}
---
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  containers:
  - name: main
    image: nginx
    env: [{name: SIZE, value: large}]
    volumeMounts: [{name: config, mountPath: /etc/config}]
  volumes: [{name: config, configMap: {name: settings}}]
"""
REFUSED = "is not possible: containers are simulated and run no processes"


@pytest.fixture(autouse=True)
def web(kubectl: Kubectl) -> None:
    kubectl("apply", "-f", "-", given=PODS)
    kubectl("wait", "pod/web", "--for=condition=Ready", "--timeout=15m")


def test_exec_answers_what_can_be_known(kubectl: Kubectl) -> None:
    assert kubectl("exec", "web", "--", "hostname") == "web\n"
    assert "SIZE=large\n" in kubectl("exec", "web", "--", "env")
    assert kubectl("exec", "web", "--", "cat", "/etc/config/colour") == "blue"
    assert kubectl("exec", "web", "--", "ls", "/etc/config") == "colour\n"
    assert re.fullmatch(r"\d{10}\n", kubectl("exec", "web", "--", "date", "+%s"))
    assert kubectl("exec", "web", "--", "sh", "-c", "echo $SIZE") == "large\n"


def test_exec_has_the_exit_code_of_the_command(kubectl: Kubectl) -> None:
    assert kubectl.run("exec", "web", "--", "false").returncode == 1
    done = kubectl.run("exec", "web", "--", "top")
    assert done.returncode == 127
    assert "simulated container: the command top is not modelled; known are [, [[" in done.stderr
    done = kubectl.run("exec", "-i", "web", "--", "sh", given="ls\n")
    assert done.returncode == 127
    assert "sh without -c SCRIPT is not modelled" in done.stderr


def test_exec_into_what_is_not_there_is_refused(kubectl: Kubectl) -> None:
    assert 'pods "gone" not found' in kubectl.refused("exec", "gone", "--", "ls")
    said = kubectl.refused("exec", "web", "-c", "side", "--", "ls")
    assert "container side is not valid for pod web" in said


@pytest.mark.parametrize(
    "words",
    [
        ("attach", "web"),
        ("attach", "-i", "web"),
        ("port-forward", "web", ":80"),
        ("port-forward", "pod/web", ":80", ":81"),
    ],
)
def test_what_needs_a_process_ends_at_once(kubectl: Kubectl, words: tuple[str, ...]) -> None:
    assert REFUSED in kubectl.refused(*words)


@pytest.mark.parametrize(
    "words", [("cp", "web:/etc/config/colour", "colour"), ("cp", __file__, "web:/tmp/x")]
)
def test_copies_need_tar(kubectl: Kubectl, words: tuple[str, ...]) -> None:
    done = kubectl.run(*words)
    assert done.returncode == 127
    # On the way out kubectl prints errors of the container with its output.
    assert "the command tar is not modelled" in done.stdout + done.stderr


def test_debug_adds_a_container_and_says_that_nobody_can_be_attached_to(kubectl: Kubectl) -> None:
    done = kubectl.run("debug", "web", "-i", "--image=busybox", "--container=look")
    assert REFUSED in done.stderr
    (status,) = kubectl.json("get", "pod", "web")["status"]["ephemeralContainerStatuses"]
    assert (status["name"], list(status["state"])) == ("look", ["running"])
    assert kubectl("exec", "web", "-c", "look", "--", "hostname") == "web\n"


def test_debug_of_a_copy_and_of_a_node_ends(kubectl: Kubectl) -> None:
    copied = kubectl.run("debug", "web", "-i", "--image=busybox", "--copy-to=web-2")
    assert REFUSED in copied.stderr
    assert "Started: Container started" in kubectl("debug", "node/node-0", "-i", "--image=busybox")


def test_run_with_a_terminal_ends(kubectl: Kubectl) -> None:
    done = kubectl.run("run", "shell", "-i", "--image=busybox")
    assert REFUSED in done.stderr
    done = kubectl.run("run", "once", "-i", "--rm", "--image=busybox", "--restart=Never")
    assert done.returncode == 0
    assert "Completed: exit code 0" in done.stdout
