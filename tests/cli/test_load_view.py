"""What a person sees while a load runs, and what a log is told."""

from __future__ import annotations

import io
import re
import sys
from typing import TYPE_CHECKING

from kubestage.cli import load_view
from kubestage.clusterloader import config
from tests.cli import loads

if TYPE_CHECKING:
    import pytest

    from tests.cli.terminal import Terminal


class Screen(io.StringIO):
    """Somebody watches."""

    def isatty(self) -> bool:
        return True


def test_a_person_sees_steps_phases_and_both_clocks(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr(load_view, "_REFRESHES", 1e9)
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("CL2_PODS", "60")
    assert terminal.run("load", loads.write(), "--nodes", "1").code == 0
    shown = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", screen.getvalue())
    assert "step 2 of 4: Create" in shown
    assert "of 60" in shown
    assert "virtual" in shown
    assert "wall" in shown
    assert "of 10/s" in shown


def test_watching_changes_nothing(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    name = loads.write()
    unseen = terminal.run("load", name, "--nodes", "1", "-o", "json").out
    monkeypatch.setattr(sys, "stderr", Screen())
    assert terminal.run("load", name, "--nodes", "1", "-o", "json").out == unseen


def test_a_log_is_told_of_a_step_now_and_then(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(load_view, "_LINE_SECONDS", 0)
    result = terminal.run("load", loads.write(), "--nodes", "1")
    lines = result.err.splitlines()
    assert lines == list(dict.fromkeys(lines))
    assert "small: step 3 of 4: Wait" in lines


def test_rates_are_told_where_a_tuning_set_has_one() -> None:
    loaded = config.Config(
        steps=(),
        tuning_sets=(
            config.TuningSet("a", config.QpsLoad(1)),
            config.TuningSet("b", config.RandomizedLoad(2)),
            config.TuningSet("c", config.GlobalQpsLoad(3, 1)),
            config.TuningSet("d", config.PoissonLoad(4)),
            config.TuningSet("e", config.ParallelismLimitedLoad(5)),
        ),
    )
    assert load_view.rates(loaded) == {"a": 1, "b": 2, "c": 3, "d": 4}
