"""Manifests are staged and scheduled, and the placements told."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
import textwrap
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from kubestage.testing import (
    make_deployment,
    make_node,
    make_pod,
    make_priority_class,
)
from tests.cli import clusters

if TYPE_CHECKING:
    from tests.cli.terminal import Terminal

PREEMPTION_HELPS_NOT = (
    "no new claims to deallocate, preemption: 0/2 nodes are available: "
    "2 Preemption is not helpful for scheduling."
)


def small_cluster() -> None:
    clusters.write(
        "cluster.json",
        make_node("a", cpu="2", memory="4Gi"),
        make_node("b", cpu="4", memory="4Gi"),
        make_pod("db", cpu="1", memory="1Gi", node_name="a", namespace="data"),
        make_pod("web", cpu="500m", memory="1Gi"),
        make_pod("huge-1", cpu="64"),
        make_pod("huge-2", cpu="64"),
    )


def test_placements_are_a_table_with_reasons_and_a_sum(terminal: Terminal) -> None:
    small_cluster()
    result = terminal.run("run", "cluster.json")
    assert (result.code, result.err) == (0, "")
    assert result.out == textwrap.dedent(
        f"""\
        Attention: 2 pending of 3 pods (--explain POD tells more):
          default/huge-1, default/huge-2
            0/2 nodes are available: 2 Insufficient cpu. {PREEMPTION_HELPS_NOT}

        NAMESPACE   POD      STATUS      NODE     ATTEMPTS
        default     huge-1   Pending     <none>   2
        default     huge-2   Pending     <none>   2
        default     web      Scheduled   b        1

        3 pods: 2 pending, 1 scheduled. Running before: 1. Nodes used: 2 of 2. \
