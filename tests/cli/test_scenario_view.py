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
    from tests.cli.terminal import Result, Terminal

# The cursor is shown again, goes up a line, and the line is cleared.
CLEARED = "\x1b[?25h\r\x1b[1A\x1b[2K"


def run(terminal: Terminal, *arguments: str, soon: float = 1e-9) -> Result:
    """Run while a person watches to whom everything is slow."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys.stderr, "isatty", lambda: True)
        patch.setenv("TERM", "xterm")
        patch.setenv("COLUMNS", "80")
        patch.setattr(scenario_view, "_SOON_SECONDS", soon)
        patch.setattr(scenario_view, "_REFRESHES", 10**9)
        return terminal.run("run", *arguments)


def lines(drawn: str) -> list[str]:
    """What was drawn, one after the other, without the control sequences."""
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", drawn)
    return [line.strip() for line in re.split(r"[\r\n]+", plain) if line.strip()]


def test_the_line_tells_the_scenario_its_steps_and_its_pods(terminal: Terminal) -> None:
    pods = [create(make_pod(f"p{number}", cpu="1"), 4) for number in range(3)]
    scenarios.write(building.scenario(create(make_node("a", cpu="2")), *pods, done(9), name="slow"))
    shown = lines(run(terminal, "scenario.json").err)
    told = [re.sub(r"[\d,]+ pods/s", "", re.sub(r"━+[╸╺]?━*", "", line)) for line in shown]
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
    shown = lines(run(terminal, "scenario.json").err)
    assert shown
    for line in shown:
        assert len(line) <= 80
        assert re.match(r"a-.*…  .* scheduled  [\d,]+ pods/s$", line)


@pytest.mark.parametrize("output", ["table", "yaml", "json"])
def test_what_is_printed_is_the_same_whoever_watches(output: str, terminal: Terminal) -> None:
    clusters.write("all.json", scenarios.rivalry(), building.scenario(done(), name="next"))
    watched = run(terminal, "all.json", "-o", output)
    assert "story" in watched.err
    assert "next" in watched.err
    alone = terminal.run("run", "all.json", "-o", output)
    assert (alone.err, alone.out) == ("", watched.out)


def test_what_is_over_in_a_moment_draws_nothing(terminal: Terminal) -> None:
    scenarios.write(scenarios.rivalry())
    assert run(terminal, "scenario.json", soon=1e9).err == ""


def test_an_event_without_a_step_is_not_in_the_way(terminal: Terminal) -> None:
    scenarios.write(building.scenario({"operation": "Create"}))
    result = run(terminal, "scenario.json")
    assert result.code == 1
    assert "must be given, not none" in result.err


def test_the_line_is_taken_away_before_an_error_is_told(terminal: Terminal) -> None:
    web = create(make_pod("web"), 1)
    clusters.write_plugin(
        """\
        class Bad:
            name = "Bad"
            def __init__(self, args, handle):
                pass
            def filter_node(self, state, pod, node):
                return 1 / 0
        """
    )
    clusters.write_config(clusters.enabling("Bad"))
    scenarios.write(building.scenario(create(make_node("a")), web, done(2)))
    options = ("--config", "scheduler.yaml", "--plugin", "mine.py:Bad")
    drawn, cleared, told = run(terminal, "scenario.json", *options).err.partition(CLEARED)
    assert "step 1 (2 of 3)" in drawn
    assert cleared
    assert lines(told) == ["Error: mine.py:6: ZeroDivisionError: division by zero"]
