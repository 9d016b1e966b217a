"""A line tells how far Scenarios are, to a person who has to wait and to nobody else."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

import pytest

from kubestage.cli import scenario_view
from kubestage.testing import make_node, make_pod
from tests.cli import clusters, scenarios
from tests.scenario import building
from tests.scenario.building import create, done

if TYPE_CHECKING:
    from tests.cli.terminal import Terminal

SOON = "_SOON_SECONDS"


@pytest.fixture(autouse=True)
def _person(monkeypatch: pytest.MonkeyPatch) -> None:
    """A person watches, to whom everything is slow."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(scenario_view, SOON, 1e-9)
    monkeypatch.setattr(scenario_view, "_REFRESHES", 10**9)


def lines(drawn: str) -> list[str]:
    """What was drawn, one after the other, without the control sequences."""
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", drawn)
    return [line.strip() for line in re.split(r"[\r\n]+", plain) if line.strip()]


def test_the_line_tells_the_scenario_its_steps_and_its_pods(terminal: Terminal) -> None:
    pods = [create(make_pod(f"p{number}", cpu="1"), 4) for number in range(3)]
    scenarios.write(building.scenario(create(make_node("a", cpu="2")), *pods, done(9), name="slow"))
    shown = lines(terminal.run("run", "scenario.json").err)
    told = [re.sub(r"[\d,]+ attempts/s", "", re.sub(r"━+[╸╺]?━*", "", line)) for line in shown]
    assert list(dict.fromkeys(" ".join(line.split()) for line in told)) == [
        "slow step 0 (1 of 3) 0 scheduled",
        "slow step 4 (2 of 3) 0 scheduled",
        "slow step 4 (2 of 3) 2 scheduled",
        "slow step 9 (3 of 3) 2 scheduled",
    ]


def test_the_line_fits_a_narrow_terminal(terminal: Terminal) -> None:
    name = "a-name-that-somebody-has-thought-of-for-quite-some-time-and-then-a-little-longer"
    pods = [create(make_pod("p"), 2**31 - 1), done(2**31 - 1)]
    scenarios.write(building.scenario(create(make_node("a")), *pods, name=name))
    shown = lines(terminal.run("run", "scenario.json").err)
    assert shown
    assert all(len(line) <= 80 and "attempts/s" in line for line in shown)


@pytest.mark.parametrize("output", ["table", "yaml", "json"])
def test_what_is_printed_is_the_same_whoever_watches(
    output: str, terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    clusters.write("all.json", scenarios.rivalry(), building.scenario(done(), name="next"))
    watched = terminal.run("run", "all.json", "-o", output)
    assert "story" in watched.err
    assert "next" in watched.err
    monkeypatch.setattr(sys.stderr, "isatty", lambda: False)
    alone = terminal.run("run", "all.json", "-o", output)
    assert (alone.err, alone.out) == ("", watched.out)


def test_what_is_over_in_a_moment_draws_nothing(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scenario_view, SOON, 1e9)
    scenarios.write(scenarios.rivalry())
    assert terminal.run("run", "scenario.json").err == ""


def test_an_event_without_a_step_is_not_in_the_way(terminal: Terminal) -> None:
    scenarios.write(building.scenario({"operation": "Create"}))
    result = terminal.run("run", "scenario.json")
    assert result.code == 1
    assert "must be given, not none" in result.err


def test_the_line_is_taken_away_after_an_error(terminal: Terminal) -> None:
    clusters.write("all.json", make_node("a"), make_node("a"), building.scenario(done(), name="it"))
    result = terminal.run("run", "all.json")
    assert result.code == 2
    # The cursor is shown again before the error is told.
    assert "\x1b[?25h" in result.err.partition("Error:")[0] or "\x1b" not in result.err
