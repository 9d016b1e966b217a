"""Ctrl-C says in one line what was kept and what is missing; no file is left half written.

The key is pressed on a condition: when the scheduler looks at a certain pod, or when the program
has opened a file for which the test alone has the rest.
"""

from __future__ import annotations

import os
import pathlib
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from kubestage.cli import failures, interruption
from kubestage.results import trace
from kubestage.testing import make_node, make_pod
from tests.cli import clusters, scenarios
from tests.deadlines import HANG_S

if TYPE_CHECKING:
    from tests.cli.terminal import Result, Terminal

ROOT = pathlib.Path(__file__).parents[2]
COMMAND = [sys.executable, "-c", "from kubestage import cli; cli.main()"]
PLUGIN = """\
    import os, signal

    class Mine:
        name = "Mine"
        def __init__(self, args, handle):
            pass
        def score_node(self, state, pod, node):
            if pod.name == "late":
                os.kill(os.getpid(), signal.SIGINT)
            return 0
    """


def _pods(*names: str, name: str = "one") -> dict[str, Any]:
    return scenarios.scenario(
        [make_node("a"), make_node("b"), *(make_pod(each) for each in names)], name=name
    )


def _with_plugin(terminal: Terminal, *words: str) -> Result:
    clusters.write_plugin(PLUGIN)
    clusters.write_config(clusters.enabling("Mine"))
    return terminal.run(*words, "--plugin", "mine.py:Mine")


def test_a_run_without_a_place_keeps_nothing(terminal: Terminal) -> None:
    clusters.write("cluster.json", make_node("a"), make_node("b"), make_pod("late"))
    result = _with_plugin(terminal, "run", "cluster.json", "--config", "scheduler.yaml")
    assert (result.code, result.out) == (130, "")
    assert result.err == "Interrupted: nothing was kept, as there is no --out.\n"


def test_of_several_scenarios_those_that_had_ended_are_kept(terminal: Terminal) -> None:
    several = [_pods("web"), _pods("late", name="two"), _pods("db", name="three")]
    clusters.write("several.json", *several)
    words = ("run", "several.json", "--config", "scheduler.yaml", "--out", "kept")
    result = _with_plugin(terminal, *words)
    assert (result.code, result.out) == (130, "")
    assert result.err == "Interrupted: kept: kept/one; not written: kept/two, kept/three.\n"
    assert [path.name for path in pathlib.Path("kept").iterdir()] == ["one"]
    assert terminal.run("analyze", "kept/one").code == 0


def test_a_life_keeps_its_movements_and_nothing_else(terminal: Terminal) -> None:
    clusters.write("cluster.json", make_node("a"), make_node("b"), make_pod("late"))
    words = ("run", "cluster.json", "--config", "scheduler.yaml", "--for", "10m", "--out", "kept")
    result = _with_plugin(terminal, *words, "--trace-out", "moves.sqlite")
    assert (result.code, result.out) == (130, "")
    assert result.err == "Interrupted: kept: moves.sqlite, up to there; not written: kept.\n"
    assert not pathlib.Path("kept").exists()
    assert len(trace.read_runs("moves.sqlite")) == 1


def test_of_runs_that_are_compared_none_is_kept(terminal: Terminal) -> None:
    clusters.write("late.json", _pods("late"))
    words = ("compare", "late.json", "--config", "default", "--config", "scheduler.yaml")
    result = _with_plugin(terminal, *words)
    assert (result.code, result.out) == (130, "")
    told = "Interrupted: 0 of 2 runs had ended, and none of them is kept.\n"
    assert result.err == told


def _interrupted_while_it_reads(file: str, *words: str) -> subprocess.CompletedProcess[str]:
    """What becomes of a command that is interrupted while it reads a file that is a pipe."""
    reading, writing = os.pipe()
    named = [f"/dev/fd/{reading}" if word == file else word for word in words]
    with subprocess.Popen(
        [*COMMAND, *named],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        pass_fds=(reading,),
    ) as process:
        # More than a pipe holds: when it is gone, somebody reads.
        os.write(writing, b"\n" * 200_000)
        process.send_signal(signal.SIGINT)
        process.wait(HANG_S)
        out, err = process.communicate(timeout=HANG_S)
        os.close(reading)
        os.close(writing)
    return subprocess.CompletedProcess(words, process.returncode, out, err)


