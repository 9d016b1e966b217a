"""``kubestage analyze`` tells what came of a run."""

from __future__ import annotations

import csv
import io
import json
import pathlib
import textwrap
from typing import TYPE_CHECKING

import pytest
import yaml

from kubestage.results import timings
from kubestage.runs import analyze as analyzing
from kubestage.scheduler.timings import PLUGIN, Part, Timings
from tests.results.analysis.stories import Story, rivalry

if TYPE_CHECKING:
    from tests.cli.terminal import Terminal


def _keep(story: Story, name: str = "run") -> None:
    directory = pathlib.Path(name)
    directory.mkdir(parents=True)
    (directory / "scenario.json").write_text(json.dumps(story.scenario(directory.name)))


def _keep_measures(name: str = "run") -> None:
    path = pathlib.Path(name, "scenario.json")
    scenario = json.loads(path.read_text())
    measured = {"name": "free", "at": "step", "steps": [0], "attempts": [0], "values": [1.5]}
    scenario["status"]["scenarioResult"]["measures"] = [measured]
    path.write_text(json.dumps(scenario))


def _keep_timings(name: str = "run") -> None:
    kept = Timings("modelled")
    for plugin in ("NodeResourcesFit", "NodeResourcesBalancedAllocation"):
        kept.observe(Part("default-scheduler", PLUGIN, "Score", plugin), 123_456)
    pathlib.Path(name, "timings.json").write_bytes(timings.encode(timings.of(kept)))


def test_without_a_word_the_run_is_told_in_a_few_numbers(terminal: Terminal) -> None:
    _keep(rivalry())
    result = terminal.run("analyze", "run")
    assert (result.code, result.err) == (0, "")
    assert result.out == textwrap.dedent(
        """\
        run: 1 of 4 pods pending (Scenario Succeeded), 3 steps (1 to 3)

        Pods       5: 3 scheduled, 1 pending, 1 preempted
        Nodes      2, 2 in use
        Waited     0.00 steps on average until bound, at most 0
        Attempts   6: 4 scheduled, 2 unschedulable

        RESOURCE   REQUESTED   ALLOCATABLE   RATE    NODE-MIN   NODE-MEAN   NODE-MAX   STDDEV   STRANDED
        cpu        3.5         4             87.5%   75.0%      87.5%       100.0%     12.5%    100.0%
        memory     6Gi         8Gi           75.0%   50.0%      75.0%       100.0%     25.0%    100.0%
        pods       3           220           1.4%    0.9%       1.4%        1.8%       0.5%     100.0%

        STEP   NODES   NODES-USED   PODS   CREATED   SCHEDULED   PENDING   PREEMPTED   ATTEMPTS
        1      2       2            2      2         2           0         0           2
        2      2       2            3      2         1           1         1           2
        3      2       2            4      1         1           1         0           2
        """  # noqa: E501 - as wide as the table is
    )


def test_allocation_has_resources_side_by_side(terminal: Terminal) -> None:
    _keep(rivalry())
    assert terminal.run("analyze", "run", "allocation").out == textwrap.dedent(
        """\
        STEP   CPU             MEMORY            PODS
        1      3/4 (75.0%)     2Gi/8Gi (25.0%)   2/220 (0.9%)
        2      3/4 (75.0%)     3Gi/8Gi (37.5%)   2/220 (0.9%)
        3      3.5/4 (87.5%)   6Gi/8Gi (75.0%)   3/220 (1.4%)
        """
    )


def test_nodes_are_shown_as_they_are_at_the_end_or_after_a_step(terminal: Terminal) -> None:
    _keep(rivalry())
    last = terminal.run("analyze", "run", "nodes").out
    assert last == textwrap.dedent(
        """\
        NODE   CPU             MEMORY             PODS
        a      1.5/2 (75.0%)   4Gi/4Gi (100.0%)   2/110 (1.8%)
        b      2/2 (100.0%)    2Gi/4Gi (50.0%)    1/110 (0.9%)

        At the end of step 3; --step N shows another, -o csv all of them.
        """
    )
    first = terminal.run("analyze", "run", "nodes", "--step", "1").out
    assert "a      1/2 (50.0%)" in first
    assert first.endswith("At the end of step 1.\n")


def test_a_step_shows_the_run_as_it_was_then(terminal: Terminal) -> None:
    _keep(rivalry())
    assert "Pods       2: 2 scheduled\n" in terminal.run("analyze", "run", "--step", "1").out
    table = terminal.run("analyze", "run", "balance", "--step", "2", "-o", "csv").out
    assert [row["step"] for row in csv.DictReader(io.StringIO(table))] == ["2", "2", "2"]
    assert terminal.run("analyze", "run", "preemptions", "--step", "1").out == (
        "No pod was preempted.\n"
    )


