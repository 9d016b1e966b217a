"""A pod of a Scenario is explained while the Scenario is run."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from kubestage.testing import make_node, make_pod
from tests.cli import clusters, scenarios
from tests.scenario import building
from tests.scenario.building import create, delete, done

if TYPE_CHECKING:
    from tests.cli.terminal import Terminal


def test_all_attempts_at_a_pod_are_told_whatever_the_step(terminal: Terminal) -> None:
    late = create(make_node("late", cpu="64"), 1)
    huge = create(make_pod("huge", cpu="32"))
    scenarios.write(building.scenario(create(make_node("a", cpu="4")), huge, late, done(2)))
    out = terminal.run("run", "scenario.json", "--explain", "huge").out
    assert out.startswith(
        "default/huge: Scheduled on late (profile default-scheduler, priority 0, 3 attempts)\n"
    )
    assert "\nAttempt 1: unschedulable\n  0/1 nodes are available: 1 Insufficient cpu." in out
    assert "\nAttempt 2: the same\n" in out
    assert "\nAttempt 3: late is chosen\n" in out


def test_a_pod_that_is_gone_is_told_of_as_it_was(terminal: Terminal) -> None:
    web, gone = create(make_pod("web")), delete(building.POD, "web", 1)
    scenarios.write(building.scenario(create(make_node("a")), web, gone, done(2)))
    result = terminal.run("run", "scenario.json", "--explain", "default/web")
    assert result.code == 0
    assert result.out.startswith("default/web: Scheduled on a ")


def test_machines_get_the_attempts_in_full(terminal: Terminal) -> None:
    scenarios.write(scenarios.rivalry())
    result = terminal.run("run", "scenario.json", "--explain", "vip", "-o", "json")
    told = json.loads(result.out)
    assert told["pod"] == "default/vip"
    assert [each["number"] for each in told["attempts"]] == [3, 5]
    assert told["attempts"][0]["preemption"]["victims"] == ["default/small"]
    assert told["attempts"][1]["selected"] == "n1"


def test_a_failed_scenario_leaves_with_1_all_the_same(terminal: Terminal) -> None:
    gone = delete(building.POD, "nobody", 1)
    scenarios.write(building.scenario(create(make_node("a")), create(make_pod("web")), gone))
    result = terminal.run("run", "scenario.json", "--explain", "web")
    assert (result.code, result.out[:24]) == (1, "default/web: Scheduled o")
    assert result.err == 'Error: it: event "delete-pod-nobody-1": pods "nobody" not found\n'


def test_of_an_unknown_pod_the_nearest_is_named(terminal: Terminal) -> None:
    scenarios.write(scenarios.rivalry())
    result = terminal.run("run", "scenario.json", "--explain", "smal")
    assert (result.code, result.out) == (2, "")
    assert result.err == 'Error: --explain: there is no pod "smal"\n  fix: did you mean small?\n'


def test_a_pod_of_one_of_several_scenarios_is_not_chosen_for_you(terminal: Terminal) -> None:
    first, second = building.scenario(done(), name="a"), building.scenario(done(), name="b")
    clusters.write("all.json", first, second)
    result = terminal.run("run", "all.json", "--explain", "web")
    assert (result.code, result.out) == (2, "")
    assert result.err == (
        "Error: --explain: there are several Scenarios\n"
        "  fix: run the Scenario that has the pod by itself\n"
    )
