"""``kubestage sweep``: words, formats, refusals, exit codes."""

from __future__ import annotations

import csv
import io
import json
import pathlib
from typing import TYPE_CHECKING

import pytest
import yaml

from tests.sweep import inputs

if TYPE_CHECKING:
    from tests.cli.terminal import Result, Terminal

VARY = ["--vary", f"{inputs.CPU}=1,5", "--seeds", "2", "-j", "1"]


@pytest.fixture
def folder(terminal: Terminal) -> str:
    return inputs.cluster(pathlib.Path.cwd())


def _sweep(terminal: Terminal, folder: str, *words: str) -> Result:
    return terminal.run("sweep", "run", folder, *VARY, *words)


def test_a_table_has_a_line_for_each_setting(terminal: Terminal, folder: str) -> None:
    result = _sweep(terminal, folder)
    assert (result.code, result.err) == (0, "")
    lines = [line.split() for line in result.out.splitlines()]
    assert lines[0][:3] == [inputs.CPU, "RUNS", "FAILED"]
    assert [line[:3] for line in lines[1:]] == [["1", "2", "0"], ["5", "2", "0"]]
    at = lines[0].index("pending")
    assert [line[at] for line in lines[1:]] == ["0", "1"]
    # What is the same in all rows says nothing about parameters.
    assert "gated" not in lines[0]


def test_formats(terminal: Terminal, folder: str) -> None:
    found = json.loads(_sweep(terminal, folder, "-o", "json").out)
    assert found["axes"] == [inputs.CPU]
    assert [row["measures"]["pending"] for row in found["rows"]] == [0, 1, 0, 1]
    assert yaml.safe_load(_sweep(terminal, folder, "-o", "yaml").out) == found
    rows = list(csv.DictReader(io.StringIO(_sweep(terminal, folder, "-o", "csv").out)))
    assert [row["pending"] for row in rows] == ["0", "1", "0", "1"]
    assert [row["seed"] for row in rows] == ["0", "0", "1", "1"]
    markdown = _sweep(terminal, folder, "-o", "markdown").out.splitlines()
    assert markdown[0].startswith(f"| {inputs.CPU} | RUNS | FAILED | ")
    assert set(markdown[1]) <= set("| -")
    assert len(markdown) == 4


def test_flags_of_the_command_may_be_anywhere(terminal: Terminal, folder: str) -> None:
    words = ["sweep", "run", "--for", "1m", *VARY, folder, "--nodes", "1", "-o", "json"]
    rows = json.loads(terminal.run(*words).out)["rows"]
    assert len(rows) == 4
    assert "belowDesiredMinutes" in rows[0]["measures"]


def test_a_directory_is_kept_and_completed(terminal: Terminal, folder: str) -> None:
    result = _sweep(terminal, folder, "--out", "kept")
    assert result.err == "Kept in kept: 4 rows; compare: kubestage sweep report kept\n"
    again = terminal.run("sweep", "--resume", "--out", "kept", "-j", "1")
    assert (again.code, again.out) == (0, result.out)


def test_a_file(terminal: Terminal, folder: str) -> None:
    text = f"kind: Sweep\ncommand: run {folder}\nvary: {{'{inputs.CPU}': '1,5'}}\nseeds: 2\n"
    pathlib.Path("a.yaml").write_text(text)
    result = terminal.run("sweep", "a.yaml", "-j", "1")
    assert result.out == _sweep(terminal, folder).out
    refused = terminal.run("run", "a.yaml")
    assert refused.code == 2
    assert "kubestage sweep a.yaml" in refused.err


def test_a_run_that_fails_is_a_row_and_exit_code_1(terminal: Terminal, folder: str) -> None:
    words = ["--vary", f"{inputs.CPU}='-1',1", "-j", "1", "-o", "json"]
    result = terminal.run("sweep", "run", folder, *words)
    assert result.code == 1
    assert "1 of 2 runs failed: " in result.err
    rows = json.loads(result.out)["rows"]
    assert rows[0]["error"] is not None
    assert rows[1]["error"] is None


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["run", "cluster", "--vary", "pod/wep:spec.nodeName=a"], "did you mean pod/web"),
        (["run", "cluster", "--vary", "nodes=3", "--vary", "nodes=4"], "varied twice"),
        (["run", "cluster", "--vry", "nodes=3"], "no such option"),
        (["run", "cluster", "--design", "gird"], "did you mean grid"),
        (["run", "cluster", "--seeds", "x"], "are no seeds"),
        (["run", "cluster", "--seeds", "0"], "no run without a seed"),
        (["run", "cluster", "--vary", f"{inputs.CPU}=uniform(1,3)"], "--samples"),
        (["run", "cluster", "--samples", "3"], "all combinations"),
        (["run", "cluster", "--resume"], "add --out DIR"),
        (["run", "cluster", "--address", "x"], "is for Ray"),
        (["run", "nowhere"], "no such file"),
        (["run"], "Missing argument"),
        (["nowhere.yaml"], "no such file"),
        (["--resume"], "nothing to sweep is named"),
        (["--resume", "--out", "nowhere"], "no such file"),
        (["a.yaml", "--vary", "nodes=3"], "write it into the file"),
    ],
)
def test_what_is_refused(terminal: Terminal, folder: str, words: list[str], problem: str) -> None:
    result = terminal.run("sweep", *words)
    assert result.code == 2
    assert problem in result.err
    assert result.out == ""


def test_help_teaches_paths_and_values(terminal: Terminal) -> None:
    text = terminal.run("sweep", "run", "--help").out
    for word in (
        "deploy/web:spec.replicas",
        "config:FIELD",
        "setting.NAME",
        "40..80/5",
        "--resume",
    ):
        assert word in text
    assert "kubestage sweep run" in terminal.run("sweep", "--help").out
    assert "kubestage sweep run" in terminal.run("sweep").out