@pytest.mark.parametrize(
    ("what", "words"),
    [
        ("pods", ["default/batch", "Preempted", "b"]),
        ("pending", ["default/big", "Pending", "2"]),
        ("fragmentation", ["3", "memory", "2Gi", "1Gi", "100.0%"]),
        ("preemptions", ["2", "default/batch", "b", "0", "default/db", "100"]),
        ("attempts", ["default-scheduler", "unschedulable", "2", "1"]),
        ("steps", ["2", "2", "2", "3", "2", "1", "1"]),
        ("balance", ["3", "cpu", "2", "75.0%", "100.0%", "87.5%", "12.5%"]),
    ],
)
def test_each_table_is_printed_for_people(terminal: Terminal, what: str, words: list[str]) -> None:
    _keep(rivalry())
    lines = [line.split() for line in terminal.run("analyze", "run", what).out.splitlines()]
    assert any(line[: len(words)] == words for line in lines)


@pytest.mark.parametrize(
    ("what", "words"),
    [
        ("fragmentation", ["3", "memory", "2Gi", "1Gi", "2Gi", "100.0%", "default/big"]),
        ("preemptions", ["2", "default/batch", "b", "0", "1", "default/db", "100", "b"]),
        ("pods", ["default/batch", "Preempted", "b", "default-scheduler", "0"]),
        ("steps", ["2", "2", "2", "3", "2", "1", "1", "0", "1", "0", "0"]),
    ],
)
def test_wide_tables_have_every_column(terminal: Terminal, what: str, words: list[str]) -> None:
    _keep(rivalry())
    out = terminal.run("analyze", "run", what, "-o", "wide").out
    assert any(line.split()[: len(words)] == words for line in out.splitlines())


@pytest.mark.parametrize("what", [*analyzing.scenario_tables_listed(), "attempts --by attempt"])
def test_no_table_is_wider_than_a_terminal(terminal: Terminal, what: str) -> None:
    _keep(rivalry())
    _keep_timings()
    out = terminal.run("analyze", "run", *what.split()).out
    assert max(map(len, out.splitlines())) <= 100


@pytest.mark.parametrize("what", ["pods", "pending"])
def test_why_pods_wait_is_said_once_below_the_table(terminal: Terminal, what: str) -> None:
    _keep(rivalry())
    out = terminal.run("analyze", "run", what).out
    assert "MESSAGE" not in out
    assert out.endswith(
        "\n\nWithout a node (`kubestage explain run POD` tells more):\n"
        "  default/big\n    0/1 nodes are available: 1 Insufficient cpu.\n"
    )


@pytest.mark.parametrize("what", [*analyzing.scenario_tables_listed()])
def test_each_table_is_csv_and_json_and_parquet(terminal: Terminal, what: str) -> None:
    from pyarrow import parquet  # type: ignore[import-untyped]  # it has no types

    _keep(rivalry())
    _keep_measures()
    _keep_timings()
    told = json.loads(terminal.run("analyze", "run", what, "-o", "json").out)
    rows = list(csv.DictReader(io.StringIO(terminal.run("analyze", "run", what, "-o", "csv").out)))
    result = terminal.run("analyze", "run", what, "-o", "parquet", "--to", "table.parquet")
    assert (result.code, result.out) == (0, "")
    table = parquet.read_table("table.parquet")
    assert table.num_rows == len(rows) > 0
    assert table.column_names == list(rows[0])
    assert told["pods"] == 5 if what == "summary" else len(told) == len(rows)


def test_output_goes_to_a_file_if_one_is_named(terminal: Terminal) -> None:
    _keep(rivalry())
    printed = terminal.run("analyze", "run", "pods", "-o", "csv").out
    assert terminal.run("analyze", "run", "pods", "-o", "csv", "--to", "pods.csv").out == ""
    assert pathlib.Path("pods.csv").read_text() == printed


def test_attempts_are_counted_by_what_is_asked_for(terminal: Terminal) -> None:
    _keep(rivalry())
    by_pod = terminal.run("analyze", "run", "attempts", "--by", "pod,result", "-o", "csv").out
    assert by_pod.splitlines()[2] == "default/big,unschedulable,2,1,4,0"
    each = terminal.run("analyze", "run", "attempts", "--by", "attempt", "-o", "csv").out
    assert len(each.splitlines()) == 7


def test_charts_are_drawn_into_a_directory(terminal: Terminal) -> None:
    _keep(rivalry())
    result = terminal.run("analyze", "run", "--charts", "new/pictures")
    assert (result.code, result.err) == (0, "Drew 8 charts, PNG and HTML, into new/pictures\n")
    files = sorted(path.name for path in pathlib.Path("new/pictures").iterdir())
    assert len(files) == 16
    assert files[:2] == ["allocation.html", "allocation.png"]
    assert "Succeeded" in result.out


def test_a_scenario_with_its_status_in_a_file_is_a_run(terminal: Terminal) -> None:
    pathlib.Path("it.yaml").write_text(yaml.safe_dump(rivalry().scenario("it")))
    assert terminal.run("analyze", "it.yaml").out.startswith(
        "it: 1 of 4 pods pending (Scenario Succeeded)"
    )


