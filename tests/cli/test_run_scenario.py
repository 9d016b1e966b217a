"""Scenarios are run step by step, and how each ended is told."""

from __future__ import annotations

import json
import pathlib
import textwrap
from typing import TYPE_CHECKING

import pytest
import yaml

from kubestage.scenario.resource import SCENARIO
from kubestage.testing import make_node, make_pod
from tests.cli import clusters, scenarios
from tests.scenario import building
from tests.scenario.building import create, delete, done

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from tests.cli.terminal import Terminal


NODE = create(make_node("a", cpu="4"))
WHY = (
    "0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: "
    "0/1 nodes are available: 1 Preemption is not helpful for scheduling."
)
VARIABLE = "UPDATE_SCENARIO_RESULTS_STRATEGY"


def story(name: str = "story") -> Json:
    """A pod that fits, one that does not, and the end."""
    huge = create(make_pod("huge", cpu="64"), 1)
    return building.scenario(NODE, create(make_pod("web", cpu="1")), huge, done(2), name=name)


def failing(name: str = "failing") -> Json:
    gone = delete(building.POD, "nobody", 1)
    return building.scenario(NODE, gone, done(2), name=name)


def paused(name: str = "paused") -> Json:
    return building.scenario(NODE, create(make_pod("web", cpu="1")), name=name)


def read(terminal: Terminal, *arguments: str) -> Json:
    result = terminal.run("run", *arguments, "-o", "json")
    assert result.code == 0
    told: Json = json.loads(result.out)
    return told


def test_what_is_pending_comes_first_then_each_step_in_a_row_and_a_sum(terminal: Terminal) -> None:
    scenarios.write(story())
    result = terminal.run("run", "scenario.json")
    assert (result.code, result.err) == (0, "")
    assert result.out == textwrap.dedent(
        f"""\
        story: 1 of 2 pods pending (Scenario Succeeded)

        Without a node (--explain POD tells more):
          default/huge
            {WHY}

        STEP   NODES   CREATED   SCHEDULED   PENDING   ATTEMPTS   CPU     MEMORY
        0      1       1         1           0         1          25.0%   0.0%
        1      1       1         0           1         2          25.0%   0.0%
        2      1       0         0           1         2          25.0%   0.0%

        2 pods: 1 pending, 1 scheduled. Nodes used: 1 of 1. Allocated: cpu 25.0%, memory 0.0%.
        """
    )


def test_of_many_steps_the_last_are_shown_and_the_wide_table_has_all(terminal: Terminal) -> None:
    pods = [create(make_pod(f"p{step}"), step) for step in range(23)]
    scenarios.write(building.scenario(NODE, *pods, done(23)))
    lines = terminal.run("run", "scenario.json").out.splitlines()
    assert [line.split()[0] for line in lines[3:23]] == [str(step) for step in range(4, 24)]
    assert lines[23] == "(4 steps before these: -o wide shows all)"
    wide = terminal.run("run", "scenario.json", "-o", "wide").out.splitlines()
    assert [line.split()[0] for line in wide[3:27]] == [str(step) for step in range(24)]
    assert not any("steps before" in line for line in wide)


def test_machines_get_the_scenario_with_its_status(terminal: Terminal) -> None:
    scenarios.write(story())
    told = read(terminal, "scenario.json")
    assert (told["kind"], told["metadata"]["name"]) == ("Scenario", "story")
    assert told["status"]["phase"] == "Succeeded"
    timeline = told["status"]["scenarioResult"]["timeline"]
    assert [(step, event["operation"]) for step in timeline for event in timeline[step]] == [
        ("0", "Create"),
        ("0", "Create"),
        ("0", "PodScheduled"),
        ("1", "Create"),
        ("1", "PodUnscheduled"),
        ("2", "Done"),
        ("2", "PodUnscheduled"),
    ]
    result = terminal.run("run", "scenario.json", "-o", "yaml")
    assert yaml.safe_load(result.out) == told


def test_several_are_run_in_order_and_told_one_after_the_other(terminal: Terminal) -> None:
    clusters.write("all.json", story("first"), story("second"))
    out = terminal.run("run", "all.json").out
    assert out.index("first: 1 of 2 pods pending") < out.index("\n\nsecond: 1 of 2 pods pending")
    told = read(terminal, "all.json")
    assert told["kind"] == "List"
    assert [each["metadata"]["name"] for each in told["items"]] == ["first", "second"]
    listed = terminal.run("run", "all.json", "-o", "yaml").out
    assert yaml.safe_load(listed) == told


def test_a_scenario_runs_the_same_whatever_runs_before_it(terminal: Terminal) -> None:
    clusters.write("both.json", story("first"), story("second"))
    scenarios.write(story("second"), "second.json")
    options = ("--tie-break", "random", "--detail", "full")
    _, second = read(terminal, "both.json", *options)["items"]
    assert second == read(terminal, "second.json", *options)


