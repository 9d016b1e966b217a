"""``--out`` keeps a run: whole, in place of an earlier one, or not at all."""

from __future__ import annotations

import json
import pathlib
import tempfile
from typing import TYPE_CHECKING

import pytest

from kubestage.results import run_record
from kubestage.scenario.resource import SCENARIO
from kubestage.scenario.settings import Detail, Settings
from kubestage.testing import make_node, make_pod
from tests.cli import clusters, scenarios
from tests.scenario import building
from tests.scenario.building import create, delete, done

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from tests.cli.terminal import Terminal


FILES = {"scenario.json", "run.json", "record.sqlite", "report.html"}
FIX = "  fix: name another directory, new or empty\n"
PLUGIN = """\
    class Mine:
        name = "Mine"
        def __init__(self, args, handle):
            pass
        def score_node(self, state, pod, node):
            if pod.name == "bad":
                {body}
            return 0
    """


@pytest.fixture(autouse=True)
def _without_charts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Charts take their time, and are looked at elsewhere."""
    monkeypatch.setattr("kubestage.results.report.drawings.NEEDED", ("no_such_library",))


def names(path: str) -> set[str]:
    return {each.name for each in pathlib.Path(path).iterdir()}


def kept(path: str = "kept") -> Json:
    told: Json = json.loads(pathlib.Path(path, "scenario.json").read_text())
    return told


def pods(*wanted: str, name: str = "it") -> Json:
    """Two nodes, and pods that go there in step 1."""
    nodes = [create(make_node(each, cpu="4")) for each in "ab"]
    asked = [create(make_pod(each, cpu="1"), 1) for each in wanted]
    return building.scenario(*nodes, *asked, done(2), name=name)


def test_a_run_is_kept_with_all_its_files_and_the_report_is_named(terminal: Terminal) -> None:
    scenarios.write(pods("web"))
    plain = terminal.run("run", "scenario.json").out
    result = terminal.run("run", "scenario.json", "--out", "runs/first")
    assert (result.code, result.err) == (0, "")
    assert result.out == f"{plain}Kept in runs/first: open runs/first/report.html\n"
    assert names("runs/first") == FILES
    assert kept("runs/first")["status"]["phase"] == "Succeeded"
    with run_record.open("runs/first/record.sqlite") as record:
        assert record.about == {"scenario": "it"}
        assert [row.pod for row in record.decisions()] == ["default/web"]


def test_who_has_kept_the_run_can_ask_it_why_a_pod_has_no_node(terminal: Terminal) -> None:
    huge = create(make_pod("huge", cpu="64"))
    scenarios.write(building.scenario(create(make_node("a")), huge, done()))
    out = terminal.run("run", "scenario.json", "--out", "kept").out
    assert "\nWithout a node (`kubestage explain kept POD` tells more):\n" in out
    assert terminal.run("explain", "kept", "huge").code == 0


def test_several_scenarios_are_kept_below_by_name(terminal: Terminal) -> None:
    clusters.write("all.json", pods("web", name="one"), pods("db", name="two"))
    result = terminal.run("run", "all.json", "--out", "kept")
    assert result.out.endswith(
        "Kept in kept/one: open kept/one/report.html\nKept in kept/two: open kept/two/report.html\n"
    )
    assert names("kept") == {"one", "two"}
    assert names("kept/one") == names("kept/two") == FILES
    assert kept("kept/two")["metadata"]["name"] == "two"


def test_what_was_not_begun_is_not_kept(terminal: Terminal) -> None:
    paused = building.scenario(create(make_node("a")), name="paused")
    clusters.write("all.json", pods("web", name="one"), paused, pods("db", name="three"))
    assert terminal.run("run", "all.json", "--out", "kept").code == 0
    assert names("kept") == {"one", "paused"}
    assert kept("kept/paused")["status"]["phase"] == "Paused"


def test_each_of_several_is_kept_as_if_it_had_run_alone(terminal: Terminal) -> None:
    clusters.write("all.json", pods("web", name="one"), pods("db", "web", name="two"))
    scenarios.write(pods("db", "web", name="two"), "two.json")
    assert terminal.run("run", "all.json", "--out", "all").code == 0
    assert terminal.run("run", "two.json", "--out", "alone").code == 0
    for name in FILES:
        assert (
            pathlib.Path("all/two", name).read_bytes() == pathlib.Path("alone", name).read_bytes()
        )


def test_manifests_are_kept_as_the_scenario_that_they_mean(terminal: Terminal) -> None:
    clusters.write("cluster.json", make_node("a"), make_pod("web"))
    result = terminal.run("run", "cluster.json", "--out", "kept")
    assert result.out.endswith("\nKept in kept: open kept/report.html\n")
    assert kept()["metadata"]["name"] == "manifests"
    assert terminal.run("explain", "kept", "web").code == 0


def test_an_earlier_run_is_replaced(terminal: Terminal) -> None:
    for wanted in ("web", "db"):
        scenarios.write(pods(wanted))
        assert terminal.run("run", "scenario.json", "--out", "kept").code == 0
    assert names("kept") == FILES
    assert kept()["spec"] == pods("db")["spec"]


def test_a_failed_run_is_kept_too(terminal: Terminal) -> None:
    gone = delete(building.POD, "nobody", 1)
    scenarios.write(building.scenario(create(make_node("a")), gone))
    assert terminal.run("run", "scenario.json", "--out", "kept").code == 1
    assert names("kept") == FILES
    assert kept()["status"]["phase"] == "Failed"


REFUSED: dict[str, tuple[str, str]] = {
    "a file": ("notes.txt", f"notes.txt: is a file\n{FIX}"),
    "below a file": ("notes.txt/x", "notes.txt/x: not a directory\n"),
    "of others": ("foreign", f"foreign: is not empty, and not a run\n{FIX}"),
    "in a run": ("run/inner", f"run/inner: run is a run itself\n{FIX}"),
    "above runs": ("runs", f"runs: holds other runs: one\n{FIX}"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_place_that_will_not_do_is_refused_before_the_run(name: str, terminal: Terminal) -> None:
    pathlib.Path("notes.txt").write_text("mine")
    pathlib.Path("foreign").mkdir()
    pathlib.Path("foreign/thesis.txt").write_text("mine")
    scenarios.write(pods("web"))
    for place in ("run", "runs/one"):
        scenarios.keep(pods("web"), out=place)
    place, problem = REFUSED[name]
    result = terminal.run("run", "scenario.json", "--out", place)
    assert (result.code, result.out, result.err) == (2, "", f"Error: {problem}")
    assert names("foreign") == {"thesis.txt"}
    assert names("run") == names("runs/one") == FILES


def test_a_place_that_the_system_refuses_is_told(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: pathlib.Path, **_: object) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    scenarios.write(pods("web"))
    monkeypatch.setattr(pathlib.Path, "mkdir", refuse)
    result = terminal.run("run", "scenario.json", "--out", "kept")
    assert (result.code, result.out, result.err) == (2, "", "Error: kept: permission denied\n")


def _run_badly(terminal: Terminal, body: str, *scenario: Json) -> tuple[int, str]:
    clusters.write_plugin(PLUGIN.format(body=body))
    clusters.write_config(clusters.enabling("Mine"))
    clusters.write("bad.json", *(scenario or [pods("web", "bad")]))
    result = terminal.run(
        *("run", "bad.json", "--config", "scheduler.yaml", "--plugin", "mine.py:Mine"),
        *("--out", "kept", "--detail", "full"),
    )
    assert result.out == ""
    return result.code, result.err


ERROR = (2, "Error: mine.py:7: ZeroDivisionError: division by zero\n")


def test_after_an_error_nothing_is_left(terminal: Terminal) -> None:
    assert _run_badly(terminal, "1 / 0") == ERROR
    assert not pathlib.Path("kept").exists()


def test_after_an_interrupt_nothing_is_left(terminal: Terminal) -> None:
    told = "Interrupted: not written: kept.\n"
    assert _run_badly(terminal, "raise KeyboardInterrupt") == (130, told)
    assert not pathlib.Path("kept").exists()


def test_after_an_error_the_earlier_run_is_still_there(terminal: Terminal) -> None:
    scenarios.keep(pods("web"))
    before = {path: path.read_bytes() for path in pathlib.Path("kept").iterdir()}
    assert _run_badly(terminal, "1 / 0") == ERROR
    assert {path: path.read_bytes() for path in pathlib.Path("kept").iterdir()} == before


def test_after_an_error_those_that_had_ended_are_kept(terminal: Terminal) -> None:
    several = [pods("web", name="one"), pods("bad", name="two"), pods("db", name="three")]
    assert _run_badly(terminal, "1 / 0", *several) == ERROR
    assert names("kept") == {"one"}
    assert names("kept/one") == FILES


def test_a_manifest_that_is_refused_leaves_nothing(terminal: Terminal) -> None:
    clusters.write("cluster.json", make_node("a"), make_node("a"))
    result = terminal.run("run", "cluster.json", "--out", "kept")
    assert (result.code, result.err) == (
        2,
        'Error: cluster.json:1: items[1]: nodes "a" already exists\n',
    )
    assert not pathlib.Path("kept").exists()


@pytest.mark.parametrize("detail", ["summary", "decisions", "full"])
def test_what_is_printed_is_what_is_kept(
    detail: str, terminal: Terminal, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    scenarios.write(scenarios.rivalry())
    options = ("run", "scenario.json", "--detail", detail, "-o", "json")
    printed = terminal.run(*options).out
    assert list(scratch.iterdir()) == []
    assert terminal.run(*options, "--out", "kept").out == printed
    assert pathlib.Path("kept/scenario.json").read_text() == printed


def _attempts(told: Json) -> list[Json]:
    timeline = told["status"]["scenarioResult"]["timeline"]
    results = [building.pod_result(event) for events in timeline.values() for event in events]
    return [each for result in results if result for each in result["scheduleResult"]]


def test_the_detail_decides_what_is_kept_of_attempts(terminal: Terminal) -> None:
    scenarios.write(scenarios.rivalry())
    words = ("run", "scenario.json", "--detail")
    for detail in ("summary", "decisions", "full"):
        assert terminal.run(*words, detail, "--out", f"out/{detail}").code == 0
    assert _attempts(kept("out/summary")) == []
    rows = _attempts(kept("out/decisions"))
    told = _attempts(kept("out/full"))
    more = {"allCandidateNodes", "allFilteredNodes", "pluginResults"}
    extra = {*more, "evaluatedNodeNames"}
    assert [{key: each[key] for key in each if key not in extra} for each in told] == rows
    assert all(more <= each.keys() for each in told)
    assert set(told[0]["pluginResults"]["score"]["n1"]["TaintToleration"]) == {
        "rawScore",
        "normalizedScore",
        "finalScore",
    }


def test_a_status_that_was_streamed_is_the_one_that_memory_holds(terminal: Terminal) -> None:
    scenario = scenarios.rivalry()
    scenarios.write(scenario)
    terminal.run("run", "scenario.json", "--detail", "full", "--out", "kept")
    stage = building.stage_with(scenario, alive=True, settings=Settings(detail=Detail.FULL))
    stage.run_scenarios()
    assert kept() == stage.store.get(SCENARIO, "story")
