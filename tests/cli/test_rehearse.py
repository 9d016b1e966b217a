"""``kubestage rehearse``: what it prints, keeps and returns."""

from __future__ import annotations

import json
import pathlib
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest

from kubestage.objects import manifest, yaml_text
from kubestage.testing import make_pod, make_pod_disruption_budget
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
    suites = ET.fromstring(terminal.run(*words).out)
    assert suites.tag == "testsuites"
    assert (suites.get("tests"), suites.get("failures")) == ("1", "1")
    (suite,) = suites
    assert (suite.tag, suite.get("name"), suite.get("failures")) == (
        "testsuite", "drain node n1", "1",
    )  # fmt: skip
    case = suite.find("testcase")
    assert case is not None
    assert case.get("classname") == "kubestage.rehearse.drain"
    failure = case.find("failure")
    assert failure is not None
    assert failure.get("message") == "*.ready<3 holds: Node n1 drained in 2s: 1 pod evicted."
    assert "warning: deployment/default/web was below its 3 replicas" in (failure.text or "")


def test_junit_has_a_suite_for_each_rehearsal(terminal: Terminal) -> None:
    words = ("rehearse", "all", "-f", "all.yaml", "-o", "junit", "--drains", "1")
    suites = ET.fromstring(terminal.run(*words, "--fail-if", "*.ready<3").out)
    names = [suite.get("name") for suite in suites]
    assert names[:3] == ["drain node n1", "outage node n3", "upgrade all 4 nodes"]
    assert all(suite.get("tests") == "1" for suite in suites)


def test_markdown_is_a_heading_and_tables(terminal: Terminal) -> None:
    done = terminal.run("rehearse", "grow", "web=2x", "-f", "all.yaml", "-o", "markdown")
    lines = done.out.splitlines()
    assert lines[0] == (
        "## With web=2x, 2 pods have no room on the nodes that are there; "
        "2 more nodes like n1 are enough."
    )
    assert "| Nodes like | Enough | Pending with one fewer | Then requested |" in lines


def test_what_is_kept_can_be_read_again_and_replaced(terminal: Terminal) -> None:
    words = ("rehearse", "outage", "n1", "-f", "all.yaml", "--out", "kept")
    for _ in range(2):
        assert terminal.run(*words).code == 0
    names = {path.name for path in pathlib.Path("kept").iterdir()}
    assert names == {
        "history.jsonl.gz", "junit.xml", "life.json", "rehearsal.json", "rehearsal.md",
        "report.html", "tables",
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


@pytest.mark.parametrize(
    ("words", "problem", "fix"),
    [
        (("drain", "N1"), 'there is no node "N1"', "did you mean n1?"),
        (("outage", "disk=none"), 'no node has the labels "disk=none"', "kubestage get nodes"),
        (("outage", "n1", "--for", "-5m"), "--for: -5m is negative", "write it as in 10m"),
        (("upgrade", "wrokers"), 'there is no pool or node "wrokers"', "there are n1, n2, n3"),
        (("fit", "nodes.yaml"), "has neither pods nor workloads", "name a file with a Pod"),
        (("drain", "n1", "--pod-selector", "a in"), "--pod-selector: ", "write it as in app=web"),
    ],
)
def test_wrong_input_is_refused_with_the_likely_fix(
    terminal: Terminal, words: tuple[str, ...], problem: str, fix: str
) -> None:
    pathlib.Path("nodes.yaml").write_text("---\n".join(map(yaml_text.dump, nodes(1))))
    done = terminal.run("rehearse", *words, "-f", "all.yaml")
    assert done.code == 2
    assert not done.out
    assert problem in done.err
    assert f"fix: {fix}" in done.err.replace("`", "")


def test_a_cluster_without_workloads_cannot_grow(terminal: Terminal) -> None:
    pathlib.Path("nodes.yaml").write_text("---\n".join(map(yaml_text.dump, nodes(1))))
    done = terminal.run("rehearse", "grow", "all=2x", "-f", "nodes.yaml")
    assert done.code == 2
    assert "the cluster has no workloads" in done.err


def test_without_a_command_the_error_names_what_is_missing(terminal: Terminal) -> None:
    done = terminal.run("rehearse")
    assert done.code == 2
    assert "no command is named" in done.err


def test_markdown_has_no_markup_of_its_own_in_texts(terminal: Terminal) -> None:
    pathlib.Path("big.yaml").write_text(yaml_text.dump(make_pod("big", cpu="9")))
    done = terminal.run("rehearse", "fit", "big.yaml", "-f", "all.yaml", "-o", "markdown")
    assert "## big.yaml does not fit: its only pod would have no node." in done.out
    assert "| default/big | \\<none\\> | " in done.out


def test_a_served_cluster_has_the_configuration_of_its_scheduler(
    terminal: Terminal, tmp_path: pathlib.Path
) -> None:
    (tmp_path / "served").mkdir()
    profile = {
        "schedulerName": "default-scheduler",
        "plugins": {
            "multiPoint": {"disabled": [{"name": "NodeUnschedulable"}, {"name": "TaintToleration"}]}
        },
    }
    (tmp_path / "scheduler.yaml").write_text(
        yaml_text.dump(
            {
                "apiVersion": "kubescheduler.config.k8s.io/v1",
                "kind": "KubeSchedulerConfiguration",
                "profiles": [profile],
            }
        )
    )
    configured = ("--config", str(tmp_path / "scheduler.yaml"), "--setting", "hpa.sync-period=30s")
    with servers.serving(tmp_path / "served", *configured, str(tmp_path / "all.yaml")) as server:
        words = ("rehearse", "drain", "n1", "n2", "n3", "n4", "--server", server.address)
        done = terminal.run(*words, "-o", "json")
        notes = json.loads(done.out)["notes"]
        # Cordoned nodes are as good as any other to this scheduler.
        assert json.loads(done.out)["pendingPeak"] == 0
        assert notes[:2] == [
            "the scheduler's configuration is that of the server (profile default-scheduler)",
            "1 setting is as on the server: hpa.sync-period=30s",
        ]
        (tmp_path / "other.yaml").write_text(
            yaml_text.dump(
                {
                    "apiVersion": "kubescheduler.config.k8s.io/v1",
                    "kind": "KubeSchedulerConfiguration",
                }
            )
        )
        other = terminal.run(*words, "-o", "json", "--config", "other.yaml")
        assert json.loads(other.out)["pendingPeak"] > 0
        assert json.loads(other.out)["notes"][0] == (
            "the scheduler's configuration is other.yaml, not that of the server"
        )


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
