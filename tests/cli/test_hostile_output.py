"""What is printed and drawn is safe to look at, whatever names are in the files."""

from __future__ import annotations

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from kubestage.cli import colour, progress, screen
from kubestage.results import trace
from kubestage.testing import make_node, make_pod
from tests.cli import clusters
from tests.deadlines import HANG_S, until

if TYPE_CHECKING:
    from tests.cli.terminal import Terminal

ROOT = pathlib.Path(__file__).parents[2]
COMMAND = (sys.executable, "-c", "from kubestage import cli; cli.main()")
RED = "\x1b[31m"
SCRIPT = "</script><script>alert(1)</script>"
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def test_only_one_module_writes_to_the_terminal() -> None:
    ways = re.compile(r"sys\.std(out|err)\.write|typer\.echo|console\.Console\(|\bprint\(")
    folder = ROOT / "src" / "kubestage" / "cli"
    # Help is our own text; colours are put on what is safe already.
    exempt = {"screen.py", "help_page.py", "colour.py"}
    found = [
        f"{path.name}:{number}"
        for path in folder.glob("*.py")
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if path.name not in exempt and ways.search(line)
    ]
    assert not found


def test_control_characters_are_shown_by_their_numbers() -> None:
    text = "a\tb\nc\x1b[2J\x9b1m\u202ex\x7f\ud800\r"
    assert screen.safe(text) == "a\tb\nc\\u001b[2J\\u009b1m\\u202ex\\u007f\\ud800\\u000d"


@pytest.mark.parametrize(
    "words",
    [
        ["validate", "a.json"], ["run", "a.json"], ["get", "pods", "-A", "-f", "a.json"],
        ["get", "pods", "-A", "-f", "a.json", "-o", "yaml"], ["validate", f"{RED}.yaml"],
        ["get", "pods", "-A", "-f", "a.json", "-l", f"a={RED}"], [f"{RED}"],
        ["get", "pods", "-A", "-f", "a.json", "--show-labels", "-o", "wide"],
        ["run", "a.json", "--explain", RED], ["analyze", RED], ["load", RED],
    ],
)  # fmt: skip
def test_names_with_escapes_do_not_reach_the_terminal(terminal: Terminal, words: list[str]) -> None:
    pod = make_pod("web", labels={"a": f"{RED}\x07"})
    pod["metadata"]["annotations"] = {RED: f"[red]{RED}"}
    pod["spec"]["schedulerName"] = f"x{RED}"
    clusters.write("a.json", make_node("a"), pod)
    result = terminal.run(*words)
    assert not CONTROL.search(result.out + result.err)


def test_a_template_writes_what_it_has_to_programs_and_what_is_safe_to_people(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    clusters.write("a.json", make_pod("web"))
    words = ("get", "pods", "-f", "a.json", "-o", f"go-template={RED}")
    assert terminal.run(*words).out == RED
    monkeypatch.setattr(screen, "_is_seen", lambda: True)
    assert terminal.run(*words).out == "\\u001b[31m"


def test_colours_are_put_on_safe_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert colour.painted(f"x{RED} Pending").startswith("x\\u001b[31m ")


def test_what_is_drawn_meanwhile_is_safe_and_has_no_markup(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    drawing = screen.console()
    drawing.print(f"{RED}x")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with progress.OBSERVER.progress("reading [red]a.yaml[/red]", 10) as advance:
        advance(10)
    shown = capsys.readouterr().err
    assert "\\u001b[31mx" in shown
    assert "[red]a.yaml" in shown


@pytest.fixture(scope="module")
def edited(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """A kept run in which a node was given a name that ends scripts and moves cursors."""
    folder = tmp_path_factory.mktemp("edited")
    scenario = str(ROOT / "examples" / "14-scenario" / "scenario.yaml")
    subprocess.run([*COMMAND, "run", scenario, "--out", "run"], cwd=folder, check=True)
    path = folder / "run" / "scenario.json"
    text = path.read_text()
    node = re.search(r'"kind": ?"Node","metadata": ?\{"name": ?"([^"]+)"', text)
    name = node[1] if node else "zone-a-1"
    assert f'"{name}"' in text
    path.write_text(text.replace(f'"{name}"', json.dumps(f"{RED}{SCRIPT}[red]")))
    return folder


def test_charts_of_an_edited_run_are_drawn_and_carry_no_script(
    edited: pathlib.Path, terminal: Terminal
) -> None:
    result = terminal.run("analyze", str(edited / "run"), "nodes", "--charts", "drawn")
    assert result.code == 0, result.err
    assert not CONTROL.search(result.out + result.err)
    pages = list(pathlib.Path("drawn").glob("*.html"))
    assert pages
    assert len(list(pathlib.Path("drawn").glob("*.png"))) == len(pages)
    texts = [page.read_text() for page in pages]
    assert not any(SCRIPT in text for text in texts)
    assert any("\\u003c/script>" in text for text in texts)
    assert not [each for each in pathlib.Path("drawn").iterdir() if each.name.startswith(".")]


def test_other_names_stay_what_they_are_in_a_page() -> None:
    from kubestage.results.charts import specification

    spec: dict[str, Any] = {
        "data": {"values": [{"a": "x < y \ue03c", "b": 1}]},
        "mark": "bar",
        "encoding": {"x": {"field": "a"}, "y": {"field": "b"}},
    }
    page = specification.page(spec)
    assert "x \\u003c y \ufffd" in page


def test_a_second_writer_is_told_at_the_start(terminal: Terminal) -> None:
    scenario = str(ROOT / "examples" / "14-scenario" / "scenario.yaml")
    from kubestage.files.claiming import Claim

    with Claim(pathlib.Path("out")):
        for words in (
            ["run", scenario, "--out", "out"],
            ["run", str(ROOT / "examples" / "10-node-failure"), "--for", "1m", "--out", "out"],
            ["load", str(ROOT / "examples" / "25-load" / "load.yaml"), "--report-dir", "out"],
        ):
            result = terminal.run(*words)
            assert (result.code, result.out) == (2, "")
            assert f"out: process {os.getpid()} is writing here" in result.err
    assert terminal.run("run", scenario, "--out", "out").code == 0


def test_a_trace_has_whole_runs_only(terminal: Terminal) -> None:
    cluster = str(ROOT / "examples" / "10-node-failure")
    assert terminal.run("run", cluster, "--for", "1m", "--trace-out", "moves.sqlite").code == 0
    before = pathlib.Path("moves.sqlite").read_bytes()
    words = [*COMMAND, "run", cluster, "--for", "365d", "--trace-out", "moves.sqlite"]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        until(lambda: list(pathlib.Path().glob(".writing-*")) or process.poll() is not None)
        process.send_signal(signal.SIGKILL)
        process.wait(HANG_S)
    assert pathlib.Path("moves.sqlite").read_bytes() == before
    assert terminal.run("run", cluster, "--for", "1m", "--trace-out", "moves.sqlite").code == 0
    first, second = trace.read_runs("moves.sqlite")
    assert (second.completed, second.ignored) == (first.completed, first.ignored)
    rows = [list(trace.read_trace("moves.sqlite", run=each.id)) for each in (first, second)]
    assert rows[0] == rows[1] != []
