"""Why a pod is not on a certain node, and why nobody sought one for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage.testing import make_node, make_pod
from tests.cli import scenarios

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from tests.cli.terminal import Terminal


def explained(
    terminal: Terminal, scenario: Json, *words: str, options: tuple[str, ...] = ()
) -> str:
    scenarios.keep(scenario, *options)
    result = terminal.run("explain", "kept", *words)
    assert (result.code, result.err) == (0, "")
    return result.out


def test_a_rejected_node_says_by_whom_and_what_it_passed(terminal: Terminal) -> None:
    out = explained(terminal, scenarios.rivalry(), "late", "--node", "n1")
    assert (
        "\nn1 is rejected by NodeResourcesFit: Insufficient cpu.\n"
        "Passed before: NodeUnschedulable, NodeName, TaintToleration.\n"
        "Preemption does not help: No preemption victims found for incoming pod.\n"
    ) in out


def test_a_node_that_could_have_been_cleared_says_so(terminal: Terminal) -> None:
    out = explained(terminal, scenarios.rivalry(), "vip", "--node", "n2")
    assert "Evicting default/big would help; n1 is taken instead.\n" in out
    assert "n2 is not looked at: an earlier attempt made room on n1" in out


def test_a_worse_node_is_set_beside_the_chosen_one(terminal: Terminal) -> None:
    nodes = [make_node("small", cpu="2"), make_node("large", cpu="8")]
    scenario = scenarios.scenario([*nodes, make_pod("web", cpu="1", memory="1Gi")])
    out = explained(terminal, scenario, "web", "--node", "small")
    assert "small is feasible, with 435 points number 2 of 2; large has 463.\n" in out
    table = out.partition("\n\nPLUGIN")[2].splitlines()
    assert table[0].split() == ["small", "large", "DIFFERENCE"]
    assert table[1].split() == ["NodeResourcesFit", "71/71/71", "90/90/90", "-19"]
    assert "small is the chosen one" not in out
    assert (
        "large is the chosen one.\n"
        in terminal.run("explain", "kept", "web", "--node", "large").out
    )


def test_a_node_that_came_later_was_not_there(terminal: Terminal) -> None:
    scenario = scenarios.scenario([make_node("n1"), make_pod("web")], [make_node("n2")])
    assert "There was no n2 in this step.\n" in explained(terminal, scenario, "web", "--node", "n2")


def test_nodes_beyond_those_that_were_enough_are_not_looked_at(terminal: Terminal) -> None:
    nodes = [make_node(f"n{number:03}") for number in range(150)]
    scenario = scenarios.scenario([*nodes, make_pod("web")])
    out = explained(terminal, scenario, "web", "--node", "n149", options=("--no-controllers",))
    assert "n149 is not looked at: 100 feasible nodes were enough.\n" in out


def test_nodes_that_a_plugin_leaves_out_beforehand_are_not_looked_at(terminal: Terminal) -> None:
    terms = [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["b"]}]}]
    affinity = {
        "nodeAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}
        }
    }
    nodes = [make_node("a"), make_node("b")]
    scenario = scenarios.scenario([*nodes, make_pod("agent", affinity=affinity)])
    out = explained(terminal, scenario, "agent", "--node", "a")
    assert "a is not looked at: NodeAffinity leaves only b.\n" in out


def _gated() -> Json:
    pod = make_pod("idle")
    pod["spec"]["schedulingGates"] = [{"name": "example.com/quota"}]
    return pod


def _claiming() -> Json:
    pod = make_pod("idle")
    pod["spec"]["resourceClaims"] = [{"name": "gpu", "resourceClaimName": "nobodys"}]
    return pod


@pytest.mark.parametrize(
    ("pod", "reason"),
    [
        (_gated(), "waiting for scheduling gates: [example.com/quota]"),
        (
            make_pod("idle", node_name="n1"),
            "it was created on n1, so nothing was decided about it",
        ),
        (
            make_pod("idle", scheduler_name="other"),
            "no profile is called other (there is default-scheduler)",
        ),
        (_claiming(), "it waits for ResourceClaims that are not there"),
    ],
    ids=["gated", "bound", "profile", "claims"],
)
def test_a_pod_that_was_never_tried_says_why(terminal: Terminal, pod: Json, reason: str) -> None:
    out = explained(terminal, scenarios.scenario([make_node("n1"), pod]), "idle")
    lines = out.splitlines()
    assert "0 attempts)" in lines[0]
    told, _, advice = out.partition("\n\n")
    assert told.splitlines()[-1] == f"  {reason}"
    assert bool(advice) == (pod["spec"].get("nodeName") is None)
    asked = terminal.run("explain", "kept", "idle", "--attempt", "1")
    assert (asked.code, "default/idle was never tried" in asked.err) == (2, True)


def test_a_pod_of_a_run_that_failed_before_its_turn_says_so(terminal: Terminal) -> None:
    scenario = scenarios.scenario([make_pod("idle"), scenarios.deletion("Pod", "nobody")])
    scenarios.write(scenario)
    assert terminal.run("run", "scenario.json", "--out", "kept").code == 1
    assert terminal.run("explain", "kept", "idle").out.splitlines()[-1] == (
        '  the run failed before its turn came: event "event-1": pods "nobody" not found'
    )