def test_a_directory_with_one_run_below_means_that_run(terminal: Terminal) -> None:
    _keep(rivalry(), "runs/only")
    assert terminal.run("analyze", "runs").out.startswith(
        "only: 1 of 4 pods pending (Scenario Succeeded)"
    )


def test_nothing_to_show_is_said_in_words(terminal: Terminal) -> None:
    _keep(Story(detail=False).step(1))
    assert terminal.run("analyze", "run", "pods").out == "There was no pod.\n"
    assert terminal.run("analyze", "run", "pending").out == "No pod had to wait.\n"
    assert terminal.run("analyze", "run", "attempts").out.startswith("No attempts were recorded")
    assert terminal.run("analyze", "run", "pods", "-o", "json").out == "[]\n"


def _refused(terminal: Terminal, *words: str) -> str:
    result = terminal.run("analyze", *words)
    assert (result.code, result.out) == (2, "")
    return result.err


def test_what_is_no_run_is_refused(terminal: Terminal) -> None:
    pathlib.Path("empty").mkdir()
    pathlib.Path("pod.yaml").write_text("apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n")
    assert "empty: is not a run" in _refused(terminal, "empty")
    assert "pod.yaml: holds no Scenario" in _refused(terminal, "pod.yaml")
    assert "nowhere: no such file or directory" in _refused(terminal, "nowhere")


def test_a_scenario_that_has_not_run_is_refused(terminal: Terminal) -> None:
    scenario = rivalry().scenario()
    del scenario["status"]
    pathlib.Path("it.json").write_text(json.dumps(scenario))
    assert "it.json: the Scenario has no status" in _refused(terminal, "it.json")
    scenario["status"] = {"phase": "Pending"}
    pathlib.Path("it.json").write_text(json.dumps(scenario))
    error = _refused(terminal, "it.json")
    assert "it.json: status.scenarioResult: the Scenario has no result yet" in error
    assert "fix: run it first" in error


def test_what_is_no_run_has_no_tables_whatever_their_names(terminal: Terminal) -> None:
    assert "no such file or directory" in _refused(terminal, "missing", "spending")
    pathlib.Path("cluster").mkdir()
    assert "cluster: is not a run" in _refused(terminal, "cluster", "spending")


def test_of_several_runs_one_has_to_be_named(terminal: Terminal) -> None:
    _keep(rivalry(), "runs/one")
    _keep(rivalry(), "runs/two")
    error = _refused(terminal, "runs")
    assert "holds 2 runs: runs/one, runs/two" in error
    assert "fix: name one: runs/one" in error


@pytest.mark.parametrize(
    ("words", "problem", "fix"),
    [
        (["pod"], 'unknown WHAT "pod"', "did you mean pods?"),
        (
            ["-o", "excel"],
            'unknown output format "excel"',
            "use one of table, wide, csv, json, parquet",
        ),
        (["pods", "-o", "parquet"], "Parquet is not for terminals", "add --to FILE"),
        (["--step", "9"], "run: the run has no step 9", "it has steps 1 to 3"),
        (["pods", "--by", "step"], "--by: only attempts can be counted", "RUN attempts"),
        (["attempts", "--by", "hue"], 'attempts have no "hue"', "use any of step, pod, profile"),
        (["--charts", "run/scenario.json"], "run/scenario.json: --charts: is a file", "directory"),
        (["pods", "--to", "no/where.csv", "-o", "csv"], "no/where.csv: no such file", ""),
        (["pods", "--to", "no/it.parquet", "-o", "parquet"], "no/it.parquet: no such file", ""),
    ],
)
def test_a_request_that_cannot_be_met_is_refused(
    terminal: Terminal, words: list[str], problem: str, fix: str
) -> None:
    _keep(rivalry())
    result = terminal.run("analyze", "run", *words)
    assert result.code == 2
    assert problem in result.err
    assert fix in result.err


def test_timings_are_drawn_with_the_other_charts_or_alone(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    from kubestage.results import charts

    def write(_: object, path: pathlib.Path) -> None:
        path.write_text("drawn")

    monkeypatch.setattr(charts, "save", write, raising=False)
    _keep(rivalry())
    _keep_timings()
    assert terminal.run("analyze", "run", "--charts", "all").code == 0
    assert terminal.run("analyze", "run", "timings", "--charts", "alone").code == 0
    assert len(list(pathlib.Path("all").iterdir())) == 18
    assert {each.name for each in pathlib.Path("alone").iterdir()} == {
        "timings.png",
        "timings.html",
    }


def test_charts_under_a_file_are_refused(terminal: Terminal) -> None:
    _keep(rivalry())
    pathlib.Path("file").write_text("")
    result = terminal.run("analyze", "run", "--charts", "file/pictures")
    assert (result.code, "not a directory" in result.err) == (2, True)
