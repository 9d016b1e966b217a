"""``kubestage load find-limit``: the limit of a small cluster, refusals, files."""

from __future__ import annotations

import json
import pathlib
from typing import TYPE_CHECKING

import pytest

from kubestage.clusterloader import limit_search
from tests.cli import loads

if TYPE_CHECKING:
    from tests.cli.terminal import Result, Terminal

SURE = ["--seeds", "1", "--confidence", "0.5", "--jobs", "1", "--nodes", "1"]
SLO = ["--slo", "pod-startup-p99<=5s"]


def _search(terminal: Terminal, *words: str) -> Result:
    return terminal.run("load", "find-limit", loads.write(), *SURE, *words)


def test_the_limit_is_how_many_pods_fit(terminal: Terminal) -> None:
    """Where pods do not run, the load meets no goal, however fast the others are."""
    result = _search(
        terminal, *SLO, "--vary", "params.CL2_PODS", "--from", "4", "--node", "cpu=80m",
        "--precision", "0.01", "--report-dir", "out", "--profile", "kubemark",
    )  # fmt: skip
    assert (result.code, result.err) == (0, "")
    lines = result.out.splitlines()
    head = "params.CL2_PODS RUNS MEET REQUESTED/S ACHIEVED/S pod-startup-p99 VERDICT"
    assert lines[0].split() == head.split()
    requested, achieved = (float(rate) for rate in lines[1].split()[3:5])
    assert 9 < achieved <= requested == 10
    assert [line.split()[0] for line in lines[1:5]] == ["4", "5", "8", "9"]
    assert lines[4].split()[-1] == "misses"
    assert (
        "pod-startup-p99<=5s: met up to params.CL2_PODS = 8 with 50% confidence, missed at 9."
        in lines
    )
    assert "At 8 the load lasts 0.7s, and the backlog does not grow at its end." in lines
    assert any(line.startswith("At 9 a run failed: ") for line in lines)
    assert lines[-1] == "Report: out"
    kept = json.loads(pathlib.Path("out/limit.json").read_text())
    assert (kept["limit"], kept["above"], kept["monotonic"]) == (8, 9, True)
    assert pathlib.Path("out/limit.html").exists()


def test_processes_come_to_the_same_as_one_after_the_other(terminal: Terminal) -> None:
    words = ["load", "find-limit", loads.write(), *SLO, "--vary", "tuningSets.Uniform.qps"]
    words += ["--from", "50", "--to", "100", "--seeds", "2", "--confidence", "0.75", "-o", "json"]
    words += ["--nodes", "1"]
    in_turn, at_once = (terminal.run(*words, "--jobs", jobs).out for jobs in ("1", "2"))
    assert in_turn == at_once
    found = json.loads(at_once)
    assert (found["limit"], found["above"]) == (100, None)
    first, second = found["points"][0]["runs"]
    assert (first["seed"], second["seed"]) == (0, 1)
    assert first["values"] != second["values"]


def test_a_goal_that_even_the_lowest_load_misses(terminal: Terminal) -> None:
    slo = ["--slo", "pod-startup-p99<=1ms"]
    result = _search(terminal, *slo, "--vary", "tuningSets.Uniform.qps", "--from", "1")
    assert result.code == 1
    assert "Even tuningSets.Uniform.qps = 1 misses pod-startup-p99<=1ms." in result.out


def test_a_load_on_which_seeds_disagree_is_run_again_and_is_neither_met_nor_missed(
    terminal: Terminal,
) -> None:
    words = ["load", "find-limit", loads.write(), "--vary", "tuningSets.Uniform.qps", "--jobs", "1"]
    words += ["--from", "10", "--to", "10", "--nodes", "1", "-o", "json"]
    six = terminal.run(*words, *SLO, "--seeds", "6", "--confidence", "0.5").out
    values = [run["values"]["pod-startup-p99"] for run in json.loads(six)["points"][0]["runs"]]
    goal = next(each for each in sorted(values) if _is_undecided([at <= each for at in values]))
    unsure = terminal.run(
        *words, "--slo", f"pod-startup-p99<={goal}s", "--seeds", "2", "--confidence", "0.75"
    )
    assert unsure.code == 1
    found = json.loads(unsure.out)
    assert (found["limit"], found["above"], found["unsure"]) == (None, None, [10])
    assert found["points"][0]["verdict"] == "unsure"
    assert len(found["points"][0]["runs"]) == 6


def _is_undecided(met: list[bool]) -> bool:
    return all(limit_search.verdict(sum(met[:n]), n, 0.75) is None for n in (2, 4, 6))


REFUSED: dict[str, tuple[list[str], str]] = {
    "prices": (
        [*SLO, "--vary", "x", "--prices", "aws-us-east-1"],
        "a search for a limit reports no cost",
    ),
    "no goal": (["--vary", "x"], "Missing option '--slo'"),
    "no path": (SLO, "Missing option '--vary'"),
    "bad goal": (["--slo", "x<=y", "--vary", "name"], "--slo: "),
    "not measured": (["--slo", "scheduling-throughput>=1", "--vary", "name"], "does not mention"),
    "bad path": ([*SLO, "--vary", "tuningSets.Uniform.qqps"], "did you mean qps?"),
    "few seeds": ([*SLO, "--vary", "x", "--confidence", "0.9"], "fix: write --seeds 4"),
    "confidence": ([*SLO, "--vary", "x", "--confidence", "2"], "--confidence: 2 is no confidence"),
    "precision": ([*SLO, "--vary", "x", "--precision", "0"], "--precision: 0 is no precision"),
    "below": ([*SLO, "--vary", "x", "--from", "5", "--to", "4"], "--to: 4 is below 5"),
    "nothing": ([*SLO, "--vary", "x", "--from", "0"], "--from: 0 is no load"),
    "unset": ([*SLO, "--vary", "params.CL2_X"], "nothing says what CL2_X is\n  fix: say where"),
}


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case.replace(" ", "-"))
def test_what_is_wrong_is_told(case: str, terminal: Terminal) -> None:
    words, expected = REFUSED[case]
    result = _search(terminal, *words)
    assert (result.code, result.out) == (2, "")
    assert expected in result.err
