"""``kubestage sweep --until`` from the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.sweep import inputs

if TYPE_CHECKING:
    import pathlib

    from tests.cli.terminal import Terminal


def test_seeds_are_added_and_the_report_has_the_level_of_the_last_look(
    terminal: Terminal, tmp_path: pathlib.Path
) -> None:
    base, out = inputs.cluster(tmp_path), str(tmp_path / "sweep")
    words = ("--vary", f"{inputs.CPU}=1,5", "--until", "decided(pending)", "-j", "1", "--out", out)
    result = terminal.run("sweep", "run", base, *words)
    assert result.code == 0
    assert "decided(pending): met with 5 seeds, after 1 look" in result.err
    assert "until:" in (tmp_path / "sweep" / "sweep.yaml").read_text()
    report = terminal.run("sweep", "report", out, "--measures", "pending")
    assert "For 1 look at results, the last one is computed at 97.5%." in report.out
    assert report.out.count("worse") == 1
    again = terminal.run("sweep", "--resume", "--out", out, "-j", "1")
    assert again.out == result.out


def test_a_goal_that_is_none_is_exit_code_2(terminal: Terminal, tmp_path: pathlib.Path) -> None:
    base = inputs.cluster(tmp_path)
    result = terminal.run("sweep", "run", base, "--vary", "nodes=1,2", "--until", "pending<2")
    assert result.code == 2
    assert "is no goal" in result.err