def test_a_backtest_has_not_drawn_its_chart(terminal: Terminal) -> None:
    del terminal
    folder = ROOT / "examples" / "23-backtest"
    files = [str(folder / name) for name in ("calm.yaml", "deployment.yaml")]
    words = ("backtest", "cpu.csv", *files, "--chart", "usage.html")
    done = _interrupted_while_it_reads("cpu.csv", *words)
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr == "Interrupted: not written: usage.html.\n"
    assert not pathlib.Path("usage.html").exists()


def test_a_verification_says_how_far_it_came(terminal: Terminal) -> None:
    del terminal
    done = _interrupted_while_it_reads("case.json", "verify", "case.json")
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr == "Interrupted: 0 recordings were compared, and nothing is kept.\n"


MEASUREMENT = """\
    import os, signal
    from kubestage.measure.framework import NOTHING, Measurement, Selecting

    class Key(Measurement[Selecting]):
        params_type = Selecting

        def start(self, params):
            os.kill(os.getpid(), signal.SIGINT)
            return NOTHING
    """
LOAD = """
name: {name}
namespace: {{number: 1}}
steps:
- name: Press
  measurements:
  - method: Key
    identifier: key
    params: {{action: start}}
"""


@pytest.mark.parametrize("report", [(), ("--report-dir", "out")])
def test_a_load_keeps_what_it_has_measured(report: tuple[str, ...], terminal: Terminal) -> None:
    clusters.write_plugin(MEASUREMENT, "key.py")
    for name in ("first", "second"):
        pathlib.Path(f"{name}.yaml").write_text(LOAD.format(name=name))
    words = ("load", "first.yaml", "second.yaml", "--nodes", "1", "--measurement", "key.py:Key")
    result = terminal.run(*words, *report)
    assert result.code == 130
    assert result.out.startswith("first: interrupted after ")
    kept = "kept: out, up to there" if report else "nothing was kept, as there is no --report-dir"
    assert result.err.splitlines()[-1] == (f"Interrupted: {kept}; 1 of 2 tests did not begin.")
    assert pathlib.Path("out", "junit.xml").exists() is bool(report)


def test_what_is_being_written_is_finished_first(capsys: pytest.CaptureFixture[str]) -> None:
    before = signal.getsignal(signal.SIGINT)
    done: list[str] = []

    def command(_: list[str]) -> int:
        with interruption.reporting(lambda: f"kept: {', '.join(done)}"), interruption.deferred():
            os.kill(os.getpid(), signal.SIGINT)
            os.kill(os.getpid(), signal.SIGINT)
            done.append("report.html")
        return 0

    assert failures.guard(command, []) == failures.INTERRUPTED
    assert capsys.readouterr().err == (
        "Interrupted: what is being written is finished first.\nInterrupted: kept: report.html.\n"
    )
    assert signal.getsignal(signal.SIGINT) is before


def test_what_was_saved_is_said_also_when_an_error_wraps_the_interrupt() -> None:
    def closing() -> None:
        try:
            raise KeyboardInterrupt
        finally:
            raise RuntimeError("the loop is closed")

    with (
        pytest.raises(RuntimeError) as caught,
        interruption.reporting(lambda: "nothing was kept"),
    ):
        closing()
    assert interruption.is_wrapped(caught.value)
    assert interruption.line(caught.value) == "Interrupted: nothing was kept."


def test_an_error_of_its_own_says_nothing_of_an_interrupt() -> None:
    with pytest.raises(ValueError, match="bad") as caught, interruption.reporting(lambda: "kept"):
        raise ValueError("bad")
    assert not interruption.is_wrapped(caught.value)
    assert not getattr(caught.value, "__notes__", ())
