"""``kubestage check``: what it prints and writes, for people and for CI."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

from tests.runs.check.clusters import budget, nodes, web, write

if TYPE_CHECKING:
    import pathlib

    from tests.cli.terminal import Terminal

WORDS = ("check", "--base", "before", "--head", "after", "-f", "cluster")


@pytest.fixture(autouse=True)
def folder(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    monkeypatch.chdir(tmp_path)
    for name in ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY"):
        monkeypatch.delenv(name, raising=False)
    write("cluster", *nodes())
    write("before", web(2), budget(1))
    write("after", web(5), budget(1))
    return tmp_path


def test_the_answer_leads_and_the_exit_code_is_1(terminal: Terminal) -> None:
    done = terminal.run(*WORDS)
    assert done.code == 1
    lines = done.out.splitlines()
    assert lines[0] == "Worse: 3 rules are broken (pending, survival, budgets), 6 findings."
    assert lines[2] == "after/all.yaml:1: error: deployment/default/web [pending]"
    assert lines[3].startswith("  1 of 5 pods has no node: 0/4 nodes are available")
    assert lines[4] == "  before: 0 pending; now: 1 pending"
    assert any(line.split()[:2] == ["pending", "failed"] for line in lines)
    assert any(line.split() == ["pods", "pending", "0", "1", "worse"] for line in lines)
    assert done.err == f"Error: {lines[0].rstrip('.').replace('Worse', 'worse')}\n"


def test_a_good_change_has_exit_code_0(terminal: Terminal) -> None:
    write("after", web(2), budget(1))
    done = terminal.run(*WORDS)
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("Nothing is worse: 5 rules hold.\n")


def test_a_bad_change_may_have_exit_code_0(terminal: Terminal) -> None:
    done = terminal.run(*WORDS, "--exit-zero")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("Worse: ")


def test_data_and_markdown(terminal: Terminal) -> None:
    found = json.loads(terminal.run(*WORDS, "-o", "json").out)
    assert (found["failed"], found["sides"]) == (True, ["before", "after"])
    states = {each["name"]: each["state"] for each in found["rules"]}
    assert states == {
        "pending": "failed", "survival": "failed", "budgets": "failed", "spread": "passed",
        "requests": "passed",
    }  # fmt: skip
    first = found["rules"][0]["findings"][0]
    assert (first["file"], first["line"], first["isNew"]) == ("after/all.yaml", 1, True)
    done = terminal.run(*WORDS, "-o", "markdown")
    assert done.code == 1
    assert done.out.startswith("## ❌ kubestage check: worse: 3 rules are broken")


def test_files_for_ci(terminal: Terminal, folder: pathlib.Path) -> None:
    done = terminal.run(*WORDS, "--junit", "check.xml", "--sarif", "check.sarif")
    assert done.code == 1
    root = ET.parse(folder / "check.xml").getroot()
    assert (root.attrib["tests"], root.attrib["failures"]) == ("5", "3")
    log = json.loads((folder / "check.sarif").read_text())
    assert len(log["runs"][0]["results"]) == 6


def test_in_github_actions_there_are_annotations_and_a_summary(
    terminal: Terminal, folder: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "summary.md").write_text("before\n")
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(folder / "summary.md"))
    done = terminal.run(*WORDS, "-o", "markdown")
    assert (folder / "summary.md").read_text() == f"before\n{done.out}"
    errors = [line for line in done.err.splitlines() if line.startswith("::error ")]
    assert len(errors) == 6
    title = "title=kubestage pending%3A deployment/default/web"
    assert errors[0].startswith(f"::error file=after/all.yaml,line=1,{title}::1 of 5 pods has")


def test_notes_go_to_stderr(terminal: Terminal, folder: pathlib.Path) -> None:
    (folder / "after" / "values.yaml").write_text("a: 1\n")
    done = terminal.run(*WORDS, "--exit-zero")
    assert done.err == "Note: after: left out, as they are no objects: after/values.yaml\n"


def test_the_cluster_may_be_imported_or_a_run_that_was_kept(
    terminal: Terminal, folder: pathlib.Path
) -> None:
    write("live", *nodes(), web(2))
    assert terminal.run("run", "live/all.yaml", "--for", "1m", "--out", "kept").code == 0
    assert terminal.run("import", "live/all.yaml", "--out", "imported").code == 0
    for cluster in ("kept", "imported"):
        # Of the cluster itself two pods run already, and the change makes them five.
        done = terminal.run("check", "--head", "after", "-f", cluster, "-o", "json")
        found = json.loads(done.out)
        assert (done.code, found["sides"]) == (1, ["the cluster", "after"])
        pods = next(each for each in found["figures"] if each["name"] == "pods with a node")
        assert pods["values"] == [2, 4]


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ((), "no change is named"),
        (("nowhere.toml",), "nowhere.toml: no such file"),
        (("--base", "before", "--head", "missing"), '"missing" is no folder, and this is no git'),
        ((*WORDS[1:], "--rule", "pendig"), "did you mean pending?"),
        ((*WORDS[1:], "-o", "yml"), 'unknown output format "yml"'),
        ((*WORDS[1:], "--junit", "no/such/folder/a.xml"), "no/such/folder/a.xml"),
    ],
)
def test_bad_input_is_exit_code_2(terminal: Terminal, words: tuple[str, ...], problem: str) -> None:
    done = terminal.run("check", *words)
    assert done.code == 2
    assert problem in done.err
    assert "Traceback" not in done.err


def test_a_hostile_name_is_not_obeyed_by_the_terminal(
    terminal: Terminal, folder: pathlib.Path
) -> None:
    (folder / "rules.py").write_text("def rule(side):\n    return ['a\\x1b[2Jb']\n")
    done = terminal.run(*WORDS, "--rule", "rules.py:rule")
    assert "a\\u001b[2Jb" in done.out
