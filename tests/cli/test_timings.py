"""``--timings`` and ``--profile``: how long scheduling takes, in a run and beside others."""

from __future__ import annotations

import csv
import io
import json
import pathlib
from typing import TYPE_CHECKING

import pytest

from kubestage.results import timings
from kubestage.testing import make_deployment, make_node, make_pod
from tests.cli import clusters
from tests.scenario import building
from tests.scenario.building import create, done

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from tests.cli.terminal import Terminal


TWO_PROFILES = """\
    profiles:
    - schedulerName: default-scheduler
    - schedulerName: packing
      pluginConfig:
      - name: NodeResourcesFit
        args: {scoringStrategy: {type: MostAllocated}}
    """
SLOW = """\
extends: instant
name: slow
scheduler:
  attempt: 10ms
  binding: 90ms
"""


@pytest.fixture(autouse=True)
def _without_charts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Charts take their time, and are looked at elsewhere."""
    monkeypatch.setattr("kubestage.results.report.drawings.NEEDED", ("no_such_library",))


@pytest.fixture(autouse=True)
def _inputs(terminal: Terminal) -> None:
    """A Scenario with pods of two profiles, one of which fits nowhere."""
    del terminal
    packed = make_pod("packed", cpu="1")
    packed["spec"]["schedulerName"] = "packing"
    scenario = building.scenario(
        *(create(make_node(f"n{number}", cpu="4")) for number in range(3)),
        *(create(make_pod(f"p{number}", cpu="1"), 1) for number in range(5)),
        create(packed, 1),
        create(make_pod("giant", cpu="64"), 2),
        done(3),
        name="two",
    )
    clusters.write("scenario.json", scenario)
    clusters.write_config(TWO_PROFILES)
    pathlib.Path("slow.yaml").write_text(SLOW)


RUN = ("run", "scenario.json", "--config", "scheduler.yaml")


def files(path: str, *, without: tuple[str, ...] = ()) -> dict[str, bytes]:
    found = pathlib.Path(path)
    return {each.name: each.read_bytes() for each in found.iterdir() if each.name not in without}


def rows(text: str) -> dict[tuple[str, ...], Json]:
    keys = ("profile", "part", "extensionPoint", "plugin", "result")
    return {tuple(row[key] or "" for key in keys): row for row in json.loads(text)}


def test_measured_times_are_in_files_of_their_own_and_in_no_other(terminal: Terminal) -> None:
    assert terminal.run(*RUN, "--out", "plain").code == 0
    for name in ("first", "second"):
        assert terminal.run(*RUN, "--timings", "--out", name).code == 0
    own = (timings.FILE, timings.PAGE)
    assert files("first", without=own) == files("second", without=own) == files("plain")
    assert set(own) <= set(files("first"))


def test_a_later_run_without_timings_leaves_none_of_the_earlier_one(terminal: Terminal) -> None:
    assert terminal.run(*RUN, "--timings", "--out", "kept").code == 0
    assert terminal.run(*RUN, "--out", "kept").code == 0
    assert not {timings.FILE, timings.PAGE} & set(files("kept"))


def test_every_attempt_point_and_plugin_of_every_profile_is_measured(terminal: Terminal) -> None:
    result = terminal.run(*RUN, "--timings", "--out", "kept")
    assert "TIME (measured)" in result.out
    found = rows(terminal.run("analyze", "kept", "timings", "-o", "json").out)
    attempts = found["default-scheduler", "attempt", "", "", "scheduled"]
    assert attempts["count"] == 5
    assert found["default-scheduler", "attempt", "", "", "unschedulable"]["count"] >= 1
    assert found["packing", "attempt", "", "", "scheduled"]["count"] == 1
    assert found["packing", "plugin", "Filter", "NodeResourcesFit", ""]["count"] == 1
    assert attempts["total"] > 0
    assert 0 < attempts["p50"] <= attempts["p90"] <= attempts["p99"] <= attempts["max"]
    assert attempts["mean"] == pytest.approx(attempts["total"] / 5)


def test_a_control_plane_gives_the_same_durations_every_time(terminal: Terminal) -> None:
    for name in ("first", "second"):
        assert terminal.run(*RUN, "--profile", "gce-100", "--out", name).code == 0
    assert files("first") == files("second")
    assert timings.read("first").source == timings.MODELLED
    assert "Timings" in pathlib.Path("first/report.html").read_text()
    assert (
        json.loads(pathlib.Path("first/run.json").read_text())["controlPlane"]["name"] == "gce-100"
    )


def test_a_control_plane_decides_nothing_in_a_scenario(terminal: Terminal) -> None:
    assert terminal.run(*RUN, "--out", "plain").code == 0
    assert terminal.run(*RUN, "--profile", "gce-100", "--out", "modelled").code == 0
    for name in ("scenario.json", "record.sqlite"):
        assert files("plain")[name] == files("modelled")[name]


def test_a_profile_of_ones_own_says_how_long_what_takes(terminal: Terminal) -> None:
    assert terminal.run(*RUN, "--profile", "slow.yaml", "--out", "kept").code == 0
    found = rows(terminal.run("analyze", "kept", "timings", "-o", "json").out)
    attempts = found["default-scheduler", "attempt", "", "", "scheduled"]
    assert attempts["mean"] == pytest.approx(0.1)
    assert found["packing", "extensionPoint", "Bind", "", ""]["mean"] == pytest.approx(0.09)
    pathlib.Path("slow.yaml").write_text(f"{SLOW}  plugins: {{NodeResourcesFit: 5}}\n")
    assert terminal.run(*RUN, "--profile", "slow.yaml", "--out", "kept").code == 0
    found = rows(terminal.run("analyze", "kept", "timings", "-o", "json").out)
    fit = found["packing", "plugin", "Filter", "NodeResourcesFit", ""]["mean"]
    name = found["packing", "plugin", "Filter", "NodeName", ""]["mean"]
    assert fit == pytest.approx(5 * name, rel=1e-4)
    slower = found["default-scheduler", "attempt", "", "", "scheduled"]
    assert slower["mean"] > attempts["mean"]


def test_a_living_cluster_takes_the_time_of_its_control_plane(terminal: Terminal) -> None:
    nodes = [make_node(f"n{number}", cpu="4") for number in range(3)]
    clusters.write("cluster.json", *nodes, make_deployment("web", replicas=5, cpu="1"))
    run = ("run", "cluster.json", "--for", "1m", "--profile", "default")
    for name in ("first", "second"):
        assert terminal.run(*run, "--out", name).code == 0
    assert files("first", without=("inputs", "tables")).keys() >= {timings.FILE, "life.json"}
    assert files_of("first") == files_of("second")
    found = rows(terminal.run("analyze", "first", "timings", "-o", "json").out)
    assert found["default-scheduler", "attempt", "", "", "scheduled"]["count"] == 5
    assert found["default-scheduler", "attempt", "", "", "scheduled"]["mean"] > 0.001
    result = terminal.run("compare", "first", "second", "-o", "json")
    assert result.code == 0
    assert json.loads(result.out)["timings"]


def files_of(path: str) -> dict[str, bytes]:
    place = pathlib.Path(path)
    return {
        str(each.relative_to(place)): each.read_bytes()
        for each in place.rglob("*")
        if each.is_file()
    }


@pytest.mark.parametrize("output", ["table", "wide", "csv", "json"])
def test_the_table_comes_in_every_format(output: str, terminal: Terminal) -> None:
    assert terminal.run(*RUN, "--profile", "slow.yaml", "--out", "kept").code == 0
    result = terminal.run("analyze", "kept", "timings", "-o", output)
    assert (result.code, result.err) == (0, "")
    if output == "csv":
        named = next(csv.reader(io.StringIO(result.out)))
        assert named[-7:] == ["count", "total", "mean", "p50", "p90", "p99", "max"]
    elif output != "json":
        assert "NodeResourcesFit" in result.out
        assert "100ms" in result.out


def test_runs_with_timings_are_compared_side_by_side(terminal: Terminal) -> None:
    assert terminal.run(*RUN, "--profile", "slow.yaml", "--out", "slow").code == 0
    faster = SLOW.replace("10ms", "5ms").replace("90ms", "45ms")
    pathlib.Path("fast.yaml").write_text(faster)
    assert terminal.run(*RUN, "--profile", "fast.yaml", "--out", "fast").code == 0
    result = terminal.run("compare", "slow", "fast")
    assert result.code == 0
    assert "50.0ms (0.50x)" in result.out
    told = json.loads(terminal.run("compare", "slow", "fast", "-o", "json").out)
    ratios = {row["ratio"] for row in told["timings"] if row["run"] == "fast" and row["ratio"]}
    assert all(each == pytest.approx(0.5, rel=1e-3) for each in ratios)
    assert ratios


def test_configurations_are_timed_where_they_are_compared(terminal: Terminal) -> None:
    args = ("compare", "scenario.json", "--config", "default", "--config", "scheduler.yaml")
    assert "How long" not in terminal.run(*args).out
    for option in (("--timings",), ("--profile", "slow.yaml")):
        result = terminal.run(*args, *option)
        assert result.code == 0
        assert "How long scheduling took" in result.out


def test_a_comparison_draws_timings_too(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    from kubestage.results import charts

    drawn = []
    monkeypatch.setattr(charts, "save", lambda chart, path: drawn.append(path.name), raising=False)
    args = ("compare", "scenario.json", "--config", "default", "--config", "scheduler.yaml")
    assert terminal.run(*args, "--profile", "slow.yaml", "--charts", "pictures").code == 0
    assert {"comparison.png", "timings.png", "timings.html"} <= set(drawn)


def test_runs_of_which_one_has_no_timings_are_compared_without(terminal: Terminal) -> None:
    assert terminal.run(*RUN, "--timings", "--out", "timed").code == 0
    assert terminal.run(*RUN, "--out", "plain").code == 0
    assert "How long" not in terminal.run("compare", "timed", "plain").out


@pytest.mark.parametrize(
    ("args", "told"),
    [
        ((*RUN, "--timings", "--profile", "kind"), "leave out --timings or --profile"),
        ((*RUN, "--profile", "gce-101"), "gce-100"),
        ((*RUN, "--profile", "none.yaml"), "no such file"),
        (("compare", "a", "b", "--timings"), "has no effect on runs that are over"),
        (("compare", "a", "b", "--profile", "kind"), "has no effect on runs that are over"),
    ],
)
def test_what_cannot_be_timed_is_refused(
    args: tuple[str, ...], told: str, terminal: Terminal
) -> None:
    result = terminal.run(*args)
    assert result.code == 2
    assert told in result.err


def test_a_run_without_timings_says_how_to_get_some(terminal: Terminal) -> None:
    assert terminal.run(*RUN, "--out", "kept").code == 0
    result = terminal.run("analyze", "kept", "timings")
    assert result.code == 2
    assert "--timings" in result.err
    pathlib.Path("kept/timings.json").write_text("{")
    assert terminal.run("analyze", "kept", "timings").code == 2
    assert terminal.run("analyze", "kept", "timings", "--step", "1").code == 2
