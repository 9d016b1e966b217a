"""Configurations, flags, plugins and extenders in ``kubestage run``."""

from __future__ import annotations

import json
import socket
from typing import TYPE_CHECKING, Any

from kubestage.testing import make_node, make_pod
from tests.cli import clusters

if TYPE_CHECKING:
    from tests.cli.terminal import Terminal

PACKER = """
    profiles:
    - schedulerName: packer
      pluginConfig:
      - name: NodeResourcesFit
        args: {scoringStrategy: {type: MostAllocated}}
"""


def _pods(terminal: Terminal, *options: str) -> dict[str, Any]:
    result = terminal.run("run", "cluster.json", "-o", "json", *options)
    assert result.code == 0, result.err
    return {each["name"]: each for each in json.loads(result.out)["pods"]}


def _of(scheduler: str, **options: Any) -> dict[str, Any]:
    pod = make_pod("web", **options)
    pod["spec"]["schedulerName"] = scheduler
    return pod


def _half_full(*pods: dict[str, Any]) -> None:
    clusters.write(
        "cluster.json",
        make_node("empty", cpu="4"),
        make_node("half-full", cpu="4"),
        make_pod("there", cpu="2", node_name="half-full"),
        *pods,
    )


def test_a_profile_of_the_configuration_decides(terminal: Terminal) -> None:
    clusters.write_config(PACKER)
    _half_full(_of("packer", cpu="1", memory="1Gi"))
    assert _pods(terminal, "--config", "scheduler.yaml")["web"]["node"] == "half-full"


def test_a_configuration_in_the_directory_is_no_manifest(terminal: Terminal) -> None:
    clusters.write_config(PACKER)
    _half_full(_of("packer", cpu="1", memory="1Gi"))
    result = terminal.run("run", ".", "--config", "scheduler.yaml", "--require-all")
    assert (result.code, result.err) == (0, "")


def test_flags_shape_the_one_profile(terminal: Terminal) -> None:
    _half_full(_of("batch", cpu="1", memory="1Gi"))
    assert _pods(terminal, "--scheduler-name", "batch")["web"]["node"] == "empty"
    provider = ("--algorithm-provider", "ClusterAutoscalerProvider")
    assert _pods(terminal, "--scheduler-name", "batch", *provider)["web"]["node"] == "half-full"


def test_flags_beside_a_configuration_are_noted(terminal: Terminal) -> None:
    clusters.write_config(PACKER)
    _half_full(_of("packer", cpu="1"))
    options = ("--config", "scheduler.yaml", "--hard-pod-affinity-symmetric-weight", "5")
    result = terminal.run("run", "cluster.json", *options)
    assert result.code == 0
    assert result.err == (
        "Note: --hard-pod-affinity-symmetric-weight has no effect together with --config\n"
    )


ODD = """
    from kubestage.scheduler.framework import SUCCESS, Code, Status, unschedulable

    class Odd:
        name = "Odd"

        def __init__(self, args, handle):
            self.suffix = args.get("suffix", "1")

        def filter_node(self, state, pod, node):
            if not node.name.endswith(self.suffix):
                return unschedulable("node(s) have another suffix")
            return SUCCESS

    class Patient:
        name = "Patient"

        def __init__(self, args, handle):
            self.handle = handle

        def permit(self, state, pod, node_name):
            return Status(Code.WAIT), 10_000_000_000
"""


def test_a_plugin_of_your_own_takes_part_with_its_arguments(terminal: Terminal) -> None:
    clusters.write_plugin(ODD)
    clusters.write_config(clusters.enabling("Odd", "{suffix: b}"))
    clusters.write("cluster.json", make_node("node-a"), make_node("node-b"), make_pod("web"))
    options = ("--config", "scheduler.yaml", "--plugin", "mine.py:Odd")
    assert _pods(terminal, *options)["web"]["node"] == "node-b"


def test_a_plugin_that_no_profile_enables_is_noted(terminal: Terminal) -> None:
    clusters.write_plugin(ODD)
    clusters.write("cluster.json", make_node("a"), make_pod("web"))
    result = terminal.run("run", "cluster.json", "--plugin", "mine.py:Odd")
    assert result.code == 0
    assert result.err == "Note: no profile enables Odd, so it is not used\n"


def test_time_passes_for_pods_that_wait_for_a_permit(terminal: Terminal) -> None:
    clusters.write_plugin(ODD)
    clusters.write_config(clusters.enabling("Patient"))
    clusters.write("cluster.json", make_node("a"), make_pod("web"))
    options = ("--config", "scheduler.yaml", "--plugin", "mine.py:Patient")
    web = _pods(terminal, *options)["web"]
    assert web["status"] == "Pending"
    assert "rejected due to timeout after waiting 10s at plugin Patient" in web["message"]


def test_an_extender_that_does_not_answer_ends_the_run_all_the_same(terminal: Terminal) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    clusters.write_config(
        f"extenders: [{{urlPrefix: 'http://127.0.0.1:{port}', filterVerb: filter}}]\n"
    )
    clusters.write("cluster.json", make_node("a"), make_node("b"), make_pod("web"))
    web = _pods(terminal, "--config", "scheduler.yaml")["web"]
    assert (web["status"], web["attempts"]) == ("Pending", 2)
    assert "connection refused" in web["message"]
