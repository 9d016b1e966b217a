"""``kubestage optimise`` from the terminal."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    import pathlib

    from tests.cli.terminal import Terminal

POD = """
apiVersion: v1
kind: Pod
metadata: {{name: web-{at}}}
spec:
  containers:
  - name: web
    image: registry.example/web:1
    resources: {{requests: {{cpu: 800m}}}}
"""
SHORT = ("-j", "1", "--trials", "4", "--seeds", "2", "--final-seeds", "2", "--sampler", "grid")


@pytest.fixture
def pods(tmp_path: pathlib.Path) -> str:
    path = tmp_path / "pods.yaml"
    path.write_text("---".join(POD.format(at=at) for at in range(3)))
    return str(path)


def test_the_answer_is_printed_and_kept(
    terminal: Terminal, pods: str, tmp_path: pathlib.Path
) -> None:
    out = str(tmp_path / "search")
    words = ("--vary", "nodes=1..3", "--minimise", "nodesUsed", "--subject-to", "pending<1")
    result = terminal.run(
        "optimise", "run", pods, "--node", "cpu=1,pods=9", *words, *SHORT, "--out", out
    )
    assert result.code == 0
    assert result.out.startswith("Best for least nodesUsed with pending<1: nodes=3.")
    assert f"Kept in {out}" in result.err
    assert json.loads((tmp_path / "search" / "optimise.json").read_text())["best"] == {"nodes": 3}
    again = terminal.run("optimise", "--resume", "--out", out, "-j", "1")
    assert again.out == result.out
    report = terminal.run("sweep", "report", out, "--measures", "pending")
    assert report.code == 0
    assert "pending (less is better)" in report.out


def test_no_setting_within_the_limits_is_exit_code_1(terminal: Terminal, pods: str) -> None:
    words = ("--vary", "nodes=1,2", "--minimise", "nodesUsed", "--subject-to", "pending<1")
    result = terminal.run(
        "optimise", "run", pods, "--node", "cpu=1,pods=9", *words, *SHORT, "-o", "json"
    )
    assert result.code == 1
    assert json.loads(result.out)["best"] is None
    assert "No setting was found" in result.err


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ((), "nothing to optimise is named"),
        (("--resume", "--out", "nowhere"), "nowhere"),
        (("run", "{pods}", "--minimise", "pending"), "nothing says what is searched"),
        (("run", "{pods}", "--vary", "nodes=1,2"), "nothing says what is best"),
        (("fly", "{pods}", "--vary", "nodes=1,2", "--minimise", "x"), "cannot be swept"),
        (
            ("run", "{pods}", "--vary", "nodes=1", "--vary", "nodes=2", "--minimise", "x"),
            "is varied twice",
        ),
        (("run", "{pods}", "--vary", "nodes=1,2", "--minimise", "x", "--trials", "0"), "trials"),
    ],
)
def test_bad_input_is_exit_code_2(
    terminal: Terminal, pods: str, words: tuple[str, ...], problem: str
) -> None:
    result = terminal.run("optimise", *(each.format(pods=pods) for each in words))
    assert result.code == 2
    assert problem in result.err