@pytest.mark.parametrize("options", [(), ("-o", "wide"), ("-o", "json"), ("-o", "yaml")])
def test_a_failed_scenario_leaves_with_1_and_its_message(
    options: tuple[str, ...], terminal: Terminal
) -> None:
    scenarios.write(failing())
    result = terminal.run("run", "scenario.json", *options)
    problem = 'event "delete-pod-nobody-1": pods "nobody" not found'
    assert (result.code, result.err) == (1, f"Error: failing: {problem}\n")
    if not options:
        assert result.out.startswith(f"failing: Failed\n  {problem}\n\nSTEP")


def test_the_next_one_is_run_after_a_failure_and_all_failures_are_told(terminal: Terminal) -> None:
    clusters.write("all.json", failing("one"), story("two"), failing("three"))
    result = terminal.run("run", "all.json", "-o", "json")
    phases = [each["status"]["phase"] for each in json.loads(result.out)["items"]]
    assert phases == ["Failed", "Succeeded", "Failed"]
    problem = 'event "delete-pod-nobody-1": pods "nobody" not found'
    assert (result.code, result.err) == (1, f"Error: one: {problem}; three: {problem}\n")


def test_a_pod_without_a_node_fails_the_run_on_request(terminal: Terminal) -> None:
    scenarios.write(story())
    assert terminal.run("run", "scenario.json").code == 0
    result = terminal.run("run", "scenario.json", "--require-all")
    assert (result.code, result.err) == (1, "Error: 1 pod without a node\n")
    scenarios.write(paused())
    assert terminal.run("run", "scenario.json", "--require-all").code == 0


def test_a_scenario_without_an_end_is_noted(terminal: Terminal) -> None:
    scenarios.write(paused())
    result = terminal.run("run", "scenario.json")
    assert result.code == 0
    assert result.out.startswith("paused: Paused\n\nSTEP")
    assert result.err == (
        "Note: paused is paused: its events have run, and none of them is a Done; "
        "add events to the file and run it again to go on\n"
    )
    scenarios.write(building.scenario(name="bare"))
    result = terminal.run("run", "scenario.json")
    assert (result.code, result.out) == (0, "bare: Paused\n")
    assert result.err.startswith("Note: bare is paused: it has no events; add events")


def test_those_behind_a_paused_one_are_not_begun(terminal: Terminal) -> None:
    clusters.write("all.json", story("first"), paused(), story("third"), story("fourth"))
    result = terminal.run("run", "all.json")
    assert result.code == 0
    assert result.out.endswith("\n\nthird: Pending\n\nfourth: Pending\n")
    assert result.err.splitlines()[1:] == [
        "Note: third was not started: it waits for paused to end",
        "Note: fourth was not started: it waits for paused to end",
    ]
    items = read(terminal, "all.json", "--detail", "full")["items"]
    assert [each["status"]["phase"] for each in items] == [
        "Succeeded",
        "Paused",
        "Pending",
        "Pending",
    ]
    assert items[2]["status"] == {"phase": "Pending"}


def test_the_newer_draft_is_the_same_run(terminal: Terminal) -> None:
    older = story()
    operations = [
        {key: value for key, value in event.items() if key != "operation"}
        for event in older["spec"]["events"]
    ]
    operations[-1]["doneOperation"] = {}
    scenarios.write(older, "older.json")
    scenarios.write({**older, "spec": {"operations": operations}}, "newer.json")
    assert read(terminal, "newer.json") == read(terminal, "older.json")


def test_what_an_earlier_run_has_made_of_it_does_not_matter(terminal: Terminal) -> None:
    scenarios.write(story())
    told = read(terminal, "scenario.json")
    scenarios.write(told, "again.json")
    assert read(terminal, "again.json") == told


def test_a_scenario_comes_from_standard_input(terminal: Terminal) -> None:
    scenarios.write(story())
    told = terminal.run("run", "-", stdin=json.dumps(story()).encode())
    assert (told.code, told.out) == (0, terminal.run("run", "scenario.json").out)


def test_a_scenario_that_deletes_itself_has_no_known_end(terminal: Terminal) -> None:
    itself = delete(SCENARIO, "it", 1)
    itself["deleteOperation"]["objectMeta"].pop("namespace")
    scenarios.write(building.scenario(NODE, itself, done(2)))
    result = terminal.run("run", "scenario.json", "--out", "kept")
    assert (result.code, result.err) == (1, "Error: it: it was deleted while it ran\n")
    assert result.out.startswith("it: Unknown\n  it was deleted while it ran\n")


def test_a_scenario_that_another_creates_is_not_begun(terminal: Terminal) -> None:
    inner = create(building.scenario(delete(building.NODE, "a"), name="inner"))
    scenarios.write(building.scenario(NODE, inner, create(make_pod("web")), done()))
    told = terminal.run("run", "scenario.json", "--explain", "web")
    assert told.out.startswith("default/web: Scheduled on a ")


def _has_result(told: Json) -> bool:
    return "scenarioResult" in told["status"]


