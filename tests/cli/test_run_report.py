"""What a run of manifests prints: what is wrong first, then by workload, then pods."""

from __future__ import annotations

import json
import os
import pathlib
import pty
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from kubestage.testing import make_deployment, make_node, make_pod
from tests.cli import clusters

if TYPE_CHECKING:
    from tests.cli.terminal import Terminal

_COMMAND = "from kubestage.cli import main; raise SystemExit(main())"
_ESCAPE = "\x1b["


def _job(name: str) -> dict[str, object]:
    template = {
        "spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "busybox"}]}
    }
    spec = {"parallelism": 3, "completions": 2, "template": template}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name}, "spec": spec}


def _many(replicas: int) -> None:
    clusters.write(
        "cluster.json",
        make_node("a", cpu="4", memory="64Gi"),
        make_node("b", cpu="4", memory="64Gi"),
        make_deployment("web", replicas=replicas, cpu="500m"),
        _job("once"),
        make_pod("alone"),
    )


def test_many_pods_are_told_by_workload_and_only_those_in_trouble_one_by_one(
    terminal: Terminal,
) -> None:
    _many(30)
    lines = terminal.run("run", "cluster.json").out.splitlines()
    assert lines[0] == "Attention: 14 pending of 33 pods (--explain POD tells more):"
    at = lines.index("NAMESPACE   WORKLOAD         DESIRED   SCHEDULED   PENDING   NODES")
    assert lines[at + 1 : at + 5] == [
        "default     deployment/web   30        16          14        2",
        "default     (no owner)       -         1           0         1",
        "default     job/once         2         2           0         2",
        "",
    ]
    listed = [line.split() for line in lines[at + 6 :] if line.startswith("default ")]
    assert {words[2] for words in listed} == {"Pending"}
    assert len(listed) == 14
    assert "19 scheduled pods: --all lists them" in lines
    assert lines[-1].startswith("33 pods: 14 pending, 19 scheduled. Nodes used: 2 of 2.")


def test_all_pods_are_listed_on_request(terminal: Terminal) -> None:
    _many(30)
    lines = terminal.run("run", "cluster.json", "--all").out.splitlines()
    statuses = [line.split()[2] for line in lines if line.startswith("default  ") and "-" in line]
    assert statuses.count("Scheduled") >= 16
    assert not any("--all" in line for line in lines)


def test_no_more_than_twenty_pods_in_trouble_are_listed(terminal: Terminal) -> None:
    _many(50)
    lines = terminal.run("run", "cluster.json").out.splitlines()
    assert sum(" Pending " in line for line in lines) == 20
    assert "and 14 more pods that need attention: --all lists them" in lines


def test_a_run_in_which_all_is_well_does_not_call_for_attention(terminal: Terminal) -> None:
    _many(3)
    out = terminal.run("run", "cluster.json").out
    assert out.startswith("NAMESPACE   WORKLOAD ")
    assert "Attention" not in out
    assert out.count(" Scheduled ") == 6


def test_pods_that_ran_before_count_for_their_workload(terminal: Terminal) -> None:
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": "u"}
    pods = [make_pod(f"web-{number}", cpu="1") for number in range(3)]
    for pod in pods:
        pod["metadata"]["ownerReferences"] = [{**owner, "controller": True}]
    pods[0]["spec"]["nodeName"] = "a"
    clusters.write("cluster.json", make_node("a", cpu="2"), *pods)
    told = json.loads(terminal.run("run", "cluster.json", "-o", "json", "--no-controllers").out)
    assert told["workloads"] == [
        {
            "namespace": "default",
            "name": "replicaset/web",
            "desired": None,
            "pending": 1,
            "gated": 0,
            "failed": 0,
            "preempted": 0,
            "scheduled": 2,
            "nodes": 1,
        }
    ]


def test_a_pipe_gets_plain_text_and_colours_can_be_forced(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    _many(30)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    plain = terminal.run("run", "cluster.json").out
    assert _ESCAPE not in plain
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    coloured = terminal.run("run", "cluster.json").out
    assert f"{_ESCAPE}31mPending{_ESCAPE}0m" in coloured
    assert f"{_ESCAPE}1;31mAttention" in coloured
    assert _ESCAPE not in terminal.run("run", "cluster.json", "-o", "json").out
    monkeypatch.setenv("NO_COLOR", "1")
    assert terminal.run("run", "cluster.json").out == plain


@pytest.mark.parametrize(
    ("variables", "is_coloured"),
    [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)],
)
def test_a_terminal_shows_colours_unless_they_are_not_wanted(
    variables: dict[str, str], is_coloured: bool, terminal: Terminal
) -> None:
    _many(30)
    kept = {
        name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR")
    }
    controller, screen = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-c", _COMMAND, "run", "cluster.json"],
        env={**kept, "TERM": "xterm-256color", **variables},
        stdout=screen,
    ):
        os.close(screen)
        printed = b""
        with open(controller, "rb", buffering=0) as reader:
            while True:
                try:
                    printed += (more := reader.read(4096))
                except OSError:
                    # A terminal that nobody writes to any more says so in this way.
                    break
                if not more:
                    break
    assert b"Attention" in printed
    assert (_ESCAPE.encode() in printed) is is_coloured


def test_what_nodes_cost_is_told_in_a_line_if_they_have_prices(terminal: Terminal) -> None:
    labels = {"node.kubernetes.io/instance-type": "m5.large"}
    clusters.write(
        "cluster.json",
        make_node("a", cpu="4", memory="16Gi", labels=labels),
        make_node("b", cpu="4", memory="16Gi", labels=labels),
        make_node("c", cpu="4", memory="16Gi"),
        make_deployment("web", replicas=3, cpu="1", memory="4Gi"),
    )
    pathlib.Path("prices.csv").write_text("instance_type,price\nm5.large,0.5\n")
    plain = terminal.run("run", "cluster.json").out
    assert "cost" not in plain
    # A quarter of each of the two nodes that have a price.
    line = "Nodes cost $1.00 per hour, 75% of it idle; 1 node has no price."
    assert plain + f"{line}\n" == terminal.run("run", "cluster.json", "--prices", "prices.csv").out
    told = json.loads(
        terminal.run("run", "cluster.json", "--prices", "prices.csv", "-o", "json").out
    )
    assert told["packing"]["costs"]["clusterCost"] == 1.0
    assert told["packing"]["nodeCount"] == 3
