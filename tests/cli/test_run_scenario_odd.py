"""Scenarios that are odd and sound: they are run, and kept with all that a report has."""

from __future__ import annotations

import json
import pathlib
from typing import TYPE_CHECKING

import pytest

from kubestage.runs.inputs import plain_nodes
from kubestage.testing import make_node, make_pod
from tests.cli import scenarios
from tests.scenario import building
from tests.scenario.building import create, done

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from tests.cli.terminal import Terminal


A, WEB = create(make_node("a")), create(make_pod("web"))
ODD: dict[str, tuple[Json, list[str], str]] = {
    "done before all else": (building.scenario(done(), {**A, "step": 1}), ["0"], "0 pods. "),
    "done several times": (
        building.scenario(A, done(), WEB, {**done(1), "id": "again"}),
        ["0"],
        "1 pod: 1 scheduled. ",
    ),
    "no node": (building.scenario(WEB, done()), ["0"], "1 pod: 1 pending. Nodes used: 0 of 0."),
    "nothing but an end": (building.scenario(done()), ["0"], "0 pods. Nodes used: 0 of 0."),
    "the last of all steps": (
        building.scenario(A, {**WEB, "step": 2**31 - 1}, done(2**31 - 1)),
        ["0", "2147483647"],
        "1 pod: 1 scheduled. ",
    ),
    "the last of all steps, in time": (
        building.scenario(A, {**WEB, "step": 2**31 - 1}, done(2**31 - 1), step_duration="1s"),
        ["0", "2147483647"],
        "1 pod: 1 scheduled. ",
    ),
    "an id in signs of elsewhere": (
        building.scenario({**A, "id": "☃ 雪"}, WEB, done()),
        ["0"],
        "1 pod: 1 scheduled. ",
    ),
}
ODD |= {
    f"steps of {duration}": (
        building.scenario(A, WEB, done(3), step_duration=duration),
        ["0", "3"],
        "1 pod: 1 scheduled. ",
    )
    for duration in ("0s", "1ns", "100h")
}

AFTER_DONE = ("done before all else", "done several times")


@pytest.mark.parametrize("name", ODD)
def test_what_is_odd_is_run_and_kept(name: str, terminal: Terminal) -> None:
    scenario, steps, total = ODD[name]
    scenarios.write(scenario)
    result = terminal.run("run", "scenario.json", "--out", "kept")
    assert result.code == 0
    if name in AFTER_DONE:
        assert "never run" in result.err
    elif name == "no node":
        assert result.err == f"Note: {plain_nodes.NO_NODES}\n"
    else:
        assert result.err == ""
    lines = result.out.splitlines()
    waiting = "1 pod pending (Scenario Succeeded)"
    assert lines[0] == f"it: {waiting if 'pending' in total else 'Succeeded'}"
    first = next(at for at, line in enumerate(lines) if line.startswith("STEP")) + 1
    assert [line.split()[0] for line in lines[first : first + len(steps)]] == steps
    assert lines[-2].startswith(total)
    kept = json.loads(pathlib.Path("kept/scenario.json").read_text())
    assert kept["status"]["phase"] == "Succeeded"


def test_pods_whose_resource_claims_are_not_there_are_not_blamed_on_a_profile(
    terminal: Terminal,
) -> None:
    pod = make_pod("idle")
    pod["spec"]["resourceClaims"] = [{"name": "gpu", "resourceClaimName": "nobodys"}]
    scenarios.write(scenarios.scenario([make_node("n1"), pod]))
    out = terminal.run("run", "scenario.json").out
    assert "  default/idle\n    not tried: are all of its ResourceClaims there?\n" in out


def test_events_after_the_done_are_reported_with_their_steps_and_lines(terminal: Terminal) -> None:
    """They are never run, and somebody may have meant them."""
    late = [{**create(make_pod(f"late{i}"), 2 + i), "id": f"late-{i}"} for i in range(4)]
    text = json.dumps(building.scenario(A, WEB, done(1), *late), indent=1)
    pathlib.Path("scenario.json").write_text(text)
    result = terminal.run("run", "scenario.json")
    lines = [text[: text.index(f'"late-{i}"')].count("\n") for i in range(3)]
    assert result.code == 0
    assert result.err == (
        'Note: it: 4 events were never run, because event "done" ends the Scenario in step 1: '
        f'"late-0" (step 2, scenario.json:{lines[0]}), '
        f'"late-1" (step 3, scenario.json:{lines[1]}), '
        f'"late-2" (step 4, scenario.json:{lines[2]}) and 1 more; '
        "move the Done to the last step to have them run\n"
    )