@pytest.mark.parametrize(
    ("strategy", "is_written"),
    [("AtMovingNextStep", True), ("OnPause", True), ("OnDone", False)],
)
def test_a_strategy_says_when_the_result_is_written(
    strategy: str, is_written: bool, terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    scenarios.write(paused())
    told = read(terminal, "scenario.json", "--result-strategy", strategy)
    assert _has_result(told) is is_written
    monkeypatch.setenv(VARIABLE, strategy)
    assert read(terminal, "scenario.json") == told
    other = "OnPause" if strategy == "OnDone" else "OnDone"
    assert _has_result(read(terminal, "scenario.json", "--result-strategy", other)) != is_written


def test_a_result_that_is_written_when_done_is_told(terminal: Terminal) -> None:
    scenarios.write(story())
    result = terminal.run("run", "scenario.json")
    assert terminal.run("run", "scenario.json", "--result-strategy", "OnDone") == result


def test_a_bad_strategy_is_told_with_where_it_comes_from(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    scenarios.write(story())
    fix = "did you mean OnPause? use one of AtMovingNextStep, OnPause, OnDone"
    result = terminal.run("run", "scenario.json", "--result-strategy", "OnPaus")
    assert (result.code, result.out) == (2, "")
    assert result.err == f'Error: unknown result strategy "OnPaus"\n  fix: {fix}\n'
    monkeypatch.setenv(VARIABLE, "OnPaus")
    result = terminal.run("run", "scenario.json")
    assert (result.code, result.out) == (2, "")
    assert result.err == f'Error: unknown {VARIABLE} "OnPaus"\n  fix: {fix}\n'


def _crowd() -> Json:
    """More nodes than the scheduler looks at, written from the last to the first."""
    nodes = [create(make_node(f"n{i}", cpu="4")) for i in reversed(range(150))]
    pods = [create(make_pod(f"p{i}"), 1) for i in range(6)]
    return building.scenario(*nodes, *pods, done(1), name="crowd")


def _nodes_of(text: str) -> dict[str, str]:
    events = json.loads(text)["status"]["scenarioResult"]["timeline"]["1"]
    told = [each["podScheduled"] for each in events if "podScheduled" in each]
    return {each["pod"]["metadata"]["name"]: each["boundTo"] for each in told}


def test_nodes_of_a_step_come_by_name_unless_they_are_to_come_as_written(
    terminal: Terminal,
) -> None:
    backwards = _crowd()
    forwards = {**backwards, "spec": {"events": backwards["spec"]["events"][::-1]}}
    pods = [each for each in backwards["spec"]["events"] if each["step"] == 1]
    forwards["spec"]["events"] = [*forwards["spec"]["events"][-150:], *pods]
    found = {}
    for name, each in (("backwards", backwards), ("forwards", forwards)):
        scenarios.write(each)
        found[name] = _nodes_of(terminal.run("run", "scenario.json", "-o", "json").out)
        written = terminal.run("run", "scenario.json", "-o", "json", "--as-written").out
        found[f"{name}, as written"] = _nodes_of(written)
    assert found["backwards"] == found["forwards"] == found["forwards, as written"]
    assert found["backwards, as written"] != found["backwards"]


@pytest.mark.parametrize("options", [(), ("--as-written",)])
def test_a_kept_run_is_repeated_in_its_own_order(
    options: tuple[str, ...], terminal: Terminal
) -> None:
    """Nothing is said of differences: the run is the same again."""
    scenarios.write(_crowd())
    assert terminal.run("run", "scenario.json", "--out", "kept", *options).code == 0
    result = terminal.run("explain", "kept", "p3", "-o", "json")
    assert (result.code, result.err) == (0, "")
    assert terminal.run("compare", "kept", "kept").code == 0


def test_what_nodes_cost_is_told_at_the_end_and_step_by_step(terminal: Terminal) -> None:
    labels = {"node.kubernetes.io/instance-type": "m5.large"}
    node = create(make_node("a", cpu="4", memory="16Gi", labels=labels))
    pod = create(make_pod("web", cpu="1", memory="4Gi"), 1)
    scenarios.write(building.scenario(node, pod, done(2), name="story"))
    pathlib.Path("prices.csv").write_text("instance_type,price,currency\nm5.large,0.5,EUR\n")
    result = terminal.run("run", "scenario.json", "--prices", "prices.csv", "--out", "kept")
    assert "\nNodes cost €0.50 per hour, 75% of it idle.\n" in result.out
    overview = terminal.run("analyze", "kept").out
    assert "Cost       €0.50 per hour, 75% of it idle\n" in overview
    steps = terminal.run("analyze", "kept", "cost").out.splitlines()
    assert steps[0].split()[:4] == ["STEP", "NODES", "COST-PER-HOUR", "IDLE-RATE"]
    assert [line.split()[:4] for line in steps[1:]] == [
        ["0", "1", "€0.50", "100.0%"],
        ["1", "1", "€0.50", "75.0%"],
        ["2", "1", "€0.50", "75.0%"],
    ]
    shares = terminal.run("analyze", "kept", "cost-shares", "-o", "json").out
    rows = {(row["by"], row["name"]): row["costPerHour"] for row in json.loads(shares)}
    assert rows["namespace", "default"] == 0.125
    page = pathlib.Path("kept/report.html").read_text()
    assert 'id="cost"' in page
    assert 'id="chart-cost"' in page
