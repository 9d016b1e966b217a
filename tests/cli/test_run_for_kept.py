"""``run --for --out`` keeps a living run, and other commands open it."""

from __future__ import annotations

import json
import pathlib
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from kubestage.testing import make_deployment, make_node
from tests.cli import clusters, scenarios
from tests.cli.test_run_out import pods

if TYPE_CHECKING:
    from tests.cli.terminal import Result, Terminal

FILES = {"life.json", "run.json", "report.html", "inputs", "tables"}


@pytest.fixture(autouse=True)
def _without_charts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Charts take their time, and are looked at elsewhere."""
    monkeypatch.setattr("kubestage.results.report.drawings.NEEDED", ("no_such_library",))


def _write(replicas: int = 2) -> None:
    web = make_deployment("web", replicas=replicas, cpu="500m")
    clusters.write("cluster.json", make_node("a", cpu="4"), web)


def _keep(terminal: Terminal, out: str = "kept", *more: str) -> Result:
    _write(replicas=3 if out == "more" else 2)
    return terminal.run("run", "cluster.json", "--for", "10m", "--out", out, *more)


def _names(path: str) -> set[str]:
    return {each.name for each in pathlib.Path(path).iterdir()}


def test_a_living_run_is_kept_and_its_report_is_named(terminal: Terminal) -> None:
    result = _keep(terminal)
    assert (result.code, result.err) == (0, "")
    assert result.out.endswith("\nKept in kept: open kept/report.html\n")
    assert _names("kept") == FILES
    assert "deployment/default/web   0.33            " in result.out
    life = json.loads(pathlib.Path("kept/life.json").read_text())
    assert life["seconds"] == 600


def test_the_manifests_are_kept_so_that_the_run_can_be_repeated(terminal: Terminal) -> None:
    clusters.write("v2.json", make_deployment("web", replicas=4, cpu="500m"))
    first = _keep(terminal, "kept", "--at", "5m=v2.json", "--seed", "3")
    again = terminal.run(
        *("run", "kept/inputs/manifests.yaml", "--for", "10m", "--seed", "3", "--out", "again"),
        *("--at", "5m=kept/inputs/later-1.yaml"),
    )
    assert again.out == first.out.replace("kept", "again")
    for name in ("life.json", "run.json", "report.html", "inputs/manifests.yaml"):
        kept, repeated = (pathlib.Path(each, name).read_bytes() for each in ("kept", "again"))
        assert kept == repeated
    told: dict[str, Any] = json.loads(pathlib.Path("kept/run.json").read_text())
    assert (told["seed"], told["duration"]) == (3, "10m0s")
    assert told["later"] == [["5m0s", "later-1.yaml"]]
    [node, web] = yaml.safe_load_all(pathlib.Path("kept/inputs/manifests.yaml").read_text())
    assert (node["kind"], web["spec"]["replicas"]) == ("Node", 2)


def test_the_summary_is_in_the_data(terminal: Terminal) -> None:
    told = json.loads(_keep(terminal, "kept", "-o", "json").out)
    assert told["summary"]["workloads"][0]["workload"] == "deployment/default/web"
    assert told["summary"]["nodeHours"] == pytest.approx(1 / 6, abs=1e-5)


def test_a_run_without_traffic_or_autoscalers_prints_no_sums_unless_it_is_kept(
    terminal: Terminal,
) -> None:
    _write()
    result = terminal.run("run", "cluster.json", "--for", "10m", "-o", "json")
    assert json.loads(result.out)["summary"]["health"]["workloads"][0]["everReady"]
    assert "REPLICA-HOURS" not in terminal.run("run", "cluster.json", "--for", "10m").out


def test_analyze_tells_the_summary_and_every_table(terminal: Terminal) -> None:
    _keep(terminal)
    summary = terminal.run("analyze", "kept")
    assert summary.out.startswith("A living cluster, 10m0s, seed 0\n")
    assert "REPLICA-HOURS" in summary.out
    table = terminal.run("analyze", "kept", "replicas", "-o", "csv")
    assert table.out == pathlib.Path("kept/tables/replicas.csv").read_text()
    rows = json.loads(terminal.run("analyze", "kept", "replicas", "-o", "json").out)
    assert rows[-1]["active"] == 2
    assert terminal.run("analyze", "kept", "health", "-o", "json").out == "[]\n"
    reasons = terminal.run("analyze", "kept", "events", "-o", "csv").out
    assert "Scheduled" in reasons
    missing = terminal.run("analyze", "kept", "requests")
    assert (missing.code, missing.out) == (2, "")
    assert "kept: nothing was recorded of requests" in missing.err


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["analyze", "kept", "pods"], 'unknown WHAT "pods"'),
        (["analyze", "kept", "--step", "1"], "--step: is for Scenarios, which have steps"),
        (["analyze", "kept", "--by", "pod"], "--by: is for Scenarios, which have steps"),
        (["analyze", "kept", "-o", "csv"], "-o csv: is no table"),
        (["compare", "kept", "scenario"], "scenario: living runs and runs of Scenarios cannot"),
        (["compare", "kept", "nowhere"], "kept: is the run of a living cluster"),
    ],
)
def test_what_is_for_scenarios_is_refused(
    arguments: list[str], problem: str, terminal: Terminal
) -> None:
    _keep(terminal)
    scenarios.keep(pods("web"), out="scenario")
    result = terminal.run(*arguments)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith(f"Error: {problem}")
    assert "fix: " in result.err


def test_two_living_runs_are_compared_by_their_summaries(terminal: Terminal) -> None:
    for out in ("kept", "more"):
        _keep(terminal, out)
    result = terminal.run("compare", "kept", "more")
    assert (result.code, result.err) == (0, "")
    lines = result.out.splitlines()
    assert lines[0].split() == ["MEASURE", "kept", "more"]
    rows = {line[:16].strip(): line[16:].split() for line in lines[1:]}
    assert rows["replica-hours"] == ["0.33", "*", "0.50", "(+0.17)"]
    assert list(rows)[:2] == ["below desired", "pending, at most"]
    as_csv = terminal.run("compare", "kept", "more", "-o", "csv").out.splitlines()
    assert as_csv[0] == "measure,subject,run,value,delta,best"
    told = json.loads(terminal.run("compare", "kept", "more", "-o", "json").out)
    [hours] = [each for each in told["measures"] if each["measure"] == "replicaHours"]
    assert hours["best"] == ["kept"]
    worse = terminal.run("compare", "kept", "more", "--fail-if-worse")
    assert worse.code == 1
    assert worse.err == "Error: worse than kept: more: replica-hours 0.50, not 0.33\n"
    assert terminal.run("compare", "more", "kept", "--fail-if-worse").code == 0


def test_runs_of_different_length_are_pointed_out(terminal: Terminal) -> None:
    _keep(terminal)
    terminal.run("run", "cluster.json", "--for", "5m", "--out", "short")
    assert terminal.run("compare", "kept", "short").err == (
        "Note: kept lived for 10m0s, short for 5m0s\n"
    )


def test_a_kept_run_below_manifests_is_passed_over(terminal: Terminal) -> None:
    pathlib.Path("all").mkdir()
    plain = _keep(terminal, "all/kept").out
    pathlib.Path("cluster.json").rename("all/cluster.json")
    again = terminal.run("run", "all", "--for", "10m", "--out", "again").out
    assert again == plain.replace("all/kept", "again")
    alone = terminal.run("run", "all/kept", "--for", "10m")
    assert (alone.code, alone.out) == (2, "")
    assert "all/kept: is a run that was kept, not manifests" in alone.err
    assert "all/kept/inputs/manifests.yaml" in alone.err


def test_a_place_that_will_not_do_is_refused_before_the_run(terminal: Terminal) -> None:
    pathlib.Path("mine").mkdir()
    pathlib.Path("mine/thesis.txt").write_text("mine")
    result = _keep(terminal, "mine")
    assert (result.code, result.out) == (2, "")
    assert "is not empty, and not a run" in result.err


def test_a_living_run_takes_the_place_of_a_scenarios_and_the_other_way_round(
    terminal: Terminal,
) -> None:
    scenarios.keep(pods("web"), out="kept")
    assert _keep(terminal).code == 0
    assert _names("kept") == FILES
    scenarios.write(pods("web"))
    assert terminal.run("run", "scenario.json", "--out", "kept").code == 0
    assert _names("kept") == {"scenario.json", "run.json", "record.sqlite", "report.html"}
