"""``kubestage rehearse``: what it prints, keeps and returns."""

from __future__ import annotations

import json
import pathlib
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest

from kubestage.objects import manifest, yaml_text
from kubestage.testing import make_pod_disruption_budget
from tests.cli import servers
from tests.runs.rehearse.clusters import nodes, spread

if TYPE_CHECKING:
    from tests.cli.terminal import Terminal

CLUSTER = (*nodes(4), spread("web", 3), make_pod_disruption_budget("web", max_unavailable=1))


@pytest.fixture(autouse=True)
def folder(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    monkeypatch.setattr("kubestage.results.report.drawings.NEEDED", ("no_such_library",))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "all.yaml").write_text("---\n".join(map(yaml_text.dump, CLUSTER)))
    return tmp_path


def test_the_answer_leads(terminal: Terminal) -> None:
    done = terminal.run("rehearse", "drain", "n1", "-f", "all.yaml")
    assert done.code == 0
    assert done.out.startswith("Node n1 drained in 2s: 1 pod evicted.\n\nSEVERITY ")
    assert "deployment/default/web   3         2        0s    2s              3" in done.out


def test_a_condition_that_holds_is_exit_code_1(terminal: Terminal) -> None:
    words = ("rehearse", "drain", "n1", "-f", "all.yaml", "--fail-if")
    failed = terminal.run(*words, "web.ready<3")
    assert failed.code == 1
    assert "web.ready<3 holds: Node n1 drained" in failed.err
    assert terminal.run(*words, "web.ready<2").code == 0
    refused = terminal.run(*words, "web.redy<2")
    assert refused.code == 2
    assert "did you mean ready?" in refused.err


@pytest.mark.parametrize("output", ["json", "yaml"])
def test_data_has_all_that_is_known(terminal: Terminal, output: str) -> None:
    done = terminal.run("rehearse", "outage", "n1", "-f", "all.yaml", "-o", output)
    found: dict[str, Any]
    found = json.loads(done.out) if output == "json" else manifest.load_text(done.out)[0].object
    assert (found["rehearsal"], found["subject"], found["failed"]) == ("outage", "node n1", False)
    assert found["workloads"][0]["readyLowest"] == 2
    assert found["silentSeconds"] == 900
    assert found["recoverySeconds"] == found["workloads"][0]["windows"][0][1]


def test_junit_has_a_test_that_fails_with_the_condition(terminal: Terminal) -> None:
    words = ("rehearse", "drain", "n1", "-f", "all.yaml", "-o", "junit", "--fail-if", "*.ready<3")
    suite = ET.fromstring(terminal.run(*words).out)
    assert (suite.get("tests"), suite.get("failures")) == ("1", "1")
    case = suite.find("testcase")
    assert case is not None
    assert case.get("classname") == "kubestage.rehearse.drain"
    failure = case.find("failure")
    assert failure is not None
    assert failure.get("message") == "*.ready<3 holds"


def test_markdown_is_a_heading_and_tables(terminal: Terminal) -> None:
    done = terminal.run("rehearse", "grow", "web=2x", "-f", "all.yaml", "-o", "markdown")
    lines = done.out.splitlines()
    assert lines[0].startswith("## Web=2x: 2 pods have no room on the nodes that are there; enough")
    assert "| Nodes like | Enough | Pending with one fewer | Then requested |" in lines


def test_what_is_kept_can_be_read_again_and_replaced(terminal: Terminal) -> None:
    words = ("rehearse", "outage", "n1", "-f", "all.yaml", "--out", "kept")
    for _ in range(2):
        assert terminal.run(*words).code == 0
    names = {path.name for path in pathlib.Path("kept").iterdir()}
    assert names == {
        "junit.xml", "life.json", "rehearsal.json", "rehearsal.md", "report.html", "tables",
    }  # fmt: skip
    page = pathlib.Path("kept/report.html").read_text()
    assert page.index("Node n1 silent for 15m0s") < page.index("Findings") < page.index("Charts")
    health = terminal.run("analyze", "kept", "health")
    assert "below desired    deployment/default/web" in health.out
    again = terminal.run("rehearse", "outage", "n1", "-f", "kept")
    assert again.code == 2
    assert "does not say how to repeat the run" in again.err


def test_a_place_that_is_taken_is_refused_before_anything_runs(terminal: Terminal) -> None:
    pathlib.Path("taken").mkdir()
    pathlib.Path("taken/notes.txt").write_text("mine")
    done = terminal.run("rehearse", "drain", "n1", "-f", "all.yaml", "--out", "taken")
    assert done.code == 2
    assert not done.out


def test_all_is_a_table_of_findings_by_severity(terminal: Terminal) -> None:
    done = terminal.run("rehearse", "all", "-f", "all.yaml", "-o", "json", "--drains", "2")
    found = json.loads(done.out)
    kinds = [each["rehearsal"] for each in found["rehearsals"]]
    assert kinds == ["drain", "drain", "outage", "upgrade", "grow", "grow"]
    severities = [each["severity"] for each in found["findings"]]
    assert severities == sorted(severities, key=["critical", "warning", "info"].index)
    assert found["notes"] == ["2 of 4 nodes were drained: --drains N for more"]
    assert terminal.run("rehearse", "all", "-f", "all.yaml", "--out", "kept").code == 0
    assert "Rehearsals" in pathlib.Path("kept/report.html").read_text()


def test_a_served_cluster_is_copied_and_not_touched(
    terminal: Terminal, tmp_path: pathlib.Path
) -> None:
    (tmp_path / "served").mkdir()
    start = ("--start", "2026-01-01T00:00:00Z")
    with servers.serving(tmp_path / "served", *start, str(tmp_path / "all.yaml")) as server:
        words = ("rehearse", "drain", "n1", "--server", server.address, "-o", "json")
        first = terminal.run(*words)
        assert first.code == 0, first.err
        assert json.loads(first.out)["nodes"][0]["isDrained"] is True
        assert json.loads(terminal.run(*words).out)["nodes"][0]["evicted"] == 1
