"""ClusterLoader2's own tests run as they are, from their first step to an empty cluster."""

from __future__ import annotations

import json
import pathlib
import sqlite3
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.cli.terminal import Terminal

HERE = pathlib.Path(__file__).parents[3] / "shared" / "data" / "clusterloader2"
pytestmark = pytest.mark.skipif(
    not HERE.exists(),
    reason="ClusterLoader2's files, never committed, are not beside the repository",
)


def _run(terminal: Terminal, file: str, nodes: int, *more: str) -> tuple[int, dict[str, Any]]:
    config = str(HERE / file)
    result = terminal.run("load", config, "--nodes", str(nodes), "-o", "json", *more)
    [test] = json.loads(result.out)["tests"]
    return result.code, test


def _samples(test: dict[str, Any], name: str) -> list[int]:
    return [each["samples"] for each in test["verdicts"] if each["name"] == name]


@pytest.mark.parametrize(
    ("name", "nodes", "steps", "pods"),
    [
        ("pod-startup-latency", 100, 8, [30]),
        ("node-throughput", 100, 8, [100]),
        ("density", 20, 14, [600, 500]),
        ("load", 2, 17, [100]),
    ],
)
def test_it_passes_and_every_pod_is_measured(
    terminal: Terminal, name: str, nodes: int, steps: int, pods: list[int]
) -> None:
    code, test = _run(terminal, f"{name}/config.yaml", nodes)
    assert (code, test["errors"]) == (0, [])
    assert len(test["steps"]) == steps
    assert _samples(test, "pod_startup p99") == pods


def test_jobs_run_to_completion(terminal: Terminal) -> None:
    code, test = _run(terminal, "batch/config.yaml", 20, "--report-dir", "out")
    assert (code, test["errors"]) == (0, [])
    [file] = pathlib.Path("out").glob("JobLifecycleLatency_*.json")
    items = json.loads(file.read_text())["dataItems"]
    assert {each["labels"]["Metric"] for each in items} == {"create_to_start", "start_to_complete"}
    assert all(each["data"]["Perc99"] > 0 for each in items)


def test_the_limit_of_clients_holds_back_the_throughput(terminal: Terminal) -> None:
    """The file wants 400 pods a second; the one client of 100 nodes makes 100 calls a second."""
    code, test = _run(terminal, "scheduler-throughput/config.yaml", 100)
    assert code == 1
    [error] = test["errors"]
    assert "lower than threshold 400" in error
    assert _samples(test, "pod_startup p99") == [5000]


def test_a_hundred_nodes_are_loaded_and_left_empty(terminal: Terminal) -> None:
    code, test = _run(terminal, "load/config.yaml", 100, "--report-dir", "out")
    assert (code, test["errors"]) == (0, [])
    assert len(test["steps"]) == 29
    created = _samples(test, "pod_startup p99")
    assert created[:2] == [1000, 500]
    assert created[2] > 3000
    names = {path.name.partition("_")[0] for path in pathlib.Path("out").iterdir()}
    assert {"PodStartupLatency", "APIResponsivenessPrometheus", "SchedulingThroughput"} <= names
    with sqlite3.connect("out/load.sqlite") as rows:
        ended = rows.execute(
            "SELECT verb, count(DISTINCT name) FROM calls WHERE kind = 'Namespace'"
            " AND name LIKE 'test-%' GROUP BY verb"
        )
        assert dict(ended) == {"create": 2, "delete": 2}