Allocated: cpu 25%, memory 25%.
        """
    )


def test_the_wide_table_has_profile_counts_and_message(terminal: Terminal) -> None:
    small_cluster()
    lines = terminal.run("run", "cluster.json", "-o", "wide").out.splitlines()
    assert lines[0] == "Attention: 2 pending of 3 pods"
    assert lines[2].split()[5:] == ["PROFILE", "PRIORITY", "EVALUATED", "FEASIBLE", "MESSAGE"]
    web = next(line for line in lines if " web " in line)
    assert web.split() == [
        "default",
        "web",
        "Scheduled",
        "b",
        "1",
        "default-scheduler",
        *list("022"),
    ]
    assert sum(PREEMPTION_HELPS_NOT in line for line in lines) == 2
    assert "Without a node" not in "".join(lines)


def test_json_and_yaml_say_the_same(terminal: Terminal) -> None:
    small_cluster()
    told = json.loads(terminal.run("run", "cluster.json", "-o", "json").out)
    assert yaml.safe_load(terminal.run("run", "cluster.json", "-o", "yaml").out) == told
    assert told["pods"][-1] == {
        "namespace": "default",
        "name": "web",
        "status": "Scheduled",
        "node": "b",
        "profile": "default-scheduler",
        "priority": 0,
        "attempts": 1,
        "evaluatedNodes": 2,
        "feasibleNodes": 2,
        "message": "",
    }
    assert told["pods"][0]["node"] is None
    assert told["summary"] == {
        "scheduled": 1,
        "pending": 2,
        "gated": 0,
        "failed": 0,
        "preempted": 0,
        "runningBefore": 1,
        "nodes": 2,
        "nodesUsed": 2,
        "allocatedPercent": {"cpu": 25.0, "memory": 25.0},
    }
    assert [each["pod"] for each in told["decisions"]] == [
        "default/web",
        "default/huge-1",
        "default/huge-2",
        "default/huge-1",
        "default/huge-2",
    ]
    # The pod that was there is given its time to start.
    assert told["decisions"][0]["time"] == "2026-01-01T00:00:02.000000Z"
    assert "explanations" not in told


def test_the_detail_decides_what_is_told_of_attempts(terminal: Terminal) -> None:
    small_cluster()
    none = json.loads(terminal.run("run", ".", "-o", "json", "--detail", "summary").out)
    assert set(none) == {"seed", "pods", "workloads", "summary", "packing"}
    full = json.loads(terminal.run("run", ".", "-o", "json", "--detail", "full").out)
    first = full["explanations"][0]
    assert (first["number"], first["pod"], first["selected"]) == (1, "default/web", "b")
    assert set(first["score"]["a"]) >= {"NodeResourcesFit", "TaintToleration"}


@pytest.mark.parametrize(("cpu", "code"), [("1", 0), ("8", 1)])
def test_a_pod_that_stays_pending_fails_the_run_on_request(
    cpu: str, code: int, terminal: Terminal
) -> None:
    clusters.write("cluster.json", make_node("a", cpu="4"), make_pod("web", cpu=cpu))
    assert terminal.run("run", ".").code == 0
    result = terminal.run("run", ".", "--require-all")
    assert result.code == code
    assert result.err == ("Error: 1 pod without a node\n" if code else "")


def test_gated_pods_and_those_of_no_profile_are_told_apart(terminal: Terminal) -> None:
    gated = make_pod("gated")
    gated["spec"]["schedulingGates"] = [{"name": "example.com/quota"}]
    other = make_pod("other")
    other["spec"]["schedulerName"] = "mine"
    clusters.write("cluster.json", make_node("a"), gated, other)
    result = terminal.run("run", ".", "--require-all")
    assert result.code == 1
    assert "default     gated   Gated     <none>   0\n" in result.out
    assert "waiting for scheduling gates: [example.com/quota]\n" in result.out
    assert "default     other   Pending   <none>   0\n" in result.out
    assert "no profile is called mine (there is default-scheduler)\n" in result.out
    assert "2 pods: 1 pending, 1 gated." in result.out


def test_a_pod_that_has_to_go_is_told_with_who_took_its_place(terminal: Terminal) -> None:
    clusters.write(
        "cluster.json",
        make_priority_class("high", 1000),
        make_node("a", cpu="4"),
        make_pod("low", cpu="3", node_name="a"),
        make_pod("vip", cpu="3", priority_class_name="high"),
    )
    result = terminal.run("run", ".", "-o", "json")
    low, vip = json.loads(result.out)["pods"]
    assert (low["status"], low["node"], low["message"]) == (
        "Preempted",
        "a",
        "preempted by default/vip",
    )
    assert (vip["status"], vip["node"], vip["attempts"], vip["priority"]) == (
        "Scheduled",
        "a",
        2,
        1000,
    )
    # The victim takes a second to go.
    times = [each["time"] for each in json.loads(result.out)["decisions"]]
    assert times == ["2026-01-01T00:00:02.000000Z", "2026-01-01T00:00:03.000000Z"]


def test_a_recorded_pod_is_taken_as_it_is_and_time_begins_with_the_recording(
    terminal: Terminal,
) -> None:
    recorded = make_pod("old", priority=7)
    recorded["metadata"]["uid"] = "11111111-2222-3333-4444-555555555555"
    recorded["metadata"]["creationTimestamp"] = "2026-05-04T03:02:01Z"
    recorded["spec"]["fieldOfTomorrow"] = True
    clusters.write("cluster.json", make_node("a"), recorded)
    told = json.loads(terminal.run("run", ".", "-o", "json").out)
    assert told["pods"][0]["priority"] == 7
    assert told["decisions"][0]["time"] == "2026-05-04T03:02:01.000000Z"


def test_pods_that_have_ended_are_not_scheduled(terminal: Terminal) -> None:
    ended = make_pod("ended")
    ended["status"] = {"phase": "Succeeded"}
    clusters.write("cluster.json", make_node("a"), ended)
    assert terminal.run("run", ".").out == (
        "Nothing to schedule. Nodes used: 0 of 1. Allocated: cpu 0%, memory 0%.\n"
    )


def test_ties_are_broken_as_asked(terminal: Terminal) -> None:
    nodes = [make_node(name) for name in "cba"]
    clusters.write("cluster.json", *nodes, make_pod("web"))

    def node(*options: str) -> str:
        told = json.loads(terminal.run("run", ".", "-o", "json", *options).out)
        return str(told["pods"][0]["node"])

    assert node() == "a"
    assert node("--as-written") == "c"
    assert node("--as-written", "--tie-break", "first") == "a"
    random = [node("--tie-break", "random", "--seed", str(seed)) for seed in range(12)]
    assert set(random) == {"a", "b", "c"}
    assert random == [node("--tie-break", "random", "--seed", str(seed)) for seed in range(12)]


def test_manifests_come_from_standard_input(terminal: Terminal) -> None:
    small_cluster()
    text = pathlib.Path("cluster.json").read_bytes()
    assert terminal.run("run", "-", stdin=text).out == terminal.run("run", "cluster.json").out


def _workloads() -> list[dict[str, Any]]:
    return [
        make_node("a"),
        make_deployment("web", labels={"app": "web"}),
        make_deployment("api", labels={"app": "api"}),
        make_deployment("off", labels={"app": "off"}, replicas=0),
        make_pod("web-1", labels={"app": "web", "pod-template-hash": "x"}),
    ]


def test_workloads_make_their_pods(terminal: Terminal) -> None:
    clusters.write("cluster.json", *_workloads())
    pods = json.loads(terminal.run("run", ".", "-o", "json").out)["pods"]
    assert [each["name"].split("-")[0] for each in pods] == ["api", "web", "web"]
    assert {each["status"] for each in pods} == {"Scheduled"}


def test_of_recorded_workloads_no_pods_are_made_and_that_is_noted(terminal: Terminal) -> None:
    recorded = [
        {**each, "metadata": {**each["metadata"], "uid": f"uid-{number}"}}
        for number, each in enumerate(_workloads())
    ]
    clusters.write("cluster.json", *recorded)
    result = terminal.run("run", ".")
    assert result.err == (
        "Note: there are no pods of deployment/api; with --controllers they would be created\n"
    )
    assert result.code == 0
    assert "api-" in terminal.run("run", ".", "--controllers").out


@pytest.mark.parametrize("command", ["run", "verify"])
def test_the_help_shows_how_it_is_used(command: str, terminal: Terminal) -> None:
    result = terminal.run(command, "--help")
    assert result.code == 0
    assert f"kubestage {command}" in result.out.partition("Examples")[2]


def test_another_process_prints_the_same_bytes(terminal: Terminal) -> None:
    small_cluster()
    code = "from kubestage import cli; cli.main()"
    options = ["run", "cluster.json", "-o", "json", "--detail", "full", "--seed", "5"]
    printed = {
        subprocess.run(
            [sys.executable, "-c", code, *options],
            env=os.environ | {"PYTHONHASHSEED": salt},
            stdout=subprocess.PIPE,
            check=True,
        ).stdout
        for salt in ("1", "2")
    }
    assert printed == {terminal.run(*options).out.encode()}
