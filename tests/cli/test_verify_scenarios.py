"""Scenarios of the controllers are played, compared, and every difference is told."""

from __future__ import annotations

import gzip
import json
import pathlib
import textwrap
from typing import TYPE_CHECKING

import pytest

from tests.cli import recordings

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from tests.cli.terminal import Terminal


def recorded(name: str = "gc-small", topic: str = "garbage-collection") -> Json:
    """A ConfigMap that is made, and one that cannot be."""
    manifest = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}
    refusal = {
        "code": 409,
        "reason": "AlreadyExists",
        "message": 'configmaps "a" already exists',
        "causes": [],
    }
    namespace = {
        "labels": {"kubernetes.io/metadata.name": "$NS"},
        "spec": {"finalizers": ["kubernetes"]},
        "status": {"phase": "Active"},
    }
    state = {"ConfigMap": {"a": {"created_in_step": 0}}, "Namespace": {"$NS": namespace}}
    made = {"operation": [{"op": "create", "manifest": manifest}], "state": state}
    return {
        "name": name,
        "topic": topic,
        "kubelet": "serial",
        "kubelet_quiet_seconds": 0.35,
        "nodes": ["n1"],
        "steps": [
            {**made, "events": [], "trace": {}},
            {**made, "events": [], "trace": {}, "errors": [refusal]},
        ],
    }


def write(*scenarios: Json, path: str = "scenarios.json") -> None:
    data = json.dumps(scenarios).encode()
    pathlib.Path(path).write_bytes(gzip.compress(data) if path.endswith(".gz") else data)


def odd() -> Json:
    scenario = recorded("gc-odd")
    scenario["steps"][1]["errors"][0]["code"] = 500
    return scenario


@pytest.mark.parametrize("path", ["scenarios.json", "scenarios.json.gz"])
def test_identical_scenarios_are_counted_and_leave_with_0(path: str, terminal: Terminal) -> None:
    write(recorded("gc-a"), recorded("gc-b"), recorded("ns", "namespace"), path=path)
    result = terminal.run("verify", path)
    assert (result.code, result.err) == (0, "")
    assert result.out == textwrap.dedent(
        """\
        TOPIC                SCENARIOS   STEPS   IDENTICAL   DIFFERENT
        garbage-collection   2           4       2           0
        namespace            1           2       1           0
        total                3           6       3           0

        scenarios: 3/3 identical
        """
    )


def test_a_difference_is_told_in_full_and_leaves_with_1(terminal: Terminal) -> None:
    write(recorded(), odd())
    result = terminal.run("verify", "scenarios.json")
    assert result.code == 1
    assert result.out.endswith(
        textwrap.dedent(
            """\
            Difference in scenarios.json
              at:        gc-odd, step 1
              field:     errors 0/code
              expected:  500
              got:       409

            scenarios: 1/2 identical
            """
        )
    )


def test_more_differences_are_printed_on_request(terminal: Terminal) -> None:
    scenario = odd()
    scenario["steps"][0]["state"]["ConfigMap"]["a"]["labels"] = {"x": "y"}
    write(scenario)
    first = terminal.run("verify", "scenarios.json").out
    assert "3 fields differ, the first 1 are shown: --differences 3 prints all" in first
    every = terminal.run("verify", "scenarios.json", "--differences", "3").out
    assert every.count("Difference in") == 3
    assert '  field:     state ConfigMap/a/labels\n  expected:  {"x": "y"}\n' in every


def test_machines_read_json(terminal: Terminal) -> None:
    write(odd())
    result = terminal.run("verify", "scenarios.json", "-o", "json")
    assert result.code == 1
    told = json.loads(result.out)
    assert (told["scenarios"], told["identicalScenarios"], told["identicalTraces"]) == (1, 0, 1)
    assert told["topics"] == {"garbage-collection": {"scenarios": 1, "steps": 2, "identical": 0}}
    (difference,) = told["differences"]
    assert difference == {
        "file": "scenarios.json",
        "scenario": "gc-odd",
        "step": 1,
        "kind": "errors",
        "path": "0/code",
        "expected": 500,
        "got": 409,
    }


def test_cases_of_the_scheduler_and_scenarios_go_together(terminal: Terminal) -> None:
    recordings.write(recordings.recorded(), "case.json")
    write(odd())
    result = terminal.run("verify", ".")
    assert result.code == 1
    lines = result.out.splitlines()
    assert lines[0].startswith("CATEGORY")
    assert "decisions: 2/2 identical" in lines
    assert lines[-1] == "scenarios: 0/1 identical"
    told = json.loads(terminal.run("verify", ".", "-o", "json").out)
    assert (told["decisions"], told["scenarios"], told["differentFields"]) == (2, 1, 1)


def test_a_bad_scenario_is_told_exactly(terminal: Terminal) -> None:
    scenario = recorded()
    scenario["steps"][0]["operation"] = [{"op": "create"}]
    write(scenario)
    result = terminal.run("verify", "scenarios.json")
    assert result.err == "Error: scenarios.json: gc-small: operation create lacks manifest\n"
    assert (result.code, result.out) == (2, "")


def test_a_scenario_without_its_fields_is_told_exactly(terminal: Terminal) -> None:
    scenario = recorded()
    del scenario["kubelet"]
    write(scenario)
    result = terminal.run("verify", "scenarios.json")
    assert result.err == (
        "Error: scenarios.json: Object missing required field kubelet - at $[0]\n"
        "  fix: a list of recorded scenarios is expected, each with its steps\n"
    )
    assert result.code == 2
